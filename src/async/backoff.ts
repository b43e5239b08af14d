import type { Clock } from "./clock.ts";

/** Shape of an exponential back-off. */
export interface BackoffOptions {
  /** First delay in milliseconds. */
  readonly baseMs: number;
  /** Upper bound of a delay in milliseconds, before jitter. */
  readonly maxMs: number;
  /** Growth per step; default 2. */
  readonly factor?: number;
  /** Share of the delay that is random, 0 to 1: the delay lies in [d × (1 − jitter), d]; default 0.2. */
  readonly jitter?: number;
}

/** Exponential back-off with jitter. `next()` gives the delay of the coming wait; `reset()` starts over. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #clock: Clock;
  #step = 0;

  constructor(options: BackoffOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** The delay in milliseconds before the next try; grows with every call. */
  next(): number {
    const { baseMs, maxMs, factor = 2, jitter = 0.2 } = this.#options;
    const delay = Math.min(maxMs, baseMs * factor ** this.#step);
    if (delay < maxMs) this.#step += 1;
    return delay * (1 - jitter * this.#clock.random());
  }

  reset(): void {
    this.#step = 0;
  }
}
