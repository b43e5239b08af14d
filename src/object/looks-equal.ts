import { isJsonObject } from "./json.ts";
import { equalJson, fieldNamesOf, fieldOf, isEmptyContainer } from "./json-value.ts";
import type { JsonObject } from "./types.ts";

/**
 * Whether a live value may be the desired one as the server writes it: a quantity in another notation, a dropped zero
 * value, defaults added inside an atomic value. Only good enough to leave noise out of an explanation.
 */
export function looksEqual(desired: unknown, live: unknown): boolean {
  if (equalJson(desired, live)) return true;
  if (live === undefined) return isZero(desired);
  if (isEmptyContainer(desired)) return isJsonObject(live) || Array.isArray(live);
  if (Array.isArray(desired)) {
    return (
      Array.isArray(live) && live.length === desired.length && desired.every((item, at) => looksEqual(item, live[at]))
    );
  }
  if (isJsonObject(desired)) {
    return (
      isJsonObject(live) &&
      !isProtocolChanged(desired, live) &&
      fieldNamesOf(desired).every((name) => looksEqual(fieldOf(desired, name), fieldOf(live, name)))
    );
  }
  return isSameQuantity(desired, live);
}

/** `protocol` is the one list key that manifests leave to its default, TCP. */
function isProtocolChanged(desired: JsonObject, live: JsonObject): boolean {
  return fieldOf(desired, "protocol") === undefined && ["UDP", "SCTP"].includes(String(fieldOf(live, "protocol")));
}

function isZero(value: unknown): boolean {
  return value === null || value === "" || value === 0 || value === false || isEmptyContainer(value);
}

function isSameQuantity(desired: unknown, live: unknown): boolean {
  // A quantity is text on one side at least; two unequal numbers are unequal, however near.
  if (typeof desired === "number" && typeof live === "number") return false;
  const [a, b] = [quantityOf(desired), quantityOf(live)];
  return a !== undefined && b !== undefined && Math.abs(a - b) <= Math.abs(b) * Number.EPSILON * 4;
}

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?$/;

const SUFFIXES: ReadonlyMap<string, number> = new Map([
  ["n", 1e-9],
  ["u", 1e-6],
  ["m", 1e-3],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["E", 1e18],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
  ["Pi", 2 ** 50],
  ["Ei", 2 ** 60],
]);

/** The number that a quantity such as `1500m` or `1Gi` means. */
function quantityOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  const parts = typeof value === "string" ? QUANTITY.exec(value) : null;
  if (parts === null) return undefined;
  const [, digits = "", exponent = "", suffix = ""] = parts;
  return Number(`${digits}${exponent}`) * (SUFFIXES.get(suffix) ?? 1);
}
