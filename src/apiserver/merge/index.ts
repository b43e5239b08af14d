/**
 * # apiserver/merge: structured merge
 *
 * The rules of structured-merge-diff 6: field sets, merging, comparing and pruning typed values, and who owns what
 * after a write. Written for the oracle alone; the client's own reading of managedFields shares nothing with it.
 *
 * Invariants: pure; values are never mutated, so that merged objects may share parts with their inputs.
 *
 * It knows no Kubernetes object beyond `apiVersion`, no time and no storage.
 */
export { type Comparison, compareTyped } from "./compare.ts";
export { equalValues } from "./equality.ts";
export { FieldSet } from "./field-set.ts";
export { describePath, fieldElement } from "./path-element.ts";
export { SchemaMismatch, type SchemaProblem } from "./schema-errors.ts";
export { toFieldSet } from "./to-field-set.ts";
export {
  type Applied,
  ApplyConflict,
  type Conflict,
  type Managers,
  type TypedObject,
  Updater,
  type VersionedSet,
  type Versions,
} from "./updater.ts";
export { validateTyped } from "./validate.ts";
