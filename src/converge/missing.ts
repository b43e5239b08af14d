import type { DesiredSet } from "./desired.ts";

/** What is remembered of an object that is live and no longer in a snapshot. */
export interface Missing {
  /** Problems that were there, with the same bytes, when the object was last in a snapshot: they hide nothing of it. */
  readonly knownBroken: ReadonlySet<string>;
  /** The source was missing or declared nothing at some time since the object was last in a snapshot. */
  readonly sinceEmpty: boolean;
  /** File it was last declared in; undefined where that was before this process. */
  readonly file: string | undefined;
  /** Monotonic milliseconds of the snapshot that first lacked it. */
  readonly sinceMs: number;
}

/** The part of {@link MissingTracker} that survives a restart (kept in the status ConfigMap). JSON. */
export interface MissingState {
  /** Problem keys of the last snapshot. */
  readonly broken: readonly string[];
  /** What is to be thought of objects that are not listed: the directory was empty, and the cluster not looked at yet. */
  readonly wasEmpty: boolean;
  /** Objects that were missing then. */
  readonly missing: readonly {
    readonly key: string;
    readonly knownBroken: readonly string[];
    readonly sinceEmpty: boolean;
  }[];
}

const NO_PROBLEMS: ReadonlySet<string> = new Set();

/**
 * Remembers since when, and beside which unreadable documents, objects have been missing from the source, so that a fault
 * in the directory is never taken for an intention (rules 8, 9 and 10 of the prune table).
 */
export class MissingTracker {
  readonly #missing: Map<string, Missing> = new Map();
  #broken: ReadonlySet<string>;
  /** What was broken at the snapshot before the first one of this process: the judge of objects not yet looked at. */
  #initialBroken: ReadonlySet<string>;
  #wasEmpty = false;
  #startedMs = 0;
  #desired: DesiredSet | undefined;

  constructor(state?: MissingState) {
    this.#broken = state === undefined ? NO_PROBLEMS : new Set(state.broken);
    this.#initialBroken = this.#broken;
    this.#wasEmpty = state?.wasEmpty ?? false;
    for (const { key, knownBroken, sinceEmpty } of state?.missing ?? []) {
      this.#missing.set(key, { knownBroken: new Set(knownBroken), sinceEmpty, file: undefined, sinceMs: 0 });
    }
  }

  /** Takes note of a new snapshot. `now` is monotonic, in milliseconds. */
  advance(desired: DesiredSet, now: number): void {
    const previous = this.#desired;
    if (previous === undefined) this.#startedMs = now;
    for (const [key, { origin }] of previous?.objects ?? []) {
      if (desired.objects.has(key) || this.#missing.has(key)) continue;
      this.#missing.set(key, { knownBroken: this.#broken, sinceEmpty: false, file: origin.file, sinceMs: now });
    }
    for (const key of this.#missing.keys()) if (desired.objects.has(key)) this.#missing.delete(key);
    if (desired.isEmpty) this.#markEmpty();
    this.#broken = new Set(desired.broken);
    this.#desired = desired;
  }

  /** Takes in what another leader has remembered meanwhile: a hold of either stays. */
  merge(state: MissingState): void {
    for (const { key, knownBroken, sinceEmpty } of state.missing) {
      if (this.#desired?.objects.has(key) === true) continue;
      const own = this.of(key);
      const known = knownBroken.filter((problem) => own.knownBroken.has(problem));
      this.#missing.set(key, { ...own, knownBroken: new Set(known), sinceEmpty: own.sinceEmpty || sinceEmpty });
    }
  }

  /** What is known of a live object that the current snapshot lacks. */
  of(key: string): Missing {
    return (
      this.#missing.get(key) ?? {
        knownBroken: this.#initialBroken,
        sinceEmpty: this.#wasEmpty,
        file: undefined,
        sinceMs: this.#startedMs,
      }
    );
  }

  /** The problems that hold a missing object: those of now that were not there, with these bytes, when it was last seen. */
  holdersOf(key: string): readonly string[] {
    const { knownBroken } = this.of(key);
    return [...this.#broken].filter((problem) => !knownBroken.has(problem));
  }

  /** Forgets an object that is gone from the cluster. */
  forget(key: string): void {
    this.#missing.delete(key);
  }

  /**
   * What has to survive a restart; `live` are the keys of the objects that are in the cluster and not desired.
   * `isComplete`: they are all of them. Before that, what holds objects not yet seen has to stay as it is.
   */
  state(live: Iterable<string>, isComplete: boolean): MissingState {
    const keys = isComplete ? live : [...live, ...this.#missing.keys()];
    const missing = [...new Set(keys)].sort().map((key) => {
      const { knownBroken, sinceEmpty } = this.of(key);
      return { key, knownBroken: [...knownBroken].sort(), sinceEmpty };
    });
    const broken = isComplete ? this.#broken : [...this.#broken].filter((problem) => this.#initialBroken.has(problem));
    return { broken: [...broken].sort(), wasEmpty: this.#wasEmpty && !isComplete, missing };
  }

  /** Keys of the objects that are known to be missing, in the cluster or not. */
  keys(): Iterable<string> {
    return this.#missing.keys();
  }

  #markEmpty(): void {
    this.#wasEmpty = true;
    for (const [key, missing] of this.#missing) this.#missing.set(key, { ...missing, sinceEmpty: true });
  }
}
