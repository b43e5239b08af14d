import { type Disposition, ERROR_CODES, type ErrorCode } from "./taxonomy.ts";

/** What an error is about, beyond its code and message. */
export interface KeelsonErrorOptions {
  /** The object or place concerned, as a person writes it: `Deployment kube-system/dns`, `dns.yaml:12`. */
  readonly object?: string;
  /** The error underneath. */
  readonly cause?: unknown;
  /** HTTP status of the API server's answer, where there was one. */
  readonly httpStatus?: number;
  /** The server's wish (Retry-After), in milliseconds. */
  readonly retryAfterMs?: number;
  /** The API server's `status.details.causes`: which field, why. */
  readonly causes?: readonly ErrorCause[];
  /** Overrides the code's usual disposition, where the same answer means something else in this place. */
  readonly disposition?: Disposition;
}

/** One entry of the API server's `status.details.causes`. */
export interface ErrorCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The one error class of Keelson. Messages read `<what failed>: <why>` and say what to do where that is known. */
export class KeelsonError extends Error {
  readonly code: ErrorCode;
  readonly disposition: Disposition;
  readonly object: string | undefined;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly ErrorCause[];

  constructor(code: ErrorCode, message: string, options: KeelsonErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "KeelsonError";
    this.code = code;
    this.disposition = options.disposition ?? ERROR_CODES[code].disposition;
    this.object = options.object;
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
    this.causes = options.causes ?? [];
  }
}

/** Whether `error` is a KeelsonError, and of one of `codes` where any are given. */
export function isKeelsonError(error: unknown, ...codes: readonly ErrorCode[]): error is KeelsonError {
  return error instanceof KeelsonError && (codes.length === 0 || codes.includes(error.code));
}

/** Whether `error` tells that the work was stopped on purpose (an AbortSignal fired). */
export function isAborted(error: unknown): boolean {
  return isKeelsonError(error, "Aborted") || (error instanceof Error && error.name === "AbortError");
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
