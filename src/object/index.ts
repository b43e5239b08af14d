/**
 * # object: the Kubernetes object model
 *
 * References and group-kinds, labels and selectors, JSON that keeps big integers, canonical digests, and managedFields:
 * parse, cover, project, hash.
 *
 * Invariants: pure; live values are only ever compared with live values, except by {@link coversDesired}-like checks
 * whose "no" costs one harmless apply.
 *
 * It does not talk to a cluster and knows no schema.
 */
export { detach } from "./detach.ts";
export { digestOf, digestOfJson } from "./digest.ts";
export { type FieldChange, type FieldDiffOptions, fieldDiff } from "./field-diff.ts";
export { type FieldPath, formatPath, type PathStep } from "./field-path.ts";
export { canonicalJson, isJsonObject, parseJson, stringifyJson } from "./json.ts";
export { guardedPatch, type JsonPatch, type JsonPatchOperation, jsonPointer } from "./json-patch.ts";
export { equalJson, fieldOf } from "./json-value.ts";
export {
  CLIENT_SIDE_MANAGERS,
  coversDesired,
  type DriftedField,
  type DriftKind,
  dropUpdateEntry,
  type EmptyLeaves,
  emptyLeavesOf,
  entryOf,
  explainDrift,
  type FieldOwner,
  type FieldSet,
  fieldOwners,
  fieldPathsOf,
  leakPatch,
  type ManagerOperation,
  type ManagersMigration,
  matchesDesired,
  migrateApiVersion,
  type OwnedField,
  type OwnedFields,
  type OwnedRecord,
  type Ownership,
  ownedRecord,
  ownsLabel,
  promoteUpdateEntry,
  type ReleaseOptions,
  releasePatch,
  restoreOwnershipPatch,
  type TakeOverOptions,
  takeApplyEntry,
  takeOver,
  trackingReliable,
} from "./managed-fields/index.ts";
export { isSecret, maskSecret, maskSecretPair } from "./mask-secret.ts";
export { ParentRepair } from "./parent-repair.ts";
export {
  apiVersionOf,
  compareRefs,
  describeRef,
  groupKindKey,
  groupVersionKindOf,
  parseApiVersion,
  parseGroupKindKey,
  parseRefKey,
  refKey,
  refOf,
} from "./ref.ts";
export { replaceParentPatches } from "./replace-parent.ts";
export type {
  Digest,
  GroupKind,
  GroupVersionKind,
  JsonObject,
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  ObjectRef,
  OwnerReference,
  ResourceVersion,
  Uid,
} from "./types.ts";
export {
  APPLIED_ANNOTATION,
  CLUSTER_SERVICE_LABEL,
  IGNORE_FIELDS_ANNOTATION,
  KEELSON_PREFIX,
  LAST_APPLIED_ANNOTATION,
  MODE_LABEL,
  PART_OF_LABEL,
  PRUNE_ANNOTATION,
  RECREATE_ANNOTATION,
} from "./well-known.ts";
