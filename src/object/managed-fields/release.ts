import { guardedPatch, type JsonPatch, type JsonPatchOperation, jsonPointer } from "../json-patch.ts";
import type { KubeObject, ManagedFieldsEntry } from "../types.ts";
import { KEELSON_PREFIX } from "../well-known.ts";
import { ownsField } from "./entry.ts";

/** What {@link releasePatch} takes off an object. */
export interface ReleaseOptions {
  /** Our field manager: all of its entries go. */
  readonly manager: string;
  /** The labels that make an object one of a pruned class; removed whoever owns them. */
  readonly classLabels: readonly string[];
}

/**
 * Lets go of an object that must not be deleted: one JSON patch, guarded by resourceVersion, that removes the class
 * labels, our `keelson.dev/*` annotations, the labels and annotations that nobody but us owns, and our managedFields
 * entries. All other values stay. Undefined where nothing of that is there.
 */
export function releasePatch(live: KubeObject, { manager, classLabels }: ReleaseOptions): JsonPatch | undefined {
  const entries = live.metadata.managedFields ?? [];
  const owners: Owners = {
    ours: entries.filter((entry) => entry.manager === manager),
    others: entries.filter((entry) => entry.manager !== manager),
  };
  const operations = [
    ...removals(live, { map: "labels", owners, isAlways: (name) => classLabels.includes(name) }),
    ...removals(live, { map: "annotations", owners, isAlways: (name) => name.startsWith(KEELSON_PREFIX) }),
  ];
  // `[]` wipes the field where we were the only manager: just what is meant.
  if (owners.ours.length > 0) {
    operations.push({ op: "replace", path: "/metadata/managedFields", value: owners.others });
  }
  return operations.length === 0 ? undefined : guardedPatch(live, operations);
}

interface Owners {
  readonly ours: readonly ManagedFieldsEntry[];
  readonly others: readonly ManagedFieldsEntry[];
}

interface Removal {
  readonly map: "labels" | "annotations";
  readonly owners: Owners;
  /** Whether a name goes whoever owns it. */
  readonly isAlways: (name: string) => boolean;
}

function removals(live: KubeObject, { map, owners, isAlways }: Removal): JsonPatchOperation[] {
  const isOurs = (name: string): boolean => {
    const owns = (entry: ManagedFieldsEntry): boolean => ownsField(entry, ["metadata", map, name]);
    return owners.ours.some(owns) && !owners.others.some(owns);
  };
  return Object.keys(live.metadata[map] ?? {})
    .filter((name) => isAlways(name) || isOurs(name))
    .map((name) => ({ op: "remove", path: jsonPointer(["metadata", map, name]) }));
}
