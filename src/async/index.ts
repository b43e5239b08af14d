/**
 * # async: time, back-off, bounded parallelism, abort, watchdog
 *
 * Time and randomness are handed in as a {@link Clock}, so that everything above can be tested without waiting.
 *
 * It does not know Kubernetes, and holds no timers of its own once an AbortSignal has fired.
 */

export { abortError, linkedController, throwIfAborted, waitFor } from "./abort.ts";
export { Backoff, type BackoffOptions } from "./backoff.ts";
export { type Clock, systemClock } from "./clock.ts";
export { Limiter } from "./limiter.ts";
export { ManualClock } from "./manual-clock.ts";
export { Signal } from "./signal.ts";
export { type Heart, type LoopState, Watchdog } from "./watchdog.ts";
