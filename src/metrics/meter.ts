/** Told by one controller's engine as things happen. Costs next to nothing, and never throws. */
export interface EngineMeter {
  /** A step was taken; `outcome` as in the change set. */
  changed(outcome: string): void;
  /** An object was put right; `managers` are those who had changed it, empty where that is not known. */
  repaired(kind: string, managers: Iterable<string>): void;
  /** A pass over all objects took so many milliseconds. */
  passed(ms: number): void;
  fightBegan(): void;
  selfCheckMissed(): void;
}

/** Told by the API client after each attempt. */
export interface RequestMeter {
  /** `resource` is the plural with its group (`deployments.apps`), "" for other paths; `code` 0: no answer came. */
  requested(verb: string, resource: string, answer: { readonly code: number; readonly ms: number }): void;
  /** A watch ended and will be started again: `ended`, or the code of the error that broke it. */
  watchEnded(resource: string, reason: string): void;
}
