import { parseCausePath } from "./cause-path.ts";
import { canonicalJson, isJsonObject } from "./json.ts";
import { guardedPatch, type JsonPatch, type JsonPatchOperation, jsonPointer } from "./json-patch.ts";
import { equalJson, fieldOf, isEmptyContainer } from "./json-value.ts";
import { guessKeyNames, keyOf } from "./list-keys.ts";
import { looksEqual } from "./looks-equal.ts";
import type { KubeObject } from "./types.ts";

/**
 * The second step of a repair that an apply alone cannot do: a list key or a union member was changed by others (or by
 * the file, against a server default), and the apply, which merges, is refused with 422 for ever. The patches replace an
 * enclosing parent of each field in `causes` (the answers' `status.details.causes`), a list item or a struct, by its
 * desired value: as JSON patch guarded by resourceVersion. Then apply, and drop the Update entry that the patch leaves.
 *
 * The narrowest comes first. Where it or the apply after it is refused too (a volume without the one it goes with, an
 * item of others that our fields alone keep valid), each further one takes the parents one step wider, up to a field of
 * `spec` (`parent-repair.ts` goes from one to the next). Empty where no parent smaller than `spec` helps.
 *
 * The index in a cause's path counts in the merged list, which nobody has seen: what tells the item is that its desired
 * content is not in the live one. Where no item can be told, the whole list is replaced.
 */
export function replaceParentPatches(
  live: KubeObject,
  desired: KubeObject,
  causes: readonly { readonly field?: string }[],
): readonly JsonPatch[] {
  const patches = new Map<string, JsonPatch>();
  let places = causes.flatMap(({ field }) => narrowest({ live, desired, pointer: [] }, field));
  for (;;) {
    const operations = new Map(places.flatMap(replacement).map((operation) => [operation.path, operation]));
    const outermost = [...operations.values()].filter(({ path }) => !hasParent(path, operations));
    const key = outermost.map(({ path }) => path).join();
    if (key !== "" && !patches.has(key)) patches.set(key, guardedPatch(live, outermost));
    if (!places.some(isWidenable)) return [...patches.values()];
    places = places.map((place) => (isWidenable(place) ? place.parent : place));
  }
}

interface Place {
  readonly live: unknown;
  readonly desired: unknown;
  readonly pointer: readonly (string | number)[];
  readonly parent?: Place;
}

type Steps = readonly (string | number)[];

function childOf(place: Place, name: string): Place {
  return {
    live: fieldOf(place.live, name),
    desired: fieldOf(place.desired, name),
    pointer: [...place.pointer, name],
    parent: place,
  };
}

/** What others noted in `metadata` is no part of a repair. */
function narrowest(root: Place, field: string | undefined): readonly Place[] {
  const steps = field === undefined ? undefined : parseCausePath(field);
  return steps === undefined || steps[0] === "metadata" ? [] : descend(root, steps);
}

/** The narrowest places that enclose the field at `steps` and that both sides have; a field of the root stands for itself. */
function descend(place: Place, [step, ...rest]: Steps): readonly Place[] {
  if (step === undefined) return [place];
  if (typeof step === "number") return descendList(place, rest);
  const child = childOf(place, step);
  if (isContainer(child.live) && isContainer(child.desired)) return descend(child, rest);
  return [place.pointer.length === 1 ? child : place];
}

function descendList(place: Place, rest: Steps): readonly Place[] {
  const { live, desired, pointer } = place;
  if (!Array.isArray(live) || !Array.isArray(desired)) return [place];
  // By name where there is one, not by the schema's key: a port whose number was changed is still that port.
  const names = guessKeyNames(live, desired);
  if (names === undefined) return [place];
  const identity = (item: unknown): string => canonicalJson(keyOf(item, names));
  const indices = new Map(live.map((item, index) => [identity(item), index]));
  const places: Place[] = [];
  for (const item of desired) {
    const index = indices.get(identity(item));
    if (index === undefined || looksEqual(item, live[index])) continue;
    const below: Place = { live: live[index], desired: item, pointer: [...pointer, index], parent: place };
    if (hasField(below, rest[0])) places.push(...descend(below, rest));
  }
  return places.length > 0 ? places : [place];
}

/** Whether the field that a cause names next can be in this item at all. */
function hasField({ live, desired }: Place, step: string | number | undefined): boolean {
  if (typeof step !== "string") return true;
  return fieldOf(live, step) !== undefined || fieldOf(desired, step) !== undefined;
}

/** Whether what encloses a place is still smaller than a field of the root. */
function isWidenable(place: Place): place is Place & { readonly parent: Place } {
  return place.parent !== undefined && place.parent.pointer.length > 1;
}

/** Puts the desired value in place; a field directly below the root is only removed, where it is nothing desired. */
function replacement({ live, desired, pointer }: Place): readonly JsonPatchOperation[] {
  const path = jsonPointer(pointer);
  if (pointer.length < 2 || live === undefined) return [];
  if (desired === undefined) return pointer.length === 2 ? [{ op: "remove", path }] : [];
  if (!isContainer(desired) || equalJson(live, desired)) return [];
  // Emptying a map of ours ends in null (422 "must be of type object"); once it is gone, an apply makes it anew.
  if (isEmptyContainer(desired)) return [{ op: "remove", path }];
  return [{ op: "replace", path, value: desired }];
}

function hasParent(path: string, operations: ReadonlyMap<string, JsonPatchOperation>): boolean {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    if (operations.has(path.slice(0, end))) return true;
  }
  return false;
}

function isContainer(value: unknown): boolean {
  return isJsonObject(value) || Array.isArray(value);
}
