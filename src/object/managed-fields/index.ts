/**
 * # managed-fields: who owns which field of an object (KEP-555)
 *
 * Reads `metadata.managedFields`: whether our entry covers the desired object, how what we own looks (a record to
 * compare with a later one), who has changed it; and writes new entries: take-over from client-side tools, migration
 * between versions, release.
 *
 * Invariants: pure; a record is only compared with a record; every check of text against text errs towards "no", which
 * costs one apply without effect; every patch is guarded by resourceVersion.
 *
 * It knows no schema: which lists are keyed and which values are atomic is read from the entries themselves.
 */
export { coversDesired } from "./covers.ts";
export { type EmptyLeaves, emptyLeavesOf } from "./empty-leaves.ts";
export { entryOf, type ManagerOperation, ownsLabel, trackingReliable } from "./entry.ts";
export { type DriftedField, type DriftKind, explainDrift, type FieldOwner } from "./explain-drift.ts";
export { fieldOwners, type OwnedField, type OwnedFields } from "./field-owners.ts";
export { fieldPathsOf } from "./field-paths.ts";
export type { FieldSet, Ownership } from "./fields.ts";
export { leakPatch } from "./leak-patch.ts";
export { matchesDesired } from "./matches.ts";
export {
  CLIENT_SIDE_MANAGERS,
  dropUpdateEntry,
  type ManagersMigration,
  migrateApiVersion,
  promoteUpdateEntry,
  type TakeOverOptions,
  takeApplyEntry,
  takeOver,
} from "./migrate.ts";
export { type OwnedRecord, ownedRecord } from "./record.ts";
export { type ReleaseOptions, releasePatch } from "./release.ts";
export { restoreOwnershipPatch } from "./without-fields.ts";
