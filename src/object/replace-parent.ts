import { parseCausePath } from "./cause-path.ts";
import { canonicalJson, isJsonObject } from "./json.ts";
import { guardedPatch, type JsonPatch, type JsonPatchOperation, jsonPointer } from "./json-patch.ts";
import { equalJson, fieldOf, isEmptyContainer } from "./json-value.ts";
import { guessKeyNames, keyOf } from "./list-keys.ts";
import { looksEqual } from "./looks-equal.ts";
import type { KubeObject } from "./types.ts";

/**
 * The second step of a repair that an apply alone cannot do: a list key or a union member was changed by others (or by
 * the file, against a server default), and the apply, which merges, is refused with 422 for ever. Replaces the smallest
 * enclosing parent of each field in `causes` (the answer's `status.details.causes`), a list item or a struct, by its
 * desired value: as JSON patch guarded by resourceVersion. Then apply, and drop the Update entry that the patch leaves.
 *
 * The index in a cause's path counts in the merged list, which nobody has seen: what tells the item is that its desired
 * content is not in the live one. Where no item can be told, the whole list is replaced. Undefined where no parent
 * smaller than `spec` can be.
 */
export function replaceParentPatch(
  live: KubeObject,
  desired: KubeObject,
  causes: readonly { readonly field?: string }[],
): JsonPatch | undefined {
  const operations = new Map<string, JsonPatchOperation>();
  for (const { field } of causes) {
    const steps = field === undefined ? undefined : parseCausePath(field);
    if (steps === undefined) continue;
    for (const operation of descend({ live, desired, pointer: [] }, steps)) operations.set(operation.path, operation);
  }
  const outermost = [...operations.values()].filter(({ path }) => !hasParent(path, operations));
  return outermost.length === 0 ? undefined : guardedPatch(live, outermost);
}

interface Place {
  readonly live: unknown;
  readonly desired: unknown;
  readonly pointer: readonly (string | number)[];
}

type Steps = readonly (string | number)[];

function descend(place: Place, [step, ...rest]: Steps): readonly JsonPatchOperation[] {
  if (step === undefined) return replaceAt(place, undefined);
  if (typeof step === "number") return descendList(place, rest);
  const child: Place = {
    live: fieldOf(place.live, step),
    desired: fieldOf(place.desired, step),
    pointer: [...place.pointer, step],
  };
  const isInBoth = isContainer(child.live) && isContainer(child.desired);
  return isInBoth ? descend(child, rest) : replaceAt(place, step);
}

function descendList(place: Place, rest: Steps): readonly JsonPatchOperation[] {
  const { live, desired, pointer } = place;
  if (!Array.isArray(live) || !Array.isArray(desired)) return replaceAt(place, undefined);
  // By name where there is one, not by the schema's key: a port whose number was changed is still that port.
  const names = guessKeyNames(live, desired);
  if (names === undefined) return replaceAt(place, undefined);
  const identity = (item: unknown): string => canonicalJson(keyOf(item, names));
  const indices = new Map(live.map((item, index) => [identity(item), index]));
  const operations: JsonPatchOperation[] = [];
  for (const item of desired) {
    const index = indices.get(identity(item));
    if (index === undefined || isSameItem(item, live[index])) continue;
    operations.push(...descend({ live: live[index], desired: item, pointer: [...pointer, index] }, rest));
  }
  return operations.length > 0 ? operations : replaceAt(place, undefined);
}

/** `protocol` is the one key that manifests leave to its default, TCP. */
function isSameItem(desired: unknown, live: unknown): boolean {
  const isDefaulted = fieldOf(desired, "protocol") === undefined;
  return looksEqual(desired, live) && !(isDefaulted && ["UDP", "SCTP"].includes(String(fieldOf(live, "protocol"))));
}

/** Replaces this node; directly below the root only `offender` is removed, where it is nothing desired. */
function replaceAt({ live, desired, pointer }: Place, offender: string | undefined): readonly JsonPatchOperation[] {
  if (pointer.length > 1) {
    const isOver = desired === undefined || live === undefined || equalJson(live, desired);
    if (isOver) return [];
    // Emptying a map of ours ends in null (422 "must be of type object"); once it is gone, an apply makes it anew.
    if (isEmptyContainer(desired)) return [{ op: "remove", path: jsonPointer(pointer) }];
    return [{ op: "replace", path: jsonPointer(pointer), value: desired }];
  }
  if (offender === undefined || pointer.length === 0 || fieldOf(desired, offender) !== undefined) return [];
  return fieldOf(live, offender) === undefined ? [] : [{ op: "remove", path: jsonPointer([...pointer, offender]) }];
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
