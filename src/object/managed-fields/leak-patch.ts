import type { FieldPath } from "../field-path.ts";
import { guardedPatch, type JsonPatch, jsonPointer } from "../json-patch.ts";
import type { KubeObject } from "../types.ts";
import { type FieldSet, ownershipOf, shapeOf, unionFields } from "./fields.ts";
import { type OwnedExtra, ownedBeyond } from "./owned-beyond.ts";

/** The manager to which the server gives what an object held before its first apply: it stands for nobody. */
const BEFORE_FIRST_APPLY = "before-first-apply";

/**
 * Removes what an apply should have removed: fields that we owned before (`ownedBefore`: fieldsV1 of our entry then),
 * that `desired` lacks, that `live` (the response of the apply) still has, and that nobody owns now. It happens where
 * our entry was lost or named a version that is gone (traps 13 to 15). Undefined where nothing leaked.
 *
 * Use it only after such a loss: a field that the server itself defaulted after we dropped it is owned by nobody too.
 */
export function leakPatch(live: KubeObject, ownedBefore: FieldSet, desired: KubeObject): JsonPatch | undefined {
  const entries = (live.metadata.managedFields ?? []).filter((entry) => entry.manager !== BEFORE_FIRST_APPLY);
  // An empty list that we own now was no atomic one where we owned its items before.
  const shape = unionFields(shapeOf(live), ownedBefore);
  const isOwned = (path: FieldPath): boolean =>
    entries.some((entry) => ownershipOf(entry.fieldsV1, path, shape) !== "none");
  const leaked = ownedBeyond(ownedBefore, desired, live).filter((extra) => !isOwned(extra.path));
  if (leaked.length === 0) return undefined;
  // Later list items first, so that the indices of the earlier ones stay true.
  const operations = leaked
    .toSorted(compareBackwards)
    .map((extra) => ({ op: "remove", path: jsonPointer(extra.pointer) }) as const);
  return guardedPatch(live, operations);
}

/** Total order of pointers, list indices downwards. */
function compareBackwards(a: OwnedExtra, b: OwnedExtra): number {
  for (const [at, step] of a.pointer.entries()) {
    const other = b.pointer[at];
    if (other === undefined) return 1;
    if (step === other) continue;
    if (typeof step === "number" && typeof other === "number") return other - step;
    return String(step) < String(other) ? -1 : 1;
  }
  return -1;
}
