/** Whether this instance acts. */
export type LeaderState =
  /** `term` names the leading term: it differs whenever another instance may have led in between. */
  | { readonly kind: "leading"; readonly holder: string; readonly term: string }
  /** Another one leads, or nobody does; `holder` is undefined where the Lease is missing or empty. */
  | { readonly kind: "following"; readonly holder: string | undefined; readonly reason: string }
  /** Not known (yet, or any more). Nothing may be written. */
  | { readonly kind: "unknown"; readonly reason: string };

/** Decides whether this instance acts on the cluster. */
export interface LeaderElector {
  /** Takes part until `signal` fires, then gives the lead up and resolves. Runs once. */
  run(signal: AbortSignal): Promise<void>;
  /** As of now; a lead whose time is over reads as lost, even before any timer has fired. */
  readonly state: LeaderState;
  /** Calls `listener` synchronously with each new state; the returned function ends that. */
  onChange(listener: (state: LeaderState) => void): () => void;
}

/** Whether two states say the same about who acts. */
export function isSameState(a: LeaderState, b: LeaderState): boolean {
  if (a.kind === "leading" && b.kind === "leading") return a.holder === b.holder && a.term === b.term;
  if (a.kind === "following" && b.kind === "following") return a.holder === b.holder && a.reason === b.reason;
  return a.kind === "unknown" && b.kind === "unknown" && a.reason === b.reason;
}
