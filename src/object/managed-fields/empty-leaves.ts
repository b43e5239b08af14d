import { isJsonObject } from "../json.ts";
import { equalJson, fieldNamesOf, fieldOf, isEmptyContainer } from "../json-value.ts";
import type { JsonObject, KubeObject } from "../types.ts";
import { appliedNames } from "./applied-fields.ts";
import { type FieldSet, keyText, listFieldsOf, subtree } from "./fields.ts";

/**
 * Where the desired object has an empty container (`{}`, `[]`) or null. Our owning it means its presence only: what is
 * inside belongs to others. A tree of the few such places, undefined where there is none.
 */
export type EmptyLeaves =
  | {
      readonly kind: "empty";
      /** Whether the server stores the empty value; built-in types drop most, and then its absence is no drift. */
      readonly isStored: boolean;
      /** Whether the value was empty after our apply: schema defaults may have filled it at once. */
      readonly wasEmpty: boolean;
    }
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, EmptyLeaves> }
  | { readonly kind: "list"; readonly items: readonly EmptyLeavesOfItem[] };

interface EmptyLeavesOfItem {
  /** The item's scalar fields: its keys are among them. */
  readonly scalars: JsonObject;
  readonly leaves: EmptyLeaves;
}

/**
 * The empty leaves of `desired`, for {@link ownedRecord}. Compute it from the response of an apply (`baseline`, with
 * our entry's `fieldsV1`) where there is one: a value that the server dropped at once is then not expected to be there.
 */
export function emptyLeavesOf(
  desired: KubeObject,
  baseline?: { readonly live: KubeObject; readonly fieldsV1: FieldSet | undefined },
): EmptyLeaves | undefined {
  // Hot: mostly there is none, and then nothing need be compared.
  if (!holdsEmpty(desired)) return undefined;
  const names = appliedNames(desired, "root");
  return ofObject(desired, names, {
    live: baseline?.live,
    fields: baseline?.fieldsV1,
    isKnown: baseline !== undefined,
  });
}

/** Whether an empty container or null is anywhere in the value. */
function holdsEmpty(value: unknown): boolean {
  if (typeof value !== "object") return false;
  if (value === null) return true;
  let isEmpty = true;
  for (const name in value) {
    const child: unknown = Reflect.get(value, name);
    if (child === undefined) continue;
    if (holdsEmpty(child)) return true;
    isEmpty = false;
  }
  return isEmpty;
}

interface Baseline {
  readonly live: unknown;
  readonly fields: FieldSet | undefined;
  readonly isKnown: boolean;
}

const UNKNOWN: Baseline = { live: undefined, fields: undefined, isKnown: false };

function ofValue(desired: unknown, baseline: Baseline): EmptyLeaves | undefined {
  if (desired === null || isEmptyContainer(desired)) {
    const wasEmpty = baseline.live === undefined || baseline.live === null || isEmptyContainer(baseline.live);
    return {
      kind: "empty",
      isStored: !baseline.isKnown || baseline.live !== undefined,
      wasEmpty: baseline.isKnown && wasEmpty,
    };
  }
  if (Array.isArray(desired)) return ofList(desired, baseline);
  return isJsonObject(desired) ? ofObject(desired, fieldNamesOf(desired), baseline) : undefined;
}

function ofObject(desired: object, names: readonly string[], baseline: Baseline): EmptyLeaves | undefined {
  const fields = new Map<string, EmptyLeaves>();
  for (const name of names) {
    const leaves = ofValue(fieldOf(desired, name), {
      ...baseline,
      live: fieldOf(baseline.live, name),
      fields: subtree(baseline.fields, `f:${name}`),
    });
    if (leaves !== undefined) fields.set(name, leaves);
  }
  return fields.size === 0 ? undefined : { kind: "object", fields };
}

function ofList(desired: readonly unknown[], baseline: Baseline): EmptyLeaves | undefined {
  const items: EmptyLeavesOfItem[] = [];
  for (const item of desired) {
    const scalars = scalarsOf(item);
    const leaves = ofValue(item, baselineOfItem(baseline, scalars));
    if (leaves !== undefined) items.push({ scalars, leaves });
  }
  return items.length === 0 ? undefined : { kind: "list", items };
}

function baselineOfItem({ live, fields, isKnown }: Baseline, scalars: JsonObject): Baseline {
  const owned = fields === undefined ? undefined : listFieldsOf(fields);
  if (!isKnown || owned?.kind !== "keyed" || !Array.isArray(live)) return UNKNOWN;
  const item = owned.items.find((candidate) => isItem(scalars, candidate.key));
  if (item === undefined) return UNKNOWN;
  const found: unknown = live.find((candidate) => keyText(owned.names, candidate) === item.text);
  return { live: found, fields: item.fields, isKnown };
}

/** The empty leaves of the field `name`, or of the list item with these keys. */
export function emptyLeavesBelow(leaves: EmptyLeaves | undefined, step: string | JsonObject): EmptyLeaves | undefined {
  if (leaves === undefined) return undefined;
  if (typeof step === "string") return leaves.kind === "object" ? leaves.fields.get(step) : undefined;
  return leaves.kind === "list" ? leaves.items.find((item) => isItem(item.scalars, step))?.leaves : undefined;
}

/** Whether a desired item with these scalars can be the owned item with this key: a key it lacks is a default. */
function isItem(scalars: JsonObject, key: JsonObject): boolean {
  return fieldNamesOf(key).every((name) => {
    const value = fieldOf(scalars, name);
    return value === undefined || equalJson(value, fieldOf(key, name));
  });
}

function scalarsOf(item: unknown): JsonObject {
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(Object.entries(item).filter(([, value]) => typeof value !== "object"));
}
