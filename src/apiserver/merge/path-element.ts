import { isJsonObject, parseJson, stringifyJson } from "../../object/index.ts";

/**
 * One step of a field path in the form that managedFields uses: `f:name`, `k:{"name":"x"}`, `v:"x"`, `i:0`. The text is
 * the identity, so keys are written with sorted names.
 */
export type PathElement = string;

/** The step to a named field. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The step to the item of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${goJson(value)}`;
}

/** The step to the item of a map list with these keys; `entries` may come in any order. */
export function keyElement(entries: readonly (readonly [string, unknown])[]): PathElement {
  const sorted = entries.length < 2 ? entries : [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${goJson(value)}`).join(",")}}`;
}

/** The field's name where the step is one. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/** Brings an element read from a client to the canonical text; undefined where it is malformed. */
export function parsePathElement(text: string): PathElement | undefined {
  const body = text.slice(2);
  switch (text.slice(0, 2)) {
    case "f:":
      return text;
    case "i:":
      return /^-?\d+$/.test(body) ? `i:${Number(body)}` : undefined;
    case "v:": {
      const value = tryParse(body);
      return value === undefined ? undefined : valueElement(value);
    }
    case "k:": {
      const value = tryParse(body);
      return isJsonObject(value) ? keyElement(Object.entries(value)) : undefined;
    }
    default:
      return undefined;
  }
}

/** A step as error messages write it: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function describeElement(element: PathElement): string {
  const body = element.slice(2);
  switch (element.slice(0, 2)) {
    case "f:":
      return `.${body}`;
    case "k:": {
      const keys = tryParse(body);
      const parts = isJsonObject(keys)
        ? Object.entries(keys).map(([name, value]) => `${name}=${describeValue(value)}`)
        : [];
      return `[${parts.join(",")}]`;
    }
    case "v:":
      return `[=${describeValue(tryParse(body))}]`;
    default:
      return `[${body}]`;
  }
}

/** A whole path as error messages write it. */
export function describePath(path: readonly PathElement[]): string {
  return path.map(describeElement).join("");
}

/** The order in which structured-merge-diff keeps elements: fields, keys, values, indexes; each by content. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kinds = "fkvi";
  const kind = kinds.indexOf(a.charAt(0)) - kinds.indexOf(b.charAt(0));
  if (kind !== 0) return kind;
  const [left, right] = [a.slice(2), b.slice(2)];
  switch (a.charAt(0)) {
    case "k":
      return compareKeys(tryParse(left), tryParse(right));
    case "v":
      return compareValues(tryParse(left), tryParse(right));
    case "i":
      return Number(left) - Number(right);
    default:
      return compareText(left, right);
  }
}

function compareKeys(a: unknown, b: unknown): number {
  const [left, right] = [Object.entries(a ?? {}), Object.entries(b ?? {})];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [l, r] = [left[i], right[i]];
    const order = compareText(l?.[0] ?? "", r?.[0] ?? "") || compareValues(l?.[1], r?.[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const VALUE_ORDER = ["number", "bigint", "string", "boolean"];

function compareValues(a: unknown, b: unknown): number {
  if ((typeof a === "number" || typeof a === "bigint") && (typeof b === "number" || typeof b === "bigint")) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  return VALUE_ORDER.indexOf(typeof a) - VALUE_ORDER.indexOf(typeof b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Go's JSON writer escapes three characters that are special to HTML, and two line separators. */
const GO_ESCAPES = /[<>&\u2028\u2029]/g;

function goJson(value: unknown): string {
  return stringifyJson(value).replace(GO_ESCAPES, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A value as Go's `%q` and `%v` print it in messages. */
function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(describeValue).join(",")}]`;
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([k, v]) => `${k}=${describeValue(v)}`)
      .join("");
  return String(value);
}
