import { abortError } from "./abort.ts";

/** A level-triggered wake-up: `notify()` before or during `wait()` ends the wait; several notifications are one. */
export class Signal {
  #pending = false;
  #wake: (() => void) | undefined;

  /** Ends the current or the next wait. */
  notify(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Resolves when notified, at once where that happened since the last wait. One waiter at a time. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      const finish = (): void => {
        this.#pending = false;
        this.#wake = undefined;
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#wake = undefined;
        reject(abortError(signal));
      };
      if (this.#pending) return finish();
      this.#wake = finish;
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
