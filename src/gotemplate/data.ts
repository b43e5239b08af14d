import { boolOf, floatOf, intOf, itemsOf, mapOf, NIL, sliceOf, stringOf, type Value } from "./go/values.ts";

/**
 * What a template may be given: JSON-like data. Whole numbers are Go ints, other numbers float64 (also those beyond
 * int64); a bigint is an int; an undefined property counts as absent.
 */
export type TemplateData =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly TemplateData[]
  | { readonly [key: string]: TemplateData | undefined };

const INT64_LIMIT = 2 ** 63;

/** Data as Go values: a copy, so that `set` and `merge` in a template never reach the caller's objects. */
export function toGo(data: TemplateData): Value {
  switch (typeof data) {
    case "boolean":
      return boolOf(data);
    case "bigint":
      return intOf(data);
    case "string":
      return stringOf(data);
    case "number":
      return numberToGo(data);
    default:
      return data === null ? NIL : containerToGo(data);
  }
}

function numberToGo(value: number): Value {
  if (Number.isSafeInteger(value)) {
    return intOf(value);
  }
  if (!Number.isInteger(value) || Math.abs(value) > INT64_LIMIT) {
    return floatOf(value);
  }
  // Beyond the safe range the digits that JSON would show are what its author wrote, not the exact value. Those of the
  // smallest int64 are none.
  const shown = BigInt(String(value));
  return shown === BigInt.asIntN(64, shown) ? intOf(shown) : floatOf(value);
}

function containerToGo(data: readonly TemplateData[] | { readonly [key: string]: TemplateData | undefined }): Value {
  if (isList(data)) {
    return sliceOf(data.map(toGo));
  }
  const entries = new Map<string, Value>();
  for (const [key, value] of Object.entries(data)) {
    if (value !== undefined) {
      entries.set(key, toGo(value));
    }
  }
  return mapOf(entries);
}

/** Array.isArray does not narrow readonly arrays. */
function isList(data: readonly TemplateData[] | object): data is readonly TemplateData[] {
  return Array.isArray(data);
}

/** Go values as JSON-like data: integers beyond the safe range become bigints. */
export function fromGo(value: Value): TemplateData {
  switch (value.kind) {
    case "nil":
      return null;
    case "bool":
    case "string":
    case "float64":
      return value.value;
    case "int":
      return integerFromGo(value.value);
    case "slice":
      return itemsOf(value).map(fromGo);
    case "map":
      return Object.fromEntries([...value.entries].map(([key, item]) => [key, fromGo(item)]));
    case "object":
      return value.text;
    case "complex128":
      return [value.real, value.imaginary];
  }
}

function integerFromGo(value: bigint): number | bigint {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}
