import { setMaxListeners } from "node:events";

/** Node warns from the eleventh listener of a signal on; one signal here rightly ends hundreds of requests. */
export function allowManyListeners(signal: AbortSignal | undefined): void {
  if (signal !== undefined) setMaxListeners(0, signal);
}

/** Calls `callback` once when `signal` fires, at once where it has; the returned function stops listening. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  allowManyListeners(signal);
  signal.addEventListener("abort", callback, { once: true });
  return () => signal.removeEventListener("abort", callback);
}
