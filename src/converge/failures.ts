import { Backoff, type Clock } from "../async/index.ts";
import type { KeelsonError } from "../errors/index.ts";
import type { Digest } from "../object/index.ts";
import type { LiveRecord } from "./record.ts";

/** Back-off of one object's tries. */
const BACKOFF = { baseMs: 1_000, maxMs: 5 * 60_000 } as const;

/** Tries after a mere conflict that need not back off. */
const QUICK_TRIES = 3;
/** Timers may fire a little early. */
const TIMER_SLACK_MS = 2;

/** What a failure stands for. */
export interface FailurePoint {
  readonly digest: Digest | undefined;
  readonly live: LiveRecord | undefined;
  /** The server's wish in milliseconds; Infinity: do not try again by itself. */
  readonly atLeastMs: number;
  /** The first tries come after this many milliseconds, times their number, without back-off. */
  readonly quickMs?: number;
}

/** An object whose last step failed. */
export interface Failure {
  readonly error: KeelsonError;
  /** Tries in a row that failed. */
  readonly count: number;
  /** Wall clock of the first failure in a row, milliseconds. */
  readonly since: number;
  /** Monotonic milliseconds from which it may be tried again; Infinity: only when something changes. */
  readonly notBefore: number;
}

interface Entry extends Failure {
  readonly backoff: Backoff;
  readonly digest: Digest | undefined;
  readonly state: string;
  readonly isQuick: boolean;
}

/**
 * Remembers failed objects and when each may be tried again. A failure stands for one desired digest and one live state:
 * when either changes, the object may be tried at once, so that a fixed file or a removed obstacle never waits.
 */
export class Failures {
  readonly #clock: Clock;
  readonly #entries: Map<string, Entry> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a failure and returns the milliseconds until the next try (Infinity: only when something changes). */
  note(key: string, error: KeelsonError, at: FailurePoint): number {
    const before = this.#entries.get(key);
    const backoff = before?.backoff ?? new Backoff(BACKOFF, this.#clock);
    const count = (before?.count ?? 0) + 1;
    const isQuick = at.quickMs !== undefined && count <= QUICK_TRIES;
    const delay = isQuick ? (at.quickMs ?? 0) * count : Math.max(backoff.next(), at.atLeastMs);
    this.#entries.set(key, {
      error,
      count,
      since: before?.since ?? this.#clock.now(),
      notBefore: this.#clock.monotonic() + delay,
      backoff,
      digest: at.digest,
      state: stateOf(at.live),
      isQuick,
    });
    return delay;
  }

  /** Whether a try has to wait: nothing that mattered to the failure has changed, and its time has not come. */
  mustWait(key: string, digest: Digest | undefined, live: LiveRecord | undefined): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#clock.monotonic() >= entry.notBefore - TIMER_SLACK_MS) return false;
    return entry.digest === digest && entry.state === stateOf(live);
  }

  /** Milliseconds until the next try of a failed object; Infinity: only when something changes, 0 where it did not fail. */
  waitOf(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : Math.max(0, entry.notBefore - this.#clock.monotonic());
  }

  /** Whether an object is still in its first quick tries, which are no news. */
  isQuick(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry?.isQuick === true;
  }

  /** Success, or nothing to do any more. Returns what was noted. */
  clear(key: string): Failure | undefined {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    return entry;
  }

  get(key: string): Failure | undefined {
    return this.#entries.get(key);
  }

  /** By key. */
  get all(): ReadonlyMap<string, Failure> {
    return this.#entries;
  }
}

function stateOf(live: LiveRecord | undefined): string {
  if (live === undefined) return "absent";
  return `${live.uid} ${live.setHash} ${live.valueHash} ${live.terminating !== undefined}`;
}
