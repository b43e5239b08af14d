import { KeelsonError } from "../errors/index.ts";

/** The error that work ends with when `signal` fired; keeps a KeelsonError given as the reason. */
export function abortError(signal?: AbortSignal): KeelsonError {
  const reason: unknown = signal?.reason;
  return reason instanceof KeelsonError ? reason : new KeelsonError("Aborted", "stopped", { cause: reason });
}

/** Throws {@link abortError} where `signal` has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** A controller of its own that also fires when `parent` does. `unlink` frees the listener on a long-lived parent. */
export function linkedController(parent: AbortSignal | undefined): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  if (parent === undefined) return { controller, unlink: () => {} };
  if (parent.aborted) controller.abort(parent.reason);
  const onAbort = (): void => controller.abort(parent.reason);
  parent.addEventListener("abort", onAbort, { once: true });
  return { controller, unlink: () => parent.removeEventListener("abort", onAbort) };
}

/** `promise`, or an `Aborted` error as soon as `signal` fires (the promise's own work goes on). */
export function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(abortError(signal));
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortError(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
