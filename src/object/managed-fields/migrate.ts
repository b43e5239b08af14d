import { guardedPatch, type JsonPatch } from "../json-patch.ts";
import { equalJson } from "../json-value.ts";
import type { JsonObject, KubeObject, ManagedFieldsEntry } from "../types.ts";
import { LAST_APPLIED_ANNOTATION } from "../well-known.ts";
import { entryOf, isEntryOf, ownsField } from "./entry.ts";
import { type FieldSet, unionFields } from "./fields.ts";

/** New managedFields, as data and as the request that writes them. */
export interface ManagersMigration {
  /** JSON patch guarded by resourceVersion: 409 Conflict where the object moved meanwhile; then look again. */
  readonly patch: JsonPatch;
  readonly managedFields: readonly ManagedFieldsEntry[];
  /** What entries owned that were dropped and not merged: after the next apply, {@link leakPatch} it. */
  readonly orphaned: FieldSet;
}

/** Managers by which client-side tools are known. Compared whole: `kubectl-edit` and `kubectl-rollout` are a user's intent. */
export const CLIENT_SIDE_MANAGERS: readonly string[] = [
  "kubectl-client-side-apply",
  "kubectl-create",
  "kubectl",
  "before-first-apply",
  "helm",
  "addon-manager",
];

/** Who takes over from whom. */
export interface TakeOverOptions {
  /** Our field manager. Its own Update entry (a POST of ours) is always taken over. */
  readonly manager: string;
  /** Names of client-side managers, compared whole. Default: {@link CLIENT_SIDE_MANAGERS}. */
  readonly clientSideManagers?: readonly string[];
}

/**
 * Turns what client-side tools own of `live` into ours, so that a field dropped from the manifest is dropped from the
 * object by the next apply (client-go's csaupgrade). Client-side entries are the Update entries of the named managers
 * and of whoever owns kubectl's last-applied annotation. Without an Apply entry of ours the most recent one becomes it;
 * the others of the same apiVersion are merged into it, of other versions only their metadata (whose fields do not
 * depend on the version). Entries of subresources stay. Undefined where there is nothing to do.
 */
export function takeOver(live: KubeObject, options: TakeOverOptions): ManagersMigration | undefined {
  const { manager, clientSideManagers = CLIENT_SIDE_MANAGERS } = options;
  const names = new Set([manager, ...clientSideManagers, ...lastAppliedWriters(live)]);
  return absorb(live, manager, (entry) => isUpdateOf(entry, names));
}

/**
 * Turns the Apply entry of another server-side applier, which gives the object up, into ours, or merges it into ours, so
 * that a field dropped from the manifest is dropped from the object by the next apply. Undefined where there is none.
 */
export function takeApplyEntry(
  live: KubeObject,
  { manager, from }: { readonly manager: string; readonly from: string },
): ManagersMigration | undefined {
  return absorb(live, manager, (entry) => isEntryOf(entry, from, "Apply"));
}

/**
 * Turns our Update entry (an object that we created by POST and only ensured) into our Apply entry, so that the next
 * apply removes what is not desired. Undefined where there is none.
 */
export function promoteUpdateEntry(live: KubeObject, manager: string): ManagersMigration | undefined {
  return absorb(live, manager, (entry) => isUpdateOf(entry, new Set([manager])));
}

function isUpdateOf(entry: ManagedFieldsEntry, names: ReadonlySet<string>): boolean {
  return entry.operation === "Update" && (entry.subresource ?? "") === "" && names.has(entry.manager ?? "");
}

function absorb(
  live: KubeObject,
  manager: string,
  isTaken: (entry: ManagedFieldsEntry) => boolean,
): ManagersMigration | undefined {
  const entries = live.metadata.managedFields ?? [];
  const taken = entries.filter(isTaken).toSorted(byTimeDescending);
  const base = entryOf(live, manager, "Apply") ?? taken[0];
  if (taken.length === 0 || base === undefined) return undefined;

  let fieldsV1 = base.fieldsV1 ?? {};
  let orphaned: FieldSet = {};
  for (const entry of taken.filter((each) => each !== base)) {
    const isSameVersion = entry.apiVersion === base.apiVersion;
    fieldsV1 = unionFields(fieldsV1, isSameVersion ? (entry.fieldsV1 ?? {}) : metadataOf(entry));
    if (!isSameVersion) orphaned = unionFields(orphaned, entry.fieldsV1 ?? {});
  }
  const ours: ManagedFieldsEntry = { ...base, manager, operation: "Apply", fieldsV1 };
  const rest = entries.filter((entry) => entry !== base && !isTaken(entry));
  return migration(live, [ours, ...rest], orphaned);
}

/**
 * Drops our Update entry, which a repair by JSON patch leaves: it would keep alive what a later apply drops. Only right
 * while our Apply entry owns the same fields. Undefined where there is none.
 */
export function dropUpdateEntry(live: KubeObject, manager: string): ManagersMigration | undefined {
  const entries = live.metadata.managedFields ?? [];
  const kept = entries.filter((entry) => !isEntryOf(entry, manager, "Update"));
  // Wiping all entries (`[]`) would take our own proof along.
  return kept.length === entries.length || kept.length === 0 ? undefined : migration(live, kept, {});
}

/**
 * Moves all entries, of everybody, to the version in which `live` was read: the cure for versions that are gone (the API
 * server answers 500 to every apply then) and for a new version with new defaults. Entries that become alike are merged.
 * Undefined where all are of that version.
 */
export function migrateApiVersion(live: KubeObject): ManagersMigration | undefined {
  const entries = live.metadata.managedFields ?? [];
  if (entries.every((entry) => entry.apiVersion === live.apiVersion)) return undefined;
  const migrated = new Map<string, ManagedFieldsEntry>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.manager, entry.operation, entry.subresource ?? ""]);
    const known = migrated.get(key);
    migrated.set(key, { ...mergeEntries(known, entry), apiVersion: live.apiVersion });
  }
  return migration(live, [...migrated.values()], {});
}

function mergeEntries(known: ManagedFieldsEntry | undefined, entry: ManagedFieldsEntry): ManagedFieldsEntry {
  if (known === undefined) return entry;
  const [later] = [known, entry].toSorted(byTimeDescending);
  return { ...(later ?? entry), fieldsV1: unionFields(known.fieldsV1 ?? {}, entry.fieldsV1 ?? {}) };
}

function migration(
  live: KubeObject,
  managedFields: readonly ManagedFieldsEntry[],
  orphaned: FieldSet,
): ManagersMigration | undefined {
  if (equalJson(managedFields, live.metadata.managedFields)) return undefined;
  const patch = guardedPatch(live, [{ op: "replace", path: "/metadata/managedFields", value: managedFields }]);
  return { patch, managedFields, orphaned };
}

function lastAppliedWriters(live: KubeObject): readonly string[] {
  const path = ["metadata", "annotations", LAST_APPLIED_ANNOTATION];
  return (live.metadata.managedFields ?? [])
    .filter((entry) => entry.operation === "Update" && ownsField(entry, path))
    .map((entry) => entry.manager ?? "");
}

function metadataOf(entry: ManagedFieldsEntry): JsonObject {
  const metadata = entry.fieldsV1?.["f:metadata"];
  return metadata === undefined ? {} : { "f:metadata": metadata };
}

/** Times are RFC 3339 in UTC, written by the server: text order is time order. */
function byTimeDescending(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  const [timeA, timeB] = [a.time ?? "", b.time ?? ""];
  return timeA < timeB ? 1 : timeA > timeB ? -1 : 0;
}
