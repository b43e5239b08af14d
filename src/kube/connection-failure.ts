import { type ErrorCode, KeelsonError, messageOf } from "../errors/index.ts";

/** Where a request was when its connection failed. */
export type FailurePoint =
  /** The server cannot have seen it. */
  | "before-sending"
  /** On a kept-alive socket, before any byte of an answer: most likely the server had just closed it. */
  | "on-reused-socket"
  /** The server may have carried it out. */
  | "after-sending";

/** A request that got no whole answer. */
export class ConnectionFailure extends KeelsonError {
  readonly point: FailurePoint;

  constructor(code: ErrorCode, message: string, options: { readonly point: FailurePoint; readonly cause?: unknown }) {
    const { cause, point } = options;
    const isOfUser = cause instanceof KeelsonError ? cause.disposition === "user" : isTrustFailure(cause);
    super(code, message, { cause, ...(isOfUser && { disposition: "user" }) });
    this.point = point;
  }
}

/** Codes with which Node refuses a server's certificate; no retry makes it trusted. */
const trustFailures: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Whether the server's certificate was refused. */
export function isTrustFailure(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && trustFailures.has(error.code);
}

/** The failure that an error of a socket, of TLS or of the dialer amounts to. */
export function connectionFailure(error: unknown, server: string, point: FailurePoint): ConnectionFailure {
  if (error instanceof ConnectionFailure) return error;
  const code = error instanceof KeelsonError && error.code === "Timeout" ? "Timeout" : "Unreachable";
  const hint = isTrustFailure(error) ? ": check the certificate authority of the kubeconfig" : "";
  return new ConnectionFailure(code, `${server}: ${reasonOf(error)}${hint}`, { point, cause: error });
}

/** Node tries several addresses of a name, and then gives an error without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return messageOf(error);
}
