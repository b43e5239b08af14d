import { isKeelsonError, messageOf } from "../errors/index.ts";
import type { LogFields } from "./line.ts";

/** Longest text of a message or one value, in UTF-16 units; what is beyond is cut and counted. */
const MAX_TEXT = 4096;
/** Deepest nesting and widest list or map that is written; logs are read by people. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;

const MASK = "[redacted]";

/** Fields that hold credentials or a Secret's content, whatever object they appear in. */
const SECRET_NAMES: ReadonlySet<string> = new Set(["token", "password", "authorization", "data", "stringdata"]);
/** The same behind a prefix: `bearerToken`, `access_token`, `client-key-data`. */
const SECRET_SUFFIX = /(?:token|password|secret|key-data|keydata)$/;
/** Credentials inside running text: an Authorization header, or a flag of kubectl. */
const SECRET_IN_TEXT = /(\bbearer\s+|--(?:token|password)[=\s]\s*)[^\s"']+/giu;

/**
 * Characters that move a terminal's cursor, start an escape sequence, forge a new line, or turn the reading direction:
 * C0, DEL, C1, line and paragraph separators, bidirectional controls, byte order marks.
 */
const UNSAFE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** User and password in front of a host: `https://user:password@host`. */
const USER_IN_URL = /(:\/\/)[^/\s@"']+@/g;

/** `text` without the credentials that running text may hold: headers, flags of kubectl, users of URLs. */
export function withoutCredentials(text: string): string {
  return text.replace(SECRET_IN_TEXT, `$1${MASK}`).replace(USER_IN_URL, `$1${MASK}@`);
}

/** `text` fit for a log line: no control characters, no credentials, at most 4 KiB. */
export function cleanText(text: string): string {
  // Cut first: a hostile value may be hundreds of megabytes, and escaping makes text longer.
  const cut = text.length > MAX_TEXT ? `${wellFormedPrefix(text)}… (${text.length} characters)` : text;
  return escapeControls(withoutCredentials(cut));
}

/** `text` with every character visible that could move a cursor, colour a terminal, forge a line or turn the reading. */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** A copy of `fields` fit for a log line: clean texts, secrets masked, bounded depth and width, no cycles, no bigint. */
export function cleanFields(fields: LogFields): LogFields {
  return cleanEntries(fields, 0);
}

function cleanEntries(fields: LogFields, depth: number): LogFields {
  const cleaned: Record<string, unknown> = {};
  let count = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    count += 1;
    if (count > MAX_ENTRIES) {
      cleaned["…"] = "more fields left out";
      break;
    }
    cleaned[cleanText(name)] = isSecret(name) && value !== null ? MASK : cleanValue(value, depth);
  }
  return cleaned;
}

function cleanValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return cleanText(value);
    case "number":
    case "boolean":
      return value;
    case "object":
      return value === null ? null : cleanObject(value, depth);
    default:
      return cleanText(String(value));
  }
}

function cleanObject(value: object, depth: number): unknown {
  if (value instanceof Error) return cleanError(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
  // Depth bounds cycles too.
  if (depth >= MAX_DEPTH) return "…";
  if (value instanceof Map || value instanceof Set) return cleanObject([...value], depth);
  if (!Array.isArray(value)) return cleanEntries(Object.fromEntries(Object.entries(value)), depth + 1);
  const items = value.slice(0, MAX_ENTRIES).map((item: unknown) => cleanValue(item, depth + 1));
  return value.length > MAX_ENTRIES ? [...items, `… (${value.length} items)`] : items;
}

/** A stack is only of use where the fault is our own. */
function cleanError(error: Error): unknown {
  const message = cleanText(messageOf(error));
  if (!isKeelsonError(error)) return message;
  if (error.disposition !== "internal") return { code: error.code, message };
  return { code: error.code, message, stack: cleanText(error.stack ?? "") };
}

function isSecret(name: string): boolean {
  const lower = name.toLowerCase();
  return SECRET_NAMES.has(lower) || SECRET_SUFFIX.test(lower);
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The first {@link MAX_TEXT} units, without half a surrogate pair at the end. */
function wellFormedPrefix(text: string): string {
  const last = text.charCodeAt(MAX_TEXT - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TEXT - 1 : MAX_TEXT);
}
