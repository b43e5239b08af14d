import { isJsonObject, type JsonObject } from "../../object/index.ts";

/** Deep equality of JSON values; integers and floats of equal value are equal, null is not absence. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  if (isJsonObject(a)) return isJsonObject(b) && equalObjects(a, b);
  if (typeof a === "bigint" && typeof b === "number") return Number.isInteger(b) && BigInt(b) === a;
  return typeof a === "number" && typeof b === "bigint" && Number.isInteger(a) && BigInt(a) === b;
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!equalValues(a[i], b[i])) return false;
  return true;
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !equalValues(a[key], b[key])) return false;
  return true;
}
