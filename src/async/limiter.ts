import { abortError } from "./abort.ts";

interface Waiter {
  readonly start: () => void;
}

/** Bounded parallelism: at most `limit` tasks run at once, the rest wait in order. */
export class Limiter {
  readonly limit: number;
  readonly #waiting: Waiter[] = [];
  #running = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Runs `task` when a place is free. Rejects with `Aborted`, without having started, when `signal` fires first. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#running >= this.limit) await this.#wait(signal);
    else this.#running += 1;
    try {
      if (signal?.aborted) throw abortError(signal);
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next.start();
    }
  }

  /** Tasks running now. */
  get running(): number {
    return this.#running;
  }

  /** Tasks waiting for a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        const at = this.#waiting.indexOf(waiter);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        reject(abortError(signal));
      };
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      if (signal?.aborted) return reject(abortError(signal));
      this.#waiting.push(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
