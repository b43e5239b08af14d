import { canonicalJson, isJsonObject } from "../json.ts";
import { equalJson, fieldOf, isEmptyContainer } from "../json-value.ts";
import type { KubeObject } from "../types.ts";
import { appliedNames, type Level, levelBelow } from "./applied-fields.ts";
import { assignItems, type KeyedList } from "./assign-items.ts";
import { atomicDefaultsOf, equalsAtomic } from "./atomic-defaults.ts";
import {
  childFields,
  type FieldSet,
  isLeaf,
  type KeyedItem,
  keyText,
  listFieldsOf,
  type SetItem,
  shapeOf,
  subtree,
} from "./fields.ts";

/**
 * Whether the live values and the relative order of our list items equal the desired ones, leaf by leaf, as text.
 * `fieldsV1` is our Apply entry's and tells keyed lists, sets and atomic values apart. "Yes" means that an apply
 * changes nothing, provided {@link coversDesired}; "no" may only mean that the server writes the same differently (a
 * quantity, a dropped zero value) and costs one apply without effect.
 */
export function matchesDesired(live: KubeObject, desired: KubeObject, fieldsV1: FieldSet | undefined): boolean {
  if (fieldsV1 === undefined) return false;
  const place = { live, desired, fields: fieldsV1, shape: shapeOf(live), defaults: atomicDefaultsOf(desired) };
  return matchesObject(place, "root");
}

interface Place<Desired> {
  readonly live: unknown;
  readonly desired: Desired;
  /** What we own here. */
  readonly fields: FieldSet | undefined;
  /** What anybody owns here. */
  readonly shape: FieldSet | undefined;
  /** What the server may have added inside an atomic value. */
  readonly defaults: ReadonlyMap<string, unknown>;
}

function matches(place: Place<unknown>, level: Level): boolean {
  const { live, desired, fields, shape, defaults } = place;
  if (isEmptyContainer(desired)) return level !== "content" || matchesEmpty(place);
  const isAtomic = fields === undefined || isLeaf(fields);
  // Where others own something inside, our leaf is no atomic value but the presence of an empty one: not what we want.
  if (isAtomic && level === "content")
    return (shape === undefined || isLeaf(shape)) && equalsAtomic(live, desired, defaults);
  if (Array.isArray(desired)) return matchesList({ ...place, desired });
  return isJsonObject(desired) ? matchesObject({ ...place, desired }, level) : equalJson(live, desired);
}

/** An empty map or list of ours may hold what others own; where nobody does, the text decides: it could be atomic. */
function matchesEmpty({ live, desired, shape }: Place<unknown>): boolean {
  if (equalJson(live, desired)) return true;
  const isSameSort = Array.isArray(desired) ? Array.isArray(live) : isJsonObject(live);
  return isSameSort && shape !== undefined && !isLeaf(shape);
}

function matchesObject({ live, desired, fields, shape, defaults }: Place<object>, level: Level): boolean {
  if (!isJsonObject(live)) return false;
  return appliedNames(desired, level).every((name) =>
    matches(
      {
        live: fieldOf(live, name),
        desired: fieldOf(desired, name),
        fields: subtree(fields, `f:${name}`),
        shape: subtree(shape, `f:${name}`),
        defaults,
      },
      levelBelow(level, name),
    ),
  );
}

function matchesList(place: Place<readonly unknown[]>): boolean {
  const { live, desired, fields } = place;
  if (!Array.isArray(live) || fields === undefined) return false;
  const owned = listFieldsOf(fields);
  switch (owned.kind) {
    case "keyed":
      return matchesKeyedList(place, live, owned);
    case "set":
      return equalJson(desired, ownedMembers(live, owned.items));
    case "indexed":
    case "none":
      return equalJson(live, desired);
  }
}

function matchesKeyedList(
  { desired, shape, defaults }: Place<readonly unknown[]>,
  live: readonly unknown[],
  owned: KeyedList,
): boolean {
  const assigned = assignItems(desired, owned);
  if (assigned === undefined) return false;
  const ours = new Set(assigned.map((item) => item.text));
  // Ours in live order. A key that occurs twice makes it longer than the desired list: an apply would merge the two.
  const liveItems = live.filter((item) => ours.has(keyText(owned.names, item)));
  return (
    liveItems.length === desired.length &&
    assigned.every(
      (item, at) =>
        keyText(owned.names, liveItems[at]) === item.text &&
        matches(
          { live: liveItems[at], desired: desired[at], fields: item.fields, shape: itemShape(shape, item), defaults },
          "content",
        ),
    )
  );
}

function itemShape(shape: FieldSet | undefined, item: KeyedItem): FieldSet | undefined {
  return shape === undefined ? undefined : childFields(shape, { key: item.key });
}

function ownedMembers(live: readonly unknown[], owned: readonly SetItem[]): readonly unknown[] {
  const ours = new Set(owned.map((item) => item.text));
  return live.filter((item) => ours.has(canonicalJson(item)));
}
