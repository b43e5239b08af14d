import { canonicalJson, isJsonObject } from "../json.ts";
import { fieldOf } from "../json-value.ts";
import type { KubeObject } from "../types.ts";
import { appliedNames, type Level, levelBelow } from "./applied-fields.ts";
import { assignItems } from "./assign-items.ts";
import { type FieldSet, isLeaf, isMember, listFieldsOf, subtree } from "./fields.ts";

/**
 * Whether `fieldsV1` (our Apply entry's) is what an apply of `desired` makes us own: every desired leaf, one to one
 * for list items, **and nothing else** (an apply under our name may have added fields that the next one would take
 * away). Ambiguous is no. It says nothing about the live values: see {@link matchesDesired}.
 */
export function coversDesired(fieldsV1: FieldSet | undefined, desired: KubeObject): boolean {
  return fieldsV1 !== undefined && coversObject(fieldsV1, desired, "root");
}

function covers(fields: FieldSet | undefined, value: unknown, level: Level): boolean {
  if (fields === undefined) return false;
  if (Array.isArray(value)) return coversList(fields, value);
  if (isJsonObject(value)) return coversObject(fields, value, level);
  return isLeaf(fields);
}

function coversObject(fields: FieldSet, value: object, level: Level): boolean {
  const names = appliedNames(value, level);
  // A leaf is a whole atomic map, or the presence of an empty one. Above the content there is neither.
  if (level === "content" && (names.length === 0 || isLeaf(fields))) return isLeaf(fields);
  let covered = 0;
  for (const name of names) {
    const child = fieldOf(value, name);
    const below = levelBelow(level, name);
    // `metadata` with a name and nothing more owns nothing.
    if (below === "metadata" && isJsonObject(child) && appliedNames(child, below).length === 0) continue;
    if (!covers(subtree(fields, `f:${name}`), child, below)) return false;
    covered += 1;
  }
  return covered === countBelow(fields);
}

function countBelow(fields: FieldSet): number {
  let count = 0;
  for (const step in fields) if (step !== ".") count += 1;
  return count;
}

function coversList(fields: FieldSet, items: readonly unknown[]): boolean {
  if (items.length === 0 || isLeaf(fields)) return isLeaf(fields);
  const owned = listFieldsOf(fields);
  switch (owned.kind) {
    case "keyed": {
      if (owned.items.length !== items.length) return false;
      const assigned = assignItems(items, owned);
      return assigned?.every((item, at) => isMember(item.fields) && covers(item.fields, items[at], "content")) ?? false;
    }
    case "set": {
      const values = new Set(owned.items.map((item) => item.text));
      return values.size === items.length && items.every((item) => values.has(canonicalJson(item)));
    }
    case "indexed":
      return (
        owned.items.length === items.length &&
        owned.items.every((item) => covers(item.fields, items[item.index], "content"))
      );
    case "none":
      return false;
  }
}
