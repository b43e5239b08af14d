/** Time and randomness as everything in Keelson sees them. */
export interface Clock {
  /** Milliseconds since the epoch (wall clock; may jump). For stamps that people or the API read. */
  now(): number;
  /** Milliseconds of a clock that never goes back. For durations and deadlines. */
  monotonic(): number;
  /** Uniform in [0, 1), for jitter. */
  random(): number;
  /** Calls `callback` once, never before `ms` have passed by {@link monotonic}; the returned function cancels it. The timer does not keep the process alive by itself unless `ref` is true. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves after `ms`; rejects with an `Aborted` KeelsonError when `signal` fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

import { abortError } from "./abort.ts";

/** setTimeout holds 31 bits; longer waits would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  after: startTimer,
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      const onAbort = (): void => {
        cancel();
        reject(abortError(signal));
      };
      const cancel = startTimer(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  },
};

/**
 * setTimeout counts whole milliseconds from the time at which the event loop last looked at the clock, so it may ring
 * some milliseconds early; who then finds that nothing is due yet would wait for ever. What is left is waited for.
 */
function startTimer(ms: number, callback: () => void): () => void {
  const due = performance.now() + ms;
  const ring = (): void => {
    const left = due - performance.now();
    if (left > 0) timer = setTimeout(ring, Math.min(left, MAX_TIMER_MS));
    else callback();
  };
  let timer = setTimeout(ring, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
  return () => clearTimeout(timer);
}
