import { isJsonObject } from "../json.ts";
import { fieldOf, isEmptyContainer } from "../json-value.ts";
import type { KubeObject, ManagedFieldsEntry } from "../types.ts";
import { type EmptyLeaves, emptyLeavesBelow } from "./empty-leaves.ts";
import {
  childFields,
  type FieldSet,
  isLeaf,
  type KeyedItem,
  keyText,
  listFieldsOf,
  subtree,
  unionFields,
} from "./fields.ts";

/**
 * How many of our empty leaves hold something that nobody else owns, although they were empty after our apply. That is
 * no addition by others, which would be theirs: the value is atomic, and somebody wrote it under our name.
 */
export function countStrayContent(live: KubeObject, ours: ManagedFieldsEntry, leaves: EmptyLeaves): number {
  // Mostly nothing is filled, and then who owns what need not be known.
  if (count({ live, fields: ours.fieldsV1, shape: undefined }, leaves) === 0) return 0;
  const others = (live.metadata.managedFields ?? []).filter((entry) => entry !== ours);
  const shape = others.reduce<FieldSet>((union, entry) => unionFields(union, entry.fieldsV1 ?? {}), {});
  return count({ live, fields: ours.fieldsV1, shape }, leaves);
}

interface Place {
  readonly live: unknown;
  /** What we own here. */
  readonly fields: FieldSet | undefined;
  /** What others own here. */
  readonly shape: FieldSet | undefined;
}

function count({ live, fields, shape }: Place, leaves: EmptyLeaves): number {
  switch (leaves.kind) {
    case "empty": {
      const isFilled = (isJsonObject(live) || Array.isArray(live)) && !isEmptyContainer(live);
      return leaves.wasEmpty && isFilled && (shape === undefined || isLeaf(shape)) ? 1 : 0;
    }
    case "object":
      return [...leaves.fields].reduce((sum, [name, below]) => {
        const step = `f:${name}`;
        const place = { live: fieldOf(live, name), fields: subtree(fields, step), shape: subtree(shape, step) };
        return sum + count(place, below);
      }, 0);
    case "list":
      return countInList({ live, fields, shape }, leaves);
  }
}

function countInList({ live, fields, shape }: Place, leaves: EmptyLeaves): number {
  const owned = fields === undefined ? undefined : listFieldsOf(fields);
  if (!Array.isArray(live) || owned?.kind !== "keyed") return 0;
  return owned.items.reduce((sum, item) => {
    const below = emptyLeavesBelow(leaves, item.key);
    if (below === undefined) return sum;
    return (
      sum +
      count({ live: findItem(live, owned.names, item), fields: item.fields, shape: itemShape(shape, item) }, below)
    );
  }, 0);
}

function findItem(live: readonly unknown[], names: readonly string[], item: KeyedItem): unknown {
  return live.find((candidate) => keyText(names, candidate) === item.text);
}

function itemShape(shape: FieldSet | undefined, item: KeyedItem): FieldSet | undefined {
  return shape === undefined ? undefined : childFields(shape, { key: item.key });
}
