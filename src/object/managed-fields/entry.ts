import type { FieldPath } from "../field-path.ts";
import { parseApiVersion } from "../ref.ts";
import type { KubeObject, ManagedFieldsEntry } from "../types.ts";
import { ownershipOf } from "./fields.ts";

/** How a manager writes: server-side apply, or anything else. */
export type ManagerOperation = "Apply" | "Update";

/**
 * The managedFields entry of a manager for the object itself, or undefined. What the same manager wrote through a
 * subresource (`scale`, `status`) is an entry of its own and never returned.
 */
export function entryOf(
  object: KubeObject,
  manager: string,
  operation: ManagerOperation,
): ManagedFieldsEntry | undefined {
  return object.metadata.managedFields?.find((entry) => isEntryOf(entry, manager, operation));
}

/** Whether an entry is the one that {@link entryOf} means. */
export function isEntryOf(entry: ManagedFieldsEntry, manager: string, operation: ManagerOperation): boolean {
  return entry.manager === manager && entry.operation === operation && (entry.subresource ?? "") === "";
}

/** Whether the entry owns the field itself, or an atomic parent of it. Owning only something inside it is not enough. */
export function ownsField(entry: ManagedFieldsEntry | undefined, path: FieldPath): boolean {
  return ownershipOf(entry?.fieldsV1, path) === "owned";
}

/** Whether the entry owns the label `key`. With our Apply entry this is the proof of ownership that copies do not have. */
export function ownsLabel(entry: ManagedFieldsEntry | undefined, key: string): boolean {
  return ownsField(entry, ["metadata", "labels", key]);
}

/**
 * Whether the API server tracks this object's fields: false as soon as one entry, of anybody, names a version that is
 * not served any more (`servedVersions`: the versions of the object's own group, such as `v1`). From then on a foreign
 * write changes our fields and leaves our entry as it was, and an apply answers 500 (seen on 1.37 with custom
 * resources). Migrate the entries, then apply. An entry of another group (`extensions/v1beta1` on an Ingress) counts
 * as not served.
 */
export function trackingReliable(object: KubeObject, servedVersions: Iterable<string>): boolean {
  const { group } = parseApiVersion(object.apiVersion);
  const served = new Set(servedVersions);
  return (object.metadata.managedFields ?? []).every((entry) => {
    if (entry.apiVersion === undefined || entry.apiVersion === object.apiVersion) return true;
    const named = parseApiVersion(entry.apiVersion);
    return named.group === group && served.has(named.version);
  });
}
