/** The two ends of the integers that Go keeps exactly: int64, and uint64 where no sign is written. */
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

const WORDS: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);

/** First characters of scalars that may be something else than text. */
const FIRST_OF_WORD = "yYnNtTfFoO~";
const FIRST_OF_NUMBER = "+-0123456789";

/** A float: `isFloat` keeps apart `1e6` and `1000000`, which differ as map keys. */
export interface Resolved {
  /** string, boolean, null, number (NaN and infinities too), or bigint beyond 2^53. */
  readonly value: unknown;
  readonly isFloat: boolean;
}

const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** With a dot in front another parser of Go's is asked, which allows `_` between digits only. */
const DOT_FLOAT = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/;
/** A quirk of Go's library: what follows `0b` is read as a signed number once more. */
const SIGN_BEHIND_PREFIX = /^0b[-+][01]+$/;

/** What a plain scalar without a tag means: YAML 1.1 as Go's library reads it, without its base-60 numbers and dates. */
export function resolvePlain(text: string): Resolved {
  const first = text.charAt(0);
  if (FIRST_OF_NUMBER.includes(first) && first !== "") return resolveNumber(text) ?? { value: text, isFloat: false };
  if (first !== "" && first !== "." && !FIRST_OF_WORD.includes(first)) return { value: text, isFloat: false };
  const word = WORDS.get(text);
  if (word !== undefined) return { value: word, isFloat: typeof word === "number" };
  if (first === "." && DOT_FLOAT.test(text)) return finiteOrText(Number(text.replaceAll("_", "")), text);
  return { value: text, isFloat: false };
}

function resolveNumber(text: string): Resolved | undefined {
  const word = WORDS.get(text);
  if (word !== undefined) return { value: word, isFloat: true };
  const digits = text.includes("_") ? text.replaceAll("_", "") : text;
  const integer = parseInteger(digits);
  if (integer !== undefined) return { value: integer, isFloat: false };
  if (FLOAT.test(digits)) return finiteOrText(Number(digits), text);
  return SIGN_BEHIND_PREFIX.test(digits) ? { value: Number.parseInt(digits.slice(2), 2), isFloat: false } : undefined;
}

/** Beyond the range of a float64 Go gives up and keeps the text. */
function finiteOrText(value: number, text: string): Resolved {
  return Number.isFinite(value) ? { value, isFloat: true } : { value: text, isFloat: false };
}

function parseInteger(digits: string): number | bigint | undefined {
  if (!INTEGER.test(digits)) return undefined;
  const isNegative = digits.startsWith("-");
  const isSigned = isNegative || digits.startsWith("+");
  const magnitude = isSigned ? digits.slice(1) : digits;
  if (magnitude.length <= 15 && /^[1-9]/.test(magnitude)) return isNegative ? -Number(magnitude) : Number(magnitude);
  const isOldOctal = magnitude.length > 1 && /^0[0-7]/.test(magnitude);
  const exact = BigInt(isOldOctal ? `0o${magnitude.slice(1)}` : magnitude.toLowerCase());
  const value = isNegative ? -exact : exact;
  if (value < MIN_INT64 || value > (isSigned ? MAX_INT64 : MAX_UINT64)) return undefined;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

const PREFIX = "tag:yaml.org,2002:";
const TIMESTAMP =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/;

/**
 * What a scalar with a tag means; its quotes do not matter then. Unknown tags are text. Undefined where the text does
 * not fit the tag.
 */
export function resolveTagged(tag: string, text: string): Resolved | undefined {
  if (!tag.startsWith(PREFIX)) return { value: text, isFloat: false };
  const resolved = resolvePlain(text);
  switch (tag.slice(PREFIX.length)) {
    case "bool":
      return typeof resolved.value === "boolean" ? resolved : undefined;
    case "null":
      return resolved.value === null ? resolved : undefined;
    case "int":
      return isNumber(resolved.value) && !resolved.isFloat ? resolved : undefined;
    case "float":
      return resolveFloat(resolved);
    case "timestamp":
      return TIMESTAMP.test(text) ? { value: text, isFloat: false } : undefined;
    case "binary":
      return resolveBinary(text);
    default:
      return { value: text, isFloat: false };
  }
}

function resolveFloat(resolved: Resolved): Resolved | undefined {
  if (typeof resolved.value === "number") return { value: resolved.value, isFloat: true };
  if (typeof resolved.value !== "bigint" || resolved.value > MAX_INT64) return undefined;
  return { value: Number(resolved.value), isFloat: true };
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

/** Base64 as Go's strict decoder takes it: line breaks are skipped, padding is needed. */
function resolveBinary(text: string): Resolved | undefined {
  const digits = text.replaceAll(/[\r\n]/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) return undefined;
  return { value: decodeLossy(Buffer.from(digits, "base64")), isFloat: false };
}

/** Bytes as text as Go's JSON has it: one replacement character for each byte that is no UTF-8, where Node joins some. */
function decodeLossy(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (!text.includes("\ufffd")) return text;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let result = "";
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    try {
      result += decoder.decode(bytes.subarray(at, at + length));
      at += length;
    } catch {
      result += "\ufffd";
      at += 1;
    }
  }
  return result;
}

/**
 * The text of a scalar that is a map key, as Go's YAML-to-JSON conversion spells it; undefined for the kinds that it
 * refuses (null, and integers beyond int64).
 */
export function keyText({ value, isFloat }: Resolved): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "bigint") return value > MAX_INT64 ? undefined : value.toString();
  if (typeof value !== "number") return undefined;
  return isFloat ? floatKeyText(value) : String(value);
}

/** Go prints float keys with the shortest digits that survive float32, and an exponent from 1e+06 on. */
function floatKeyText(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single < 0 ? "-.inf" : ".inf";
  if (single === 0) return Object.is(single, -0) ? "-0" : "0";
  let precision = 1;
  while (Math.fround(Number(single.toPrecision(precision))) !== single) precision += 1;
  const [mantissa = "", power = ""] = single.toExponential(precision - 1).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return single.toFixed(Math.max(0, precision - 1 - exponent));
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
