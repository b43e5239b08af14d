import type { FieldPath, PathStep } from "../field-path.ts";
import { canonicalJson, isJsonObject } from "../json.ts";
import { fieldOf } from "../json-value.ts";
import type { JsonObject, KubeObject } from "../types.ts";

/**
 * `fieldsV1` of an entry, or a subtree of it: `f:name` is a field, `k:{…}` a list item by its keys, `v:…` the member of
 * a set, `i:n` an index, `.` the node itself. A node without any of them is a leaf: the node itself and, where it is
 * atomic, all below it.
 */
export type FieldSet = JsonObject;

const NOTHING: FieldSet = {};

/** Whether a node has nothing below it. */
export function isLeaf(fields: FieldSet): boolean {
  for (const step in fields) if (step !== ".") return false;
  return true;
}

/** Whether the node itself is owned, not only something below it. */
export function isMember(fields: FieldSet): boolean {
  return "." in fields || isLeaf(fields);
}

/** The subtree behind a raw step such as `f:spec`. */
export function subtree(fields: FieldSet | undefined, step: string): FieldSet | undefined {
  const child = fields?.[step];
  return isJsonObject(child) ? child : undefined;
}

/** A list item that a field set names by its keys. */
export interface KeyedItem {
  readonly key: JsonObject;
  /** The key's values in the order of the list's key names: equal text means the same item. */
  readonly text: string;
  readonly fields: FieldSet;
}

/** A member of a set that a field set names by its value. */
export interface SetItem {
  readonly value: unknown;
  /** Canonical text of the value. */
  readonly text: string;
}

/** The list items that a field set names; `none` where the node is no list, or nothing below it is owned. */
export type ListFields =
  | { readonly kind: "none" }
  | { readonly kind: "keyed"; readonly names: readonly string[]; readonly items: readonly KeyedItem[] }
  | { readonly kind: "set"; readonly items: readonly SetItem[] }
  | { readonly kind: "indexed"; readonly items: readonly { readonly index: number; readonly fields: FieldSet }[] };

/** Reads the list items of a node. A list has one sort of item: the schema makes it a map, a set or (never seen) neither. */
export function listFieldsOf(fields: FieldSet): ListFields {
  const steps = Object.keys(fields).filter((step) => step !== ".");
  switch (steps[0]?.slice(0, 2)) {
    case "k:":
      return keyedFields(fields, steps);
    case "v:":
      return { kind: "set", items: steps.map((step) => setItem(step)) };
    case "i:":
      return {
        kind: "indexed",
        items: steps.map((step) => ({ index: Number(step.slice(2)), fields: subtree(fields, step) ?? NOTHING })),
      };
    default:
      return { kind: "none" };
  }
}

function keyedFields(fields: FieldSet, steps: readonly string[]): ListFields {
  const keys = steps.map(readKey);
  const names = Object.keys(keys[0] ?? NOTHING).sort();
  const items = steps.map((step, at) => {
    const key = keys[at] ?? NOTHING;
    return { key, text: keyText(names, key), fields: subtree(fields, step) ?? NOTHING };
  });
  return { kind: "keyed", names, items };
}

function readKey(step: string): JsonObject {
  const key: unknown = JSON.parse(step.slice(2));
  return isJsonObject(key) ? key : NOTHING;
}

function setItem(step: string): SetItem {
  const value: unknown = JSON.parse(step.slice(2));
  return { value, text: canonicalJson(value) };
}

/** The text that identifies a list item; an absent key counts as null, as the API server writes it. */
export function keyText(names: readonly string[], item: unknown): string {
  let text = "";
  for (const name of names) {
    const value = fieldOf(item, name);
    // Hot: once per list item and event.
    if (typeof value === "string") text += JSON.stringify(value);
    else text += typeof value === "number" ? String(value) : canonicalJson(value);
    text += " ";
  }
  return text;
}

/** The subtree behind one step of a path. */
export function childFields(fields: FieldSet, step: PathStep): FieldSet | undefined {
  if (typeof step === "string") return subtree(fields, `f:${step}`);
  if (typeof step === "number") return subtree(fields, `i:${step}`);
  const list = listFieldsOf(fields);
  if ("value" in step) {
    const wanted = canonicalJson(step.value);
    return list.kind === "set" && list.items.some((item) => item.text === wanted) ? NOTHING : undefined;
  }
  if (list.kind !== "keyed") return undefined;
  const wanted = keyText(list.names, step.key);
  return list.items.find((item) => item.text === wanted)?.fields;
}

/** How a field set relates to one field. */
export type Ownership = "none" | "below" | "owned";

/**
 * Whether the set owns the field at `path`: `owned` where it names the field itself or an atomic parent of it, `below`
 * where it only names something inside it. A leaf on the way counts as atomic, unless `shape` (what anybody owns) has
 * something below it: then it is the presence of an empty map or list.
 */
export function ownershipOf(fields: FieldSet | undefined, path: FieldPath, shape?: FieldSet): Ownership {
  // An empty set at the root owns nothing; anywhere else an empty node is a leaf.
  if (fields === undefined || isLeaf(fields)) return "none";
  let node: FieldSet = fields;
  let shapeNode = shape;
  for (const step of path) {
    const child = childFields(node, step);
    if (child === undefined) return "none";
    shapeNode = shapeNode === undefined ? undefined : childFields(shapeNode, step);
    if (isLeaf(child) && (shapeNode === undefined || isLeaf(shapeNode))) return "owned";
    node = child;
  }
  return isMember(node) ? "owned" : "below";
}

/** All fields of both sets. */
export function unionFields(a: FieldSet, b: FieldSet): FieldSet {
  const union: Record<string, unknown> = { ...a };
  for (const [step, theirs] of Object.entries(b)) {
    const ours = subtree(a, step);
    union[step] = ours === undefined || !isJsonObject(theirs) ? theirs : unionNode(ours, theirs);
  }
  return union;
}

/** What anybody owns of an object: it tells keyed lists, sets and atomic values apart better than one entry does. */
export function shapeOf(object: KubeObject): FieldSet {
  const [first, ...others] = object.metadata.managedFields ?? [];
  return others.reduce<FieldSet>(
    (union, entry) => unionFields(union, entry.fieldsV1 ?? NOTHING),
    first?.fieldsV1 ?? NOTHING,
  );
}

/** As {@link unionFields}, below the root, where an empty node stands for the node itself. */
function unionNode(a: FieldSet, b: FieldSet): FieldSet {
  if (isLeaf(a) && isLeaf(b)) return NOTHING;
  const union = unionFields(a, b);
  return isLeaf(a) || isLeaf(b) ? { ".": {}, ...union } : union;
}
