import { abortError } from "./abort.ts";
import type { Clock } from "./clock.ts";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when told to, for tests. `random()` is always 0.5, so jitter is its middle value.
 * Deviation from the real clock: `now()` and `monotonic()` move together unless {@link jump} is used.
 */
export class ManualClock implements Clock {
  readonly #timers: Set<Timer> = new Set();
  #monotonic = 0;
  #offset: number;

  constructor(startMs: number = Date.UTC(2030, 0, 1)) {
    this.#offset = startMs;
  }

  now(): number {
    return this.#offset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  random(): number {
    return 0.5;
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#monotonic + Math.max(ms, 0), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      const onAbort = (): void => {
        cancel();
        reject(abortError(signal));
      };
      const cancel = this.after(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Moves time forward by `ms`, firing due timers in order, and lets promise callbacks run between them. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await settle();
      const due = [...this.#timers].filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#monotonic = Math.max(this.#monotonic, due.at);
      due.callback();
    }
    this.#monotonic = end;
    await settle();
  }

  /** Moves the wall clock alone, as an administrator or NTP does. */
  jump(ms: number): void {
    this.#offset += ms;
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
