/**
 * # apiserver/managers: field managers
 *
 * kube-apiserver's chain around structured merge: who wrote what and when, in `metadata.managedFields`.
 *
 * Invariants: pure; an object given is never mutated; managedFields go in and out only here.
 *
 * It does not default, validate or store.
 */
export { describeKind, FieldManager, type ManagedApi, type Writer } from "./field-manager.ts";
export { compareManagerIds, FieldSetCache, parseManagerId } from "./managed-fields.ts";
export { metadataOf, metaMap, metaText, withMetadata } from "./metadata.ts";
