/** A number of things that have something in common. */
export interface Count<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly count: number;
}

/** Revisions and journal in numbers. */
export interface HistoryFigures {
  /** Number of the latest revision; undefined before there is one. */
  readonly revision: number | undefined;
  /** Recorded by this instance since its start. */
  readonly recorded: number;
  /** Number of the one that is held; undefined where the files count. */
  readonly heldRevision: number | undefined;
  /** Pauses in force. */
  readonly pauses: number;
  readonly isJournalWritable: boolean;
  /** Since the start. */
  readonly journalGaps: number;
  readonly journalLostLines: number;
}

/** How things stand with a set of objects. */
export interface SetFigures {
  readonly isSynced: boolean;
  /** Every desired object is as declared; false before the first set is in force. */
  readonly isConverged: boolean;
  /** Desired objects; readiness is kstatus' word, `NotFound` or `Unknown`. */
  readonly objects: readonly Count<"mode" | "readiness">[];
  readonly converged: number;
  readonly blocked: number;
  /** By error code. */
  readonly failed: readonly Count<"code">[];
  /** By the kind of step. */
  readonly steps: readonly Count<"action">[];
  /** Held prunes that somebody can confirm, by the filter that holds them. */
  readonly held: readonly Count<"reason">[];
  readonly fights: number;
  readonly unavailableKinds: number;
}

/** How things stand with one controller, asked at each scrape; computed from memory. */
export interface ControllerFigures extends SetFigures {
  /** `addon`, `sriov-operator-config`. */
  readonly controller: string;
  readonly isLeading: boolean;
  readonly problems: number;
  /** Undefined where none is kept. */
  readonly history?: HistoryFigures | undefined;
}

/** How things stand with the whole program. */
export interface Figures {
  readonly isApiReachable: boolean;
  readonly stuckLoops: number;
  readonly controllers: readonly ControllerFigures[];
}
