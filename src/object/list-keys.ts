import { canonicalJson, isJsonObject } from "./json.ts";
import { fieldOf } from "./json-value.ts";
import type { JsonObject } from "./types.ts";

/** Fields by which the API's lists tell their items apart, the most telling first. The first of each row must be there. */
const CANDIDATES: readonly (readonly [string, ...string[]])[] = [
  ["name"],
  ["containerPort", "protocol"],
  ["port", "protocol"],
  ["mountPath"],
  ["devicePath"],
  ["uid"],
  ["key"],
  ["type"],
  ["ip"],
  ["topologyKey", "whenUnsatisfiable"],
];

/**
 * The fields that look like the keys of a list, judging by the items of all `lists`: objects that have them, and no two
 * in one list alike. Undefined where there are none; then position is identity.
 */
export function guessKeyNames(...lists: readonly (readonly unknown[])[]): readonly string[] | undefined {
  if (lists.every((list) => list.length === 0)) return undefined;
  return CANDIDATES.find((names) => lists.every((list) => areKeys(list, names)));
}

function areKeys(list: readonly unknown[], names: readonly [string, ...string[]]): boolean {
  const texts = list.map((item) => canonicalJson(keyOf(item, names)));
  return list.every((item) => isScalar(fieldOf(item, names[0]))) && new Set(texts).size === list.length;
}

function isScalar(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "object";
}

/** The key fields that an item has. */
export function keyOf(item: unknown, names: readonly string[]): JsonObject {
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(
    names.filter((name) => fieldOf(item, name) !== undefined).map((name) => [name, item[name]]),
  );
}
