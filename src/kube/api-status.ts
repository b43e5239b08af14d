import type { KeelsonError } from "../errors/index.ts";
import { isJsonObject, parseJson } from "../object/index.ts";

/** A `meta/v1 Status`, as far as errors need it; also made of answers that are none. */
export interface ApiStatus {
  /** HTTP status. */
  readonly code: number;
  /** "" where the server gives none, as for schema errors of server-side apply. */
  readonly reason: string;
  readonly message: string;
  /** Whether the answer was a Status at all: a 404 in plain text comes from the path, not from the object. */
  readonly isStatus: boolean;
  readonly details: {
    readonly kind: string;
    readonly name: string;
    readonly causes: KeelsonError["causes"];
    readonly retryAfterSeconds: number | undefined;
    /** Whether there were any details. */
    readonly isGiven: boolean;
  };
}

/** Reads the body of an error answer: a Status, or whatever a proxy or the request router says in plain text. */
export function parseStatus(code: number, body: string): ApiStatus {
  const value = tryParse(body);
  if (isJsonObject(value) && value.kind === "Status") return statusOf(value, code);
  const text = body.replace(/\s+/g, " ").trim();
  return {
    code,
    reason: "",
    message: text.length > maxPlainText ? `${text.slice(0, maxPlainText)}…` : text || `HTTP ${code}`,
    isStatus: false,
    details: noDetails,
  };
}

/** Reads a Status object, such as that of a watch's ERROR event; `code` is used where it has none. */
export function statusOf(value: { readonly [field: string]: unknown }, code: number): ApiStatus {
  const details = value.details;
  return {
    code: typeof value.code === "number" && value.code > 0 ? value.code : code,
    reason: textOf(value.reason),
    message: textOf(value.message) || `HTTP ${code}`,
    isStatus: true,
    details: isJsonObject(details)
      ? {
          kind: textOf(details.kind),
          name: textOf(details.name),
          causes: causesOf(details.causes),
          retryAfterSeconds: typeof details.retryAfterSeconds === "number" ? details.retryAfterSeconds : undefined,
          isGiven: Object.keys(details).length > 0,
        }
      : noDetails,
  };
}

/** HTML pages of load balancers are long and say nothing. */
const maxPlainText = 300;

const noDetails: ApiStatus["details"] = {
  kind: "",
  name: "",
  causes: [],
  retryAfterSeconds: undefined,
  isGiven: false,
};

function causesOf(value: unknown): KeelsonError["causes"] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map((cause) => ({
    reason: textOf(cause.reason),
    message: textOf(cause.message),
    field: textOf(cause.field),
  }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function tryParse(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
