import { type ErrorCode, KeelsonError } from "../errors/index.ts";
import type { ApiStatus } from "./api-status.ts";

/** What was asked, as far as the meaning of the answer depends on it. */
export interface Asked {
  readonly verb: string;
  /** What the request is about, for people: `Deployment kube-system/dns`. */
  readonly object: string;
  /** Plural of the kind addressed; "" for raw paths. */
  readonly resource: string;
  /** A JSON patch: a failed `test` answers 422 without details. */
  readonly isJsonPatch?: boolean | undefined;
}

/**
 * The one place where the API server's answers become errors. Message texts are looked at only where the server gives
 * nothing else to tell cases apart; each such text was seen on kube-apiserver 1.37.
 */
export function classify(status: ApiStatus, asked: Asked, retryAfterMs?: number): KeelsonError {
  const code = codeOf(status, asked);
  const { retryAfterSeconds } = status.details;
  const wait = retryAfterMs ?? (retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000);
  const isSecret = asked.resource === "secrets";
  const message = isSecret ? withoutValues(status.message) : status.message;
  const told =
    status.details.causes.length === 0 && code === "SchemaError" ? schemaCauses(message) : status.details.causes;
  const causes = isSecret ? told.map(withoutValue) : told;
  return new KeelsonError(code, `${asked.object}: ${asked.verb}: ${message}${hints[code] ?? ""}`, {
    object: asked.object,
    httpStatus: status.code,
    causes,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** Schema errors name their fields in the text alone: `.spec.replica: field not declared in schema`, `unknown field "spec.x"`. */
const schemaField =
  /(?:^|[\s:(])(\.[A-Za-z_$][^\s:]*): (?=field not declared|expected|errors?\b)|(?:unknown|duplicate) field "([^"]+)"/g;

function schemaCauses(message: string): readonly { readonly field: string }[] {
  return [...message.matchAll(schemaField)].map(([, path, name]) => ({ field: path ?? name ?? "" }));
}

/** The server quotes what it refuses; of a Secret that is what nobody may read in a log. */
function withoutValues(message: string): string {
  return message.replace(
    /(got (?=&)|Invalid value: |Unsupported value: |Duplicate value: |Too long: ).*$/s,
    "$1*** (a Secret's value)",
  );
}

function withoutValue<C extends { readonly message?: string }>(cause: C): C {
  return cause.message === undefined ? cause : { ...cause, message: withoutValues(cause.message) };
}

const hints: Partial<Readonly<Record<ErrorCode, string>>> = {
  Unauthorized: " (the API server does not accept the credentials: renew them)",
  NoMatch: " (the API server does not serve this kind: install its CRD, or use a served version)",
};

function codeOf(status: ApiStatus, asked: Asked): ErrorCode {
  // 403 on create; looked at first because RBAC answers 403 too.
  if (status.details.causes.some((cause) => cause.reason === "NamespaceTerminating")) return "NamespaceTerminating";
  switch (status.code) {
    case 400:
      return status.message.includes("strict decoding") ? "SchemaError" : "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return notFoundCode(status, asked);
    case 409:
      return status.reason === "AlreadyExists" ? "AlreadyExists" : "Conflict";
    case 410:
      return "Expired";
    case 422:
      return invalidCode(status, asked);
    case 429:
      return "TooManyRequests";
    default:
      return status.code >= 500 ? serverErrorCode(status) : "BadRequest";
  }
}

function notFoundCode({ isStatus, message, details }: ApiStatus, asked: Asked): ErrorCode {
  // Unknown groups and CRDs that are not established yet get the router's plain-text 404.
  if (!isStatus) return "NoMatch";
  if (message === "the server could not find the requested resource") return "NoMatch";
  if (
    asked.resource !== "namespaces" &&
    (details.kind === "namespaces" || /^namespaces "[^"]*" not found$/.test(message))
  ) {
    return "NamespaceNotFound";
  }
  return "NotFound";
}

/**
 * Words with which validation says that a field cannot change; the cause's reason may be FieldValueInvalid or
 * FieldValueForbidden, and neither words nor reason suffice alone.
 */
const immutableWords =
  /immutable|may not change once set|updates to .* (?:is|are) forbidden|may not change fields other than|cannot be changed|cannot change /i;

function invalidCode({ details }: ApiStatus, asked: Asked): ErrorCode {
  // A JSON patch whose `test` fails or whose path is missing: the object is no longer what the caller looked at.
  if (asked.isJsonPatch && details.causes.length === 0) return "Conflict";
  const { causes } = details;
  // The uid in the body is not that of the live object: it was deleted and created anew meanwhile.
  if (causes.some((cause) => cause.field === "metadata.uid")) return "Conflict";
  const isImmutable = causes.some(
    ({ reason, message }) =>
      (reason === "FieldValueInvalid" || reason === "FieldValueForbidden") && immutableWords.test(message ?? ""),
  );
  return isImmutable ? "Immutable" : "Invalid";
}

/**
 * managedFields name a version that the CRD no longer has (first text), or one in whose schema a field is missing that
 * another version defaults (the others: the path of the field stands alone, or behind what failed). Seen only without
 * the words of a manifest error before them.
 */
const unreliableTracking = [
  "request to convert CR to an invalid group/version",
  "failed to prune fields: failed add back",
  ": field not declared in schema",
];

/** Manifest errors of server-side apply come as HTTP 500 without a reason (kubernetes/kubernetes#94275 and others). */
const schemaErrors = ["failed to create typed patch object", "failed to convert new object"];

function serverErrorCode({ reason, message }: ApiStatus): ErrorCode {
  if (reason !== "" && reason !== "InternalError") return "ServerError";
  if (schemaErrors.some((text) => message.startsWith(text))) return "SchemaError";
  if (unreliableTracking.some((text) => message.includes(text))) return "TrackingUnreliable";
  return "ServerError";
}
