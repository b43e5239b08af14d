import { createHash } from "node:crypto";
import { canonicalJson, isJsonObject } from "../json.ts";
import { fieldOf } from "../json-value.ts";
import type { KubeObject, ManagedFieldsEntry } from "../types.ts";
import { type EmptyLeaves, emptyLeavesBelow } from "./empty-leaves.ts";
import { type FieldSet, type KeyedItem, keyText, listFieldsOf, type SetItem, subtree } from "./fields.ts";
import { countStrayContent } from "./stray-content.ts";

/** What we own of a live object and how it looks, as two short hashes. Only ever compared with another record. */
export interface OwnedRecord {
  /** Of our entry's fieldsV1 and apiVersion, without its time: what we own. */
  readonly setHash: string;
  /** Of the live object projected on it: values, and the relative order of our list items. */
  readonly valueHash: string;
}

/**
 * The record of `live` on `entry` (our Apply entry), 22 characters a hash; both are "" where the entry is missing, which
 * equals no baseline. Two equal records, the first of them from the response of our own apply, mean that an apply would
 * change nothing, as long as the server's tracking is reliable ({@link trackingReliable}). (Fuzzed on the real API
 * server: the set alone misses reorders and applies under our own manager name.) `emptyLeaves` must be the same for
 * both: {@link emptyLeavesOf}.
 */
export function ownedRecord(
  live: KubeObject,
  entry: ManagedFieldsEntry | undefined,
  emptyLeaves?: EmptyLeaves,
): OwnedRecord {
  if (entry?.fieldsV1 === undefined) return { setHash: "", valueHash: "" };
  // The server writes fieldsV1 sorted, so its text needs no sorting here.
  const set = `${entry.apiVersion ?? ""}\n${JSON.stringify(entry.fieldsV1)}`;
  const stray = emptyLeaves === undefined ? 0 : countStrayContent(live, entry, emptyLeaves);
  const values = project(entry.fieldsV1, live, emptyLeaves);
  return { setHash: hash(set), valueHash: hash(stray === 0 ? values : `${values}stray:${stray}`) };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest().toString("base64url", 0, 16);
}

/** The text of what `fields` owns of `live`. Every value is canonical JSON or one of the marks below, so that none can pose as another. */
function project(fields: FieldSet, live: unknown, leaves: EmptyLeaves | undefined): string {
  const steps = Object.keys(fields);
  const first = steps[0] === "." ? steps[1] : steps[0];
  if (first === undefined) return projectLeaf(live, leaves);
  if (first.startsWith("f:")) return projectFields(fields, live, leaves);
  return projectList(fields, live, leaves);
}

const ABSENT = "~";
const PRESENT = "+";

function projectLeaf(live: unknown, leaves: EmptyLeaves | undefined): string {
  if (leaves?.kind === "empty") return leaves.isStored && live === undefined ? ABSENT : PRESENT;
  if (live === undefined) return ABSENT;
  return typeof live === "string" ? JSON.stringify(live) : canonicalJson(live);
}

function projectFields(fields: FieldSet, live: unknown, leaves: EmptyLeaves | undefined): string {
  let text = live === undefined ? ABSENT : "{";
  for (const step of Object.keys(fields)) {
    const child = subtree(fields, step);
    if (step === "." || child === undefined) continue;
    const name = step.slice(2);
    const below = leaves === undefined ? undefined : emptyLeavesBelow(leaves, name);
    text += `${step}:${project(child, fieldOf(live, name), below)}\n`;
  }
  return `${text}}`;
}

function projectList(fields: FieldSet, live: unknown, leaves: EmptyLeaves | undefined): string {
  const owned = listFieldsOf(fields);
  if (!Array.isArray(live) || owned.kind === "none") return live === undefined ? ABSENT : canonicalJson(live);
  switch (owned.kind) {
    case "keyed":
      return projectKeyed(live, owned, leaves);
    case "set":
      return projectSet(live, owned.items);
    case "indexed":
      return owned.items.map((item) => `${item.index}:${project(item.fields, live[item.index], undefined)}`).join("\n");
  }
}

/** Our items in live order. Twice the same key is twice in the text: an apply would merge the two. */
function projectKeyed(
  live: readonly unknown[],
  owned: { readonly names: readonly string[]; readonly items: readonly KeyedItem[] },
  leaves: EmptyLeaves | undefined,
): string {
  const ours = new Map(owned.items.map((item) => [item.text, item]));
  const found = new Set<string>();
  let text = "[";
  for (const value of live) {
    const key = keyText(owned.names, value);
    const item = ours.get(key);
    if (item === undefined) continue;
    found.add(key);
    const below = leaves === undefined ? undefined : emptyLeavesBelow(leaves, item.key);
    text += `${key}:${project(item.fields, value, below)}\n`;
  }
  // The server fills in the keys of every item it stores. Should it not, the whole list counts.
  return found.size === ours.size || live.every((item) => hasAll(item, owned.names)) ? `${text}]` : canonicalJson(live);
}

function hasAll(item: unknown, names: readonly string[]): boolean {
  return isJsonObject(item) && names.every((name) => item[name] !== undefined);
}

function projectSet(live: readonly unknown[], owned: readonly SetItem[]): string {
  const ours = new Set(owned.map((item) => item.text));
  return `[${live
    .map((item) => canonicalJson(item))
    .filter((text) => ours.has(text))
    .join("\n")}]`;
}
