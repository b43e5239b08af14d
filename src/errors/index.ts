/**
 * # errors: the error taxonomy
 *
 * Every failure that leaves a folder is a {@link KeelsonError}: a stable `code`, a `disposition` that says who can
 * mend it, the object or place it is about, and the cause. Foreign errors (system calls, API answers, library
 * exceptions) are classified once, where they enter.
 *
 * Invariants: nothing branches on message text; exactly two places map a disposition to something else: the engine (to
 * requeue) and the command line (to an exit code). Codes are catalogued in `docs/reference/errors.md`, both ways.
 *
 * It does not log, retry or print.
 */

export { assertNever } from "./assert-never.ts";
export {
  isAborted,
  isKeelsonError,
  KeelsonError,
  type KeelsonErrorOptions,
  messageOf,
} from "./keelson-error.ts";
export type { Disposition, ErrorCode } from "./taxonomy.ts";
export { ERROR_CODES } from "./taxonomy.ts";
