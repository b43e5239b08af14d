import type { JsonObject } from "../../object/index.ts";
import { metadataOf, metaText, withMetadata } from "../managers/index.ts";
import { equalValues } from "../merge/index.ts";
import { objectKey } from "../storage/index.ts";
import {
  bumpGeneration,
  copyJson,
  copyObject,
  DEFAULT_NAME_RULE,
  type Draft,
  ensureObject,
  FieldErrors,
  isDraft,
  objectAt,
  validateMetadata,
  validateMetadataUpdate,
} from "../strategy/index.ts";
import { type Api, hasSubresource } from "./api.ts";
import { conflict, invalid, MODIFIED, notFound } from "./api-error.ts";
import { admitNamespace, type Cluster, type WriteRequest } from "./cluster.ts";
import { dedupeOwners, fieldManagerOf, storeNew } from "./create.ts";
import { decodeBody, matchName, matchNamespace } from "./decode.ts";

/** What a write came to. */
export interface Written {
  readonly object: JsonObject;
  readonly created: boolean;
}

/** Makes the new object from the present one; `exists` is false where that is only an empty one. */
export type Transform = (existing: JsonObject, exists: boolean) => JsonObject;

/** PUT: replaces an object. */
export function replaceObject(cluster: Cluster, request: WriteRequest, body: JsonObject): Written {
  const decoded = decodeBody(request, body);
  matchName(request, decoded);
  const next = dedupeOwners(matchNamespace(request, decoded));
  const uid = metaText(next, "uid");
  return updateObject(cluster, request, {
    allowCreate: false,
    transform: (existing) => {
      const actual = metaText(existing, "uid");
      if (uid !== "" && uid !== actual) {
        throw conflict(
          request.api,
          request.name,
          `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
        );
      }
      return fieldManagerOf(cluster, request).update(existing, next, { manager: request.manager });
    },
  });
}

/** Changes an object by a transform, or creates it where that is allowed. */
export function updateObject(
  cluster: Cluster,
  request: WriteRequest,
  change: { readonly transform: Transform; readonly allowCreate: boolean },
): Written {
  const { api, name, subresource } = request;
  const key = objectKey(api.namespaced ? request.namespace : "", name);
  const stored = cluster.store.get(api.table, key);
  if (stored === undefined) {
    // A kind that PUT may create is created through its status, too, if it is valid without a spec.
    const isCreatable = subresource === "" || subresource === "status";
    const mayCreate =
      (subresource === "" && change.allowCreate) || (isCreatable && api.strategy.createOnUpdate === true);
    if (!mayCreate) throw notFound(api, name);
    const object = change.transform(api.codec.empty(), false);
    admitNamespace(cluster, request, true);
    return { object: storeNew(cluster, request, object), created: true };
  }
  const existing = api.codec.fromStored(stored);
  const next = change.transform(existing, true);
  checkResourceVersion(request, next, existing);
  admitNamespace(cluster, request, false);
  return { object: storeChanged(cluster, { request, key, existing, next }), created: false };
}

function checkResourceVersion(request: WriteRequest, next: JsonObject, existing: JsonObject): void {
  const { api, name } = request;
  const sent = metaText(next, "resourceVersion");
  const isUnset = sent === "" || sent === "0";
  if (isUnset && api.strategy.unconditionalUpdate !== false && api.custom === undefined) return;
  if (isUnset) {
    const errors = new FieldErrors();
    errors.invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid({ group: api.group, kind: api.resource }, name, errors.list);
  }
  if (sent !== metaText(existing, "resourceVersion")) throw conflict(api, name, MODIFIED);
}

interface Change {
  readonly request: WriteRequest;
  readonly key: string;
  readonly existing: JsonObject;
  readonly next: JsonObject;
}

function storeChanged(cluster: Cluster, { request, key, existing, next }: Change): JsonObject {
  const { api, dryRun } = request;
  const draft = copyObject(next);
  const errors = new FieldErrors();
  const isMain = request.subresource === "";
  if (api.table === "services" && isMain) cluster.services.allocate(draft, existing, errors);
  keepSystemFields(draft, existing);
  if (isMain) prepareUpdate(api, draft, existing);
  else prepareSubresource(api, request.subresource, draft, existing);
  keepIdentity(draft, existing);
  if (isMain) validateChanged(api, draft, existing, errors);
  else {
    validateMetadataUpdate(draft, existing, errors);
    if (request.subresource === "status") api.strategy.validateStatus?.(draft, errors);
    errors.list.push(...(api.validate?.(draft, existing) ?? []));
  }
  if (!errors.isEmpty) throw invalid(api, request.name, errors.list);
  revertTimes(draft, existing, api);
  if (isEmptiedOfFinalizers(draft, existing)) {
    if (!dryRun) cluster.store.delete(api.table, key);
    return draft;
  }
  const stored = api.codec.toStored(draft);
  const before = cluster.store.get(api.table, key);
  const unchanged = withMetadata(stored, { resourceVersion: metadataOf(before ?? {}).resourceVersion });
  if (before !== undefined && equalValues(unchanged, before)) return api.codec.fromStored(before);
  return api.codec.fromStored(dryRun ? unchanged : cluster.store.put(api.table, key, stored));
}

function keepSystemFields(draft: Draft, existing: JsonObject): void {
  const metadata = ensureObject(draft, "metadata");
  const before = metadataOf(existing);
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
}

function keepIdentity(draft: Draft, existing: JsonObject): void {
  const metadata = ensureObject(draft, "metadata");
  const before = metadataOf(existing);
  metadata.uid ??= before.uid;
  metadata.creationTimestamp = before.creationTimestamp;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  if (metadata.deletionGracePeriodSeconds === undefined) delete metadata.deletionGracePeriodSeconds;
  metadata.resourceVersion = before.resourceVersion;
}

/** What only the status subresource writes stays; what counts for the generation raises it. */
function prepareUpdate(api: Api, draft: Draft, existing: JsonObject): void {
  if (hasSubresource(api, "status")) copyField(draft, existing, "status");
  api.strategy.prepareUpdate?.(draft, existing);
  if (api.custom !== undefined) bumpGeneration(draft, existing, nonMetadata(draft, existing));
  else if (api.strategy.generation !== undefined) {
    const canonical = api.strategy.strictGeneration === true ? draft : api.codec.canonical(draft);
    const before = Number(metadataOf(existing).generation ?? 0);
    const probe = copyObject(withMetadata(canonical, { generation: before }));
    bumpGeneration(probe, existing, api.strategy.generation);
    ensureObject(draft, "metadata").generation = metadataOf(probe).generation;
  }
}

function nonMetadata(draft: JsonObject, existing: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(draft), ...Object.keys(existing)])].filter((key) => key !== "metadata");
}

function copyField(draft: Draft, existing: JsonObject, field: string): void {
  if (existing[field] === undefined) delete draft[field];
  else draft[field] = copyJson(existing[field]);
}

/** Metadata that a status write leaves alone where the kind resets it. */
const STATUS_METADATA = [
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

function prepareSubresource(api: Api, subresource: string, draft: Draft, existing: JsonObject): void {
  if (subresource !== "status") return;
  if (api.custom !== undefined) {
    keepAllButStatus(draft, existing);
    return;
  }
  for (const path of api.strategy.statusResets ?? [["spec"]]) {
    const [first = "", second] = path;
    if (first !== "metadata") copyField(draft, existing, first);
    else {
      const metadata = ensureObject(draft, "metadata");
      const fields = second === undefined ? STATUS_METADATA : [second];
      for (const field of fields) copyField(metadata, metadataOf(existing), field);
    }
  }
}

/** Through the status of a custom resource nothing else changes, but who owns what. */
function keepAllButStatus(draft: Draft, existing: JsonObject): void {
  const managedFields = metadataOf(draft).managedFields;
  for (const key of new Set([...Object.keys(draft), ...Object.keys(existing)])) {
    if (key !== "status") copyField(draft, existing, key);
  }
  ensureObject(draft, "metadata").managedFields = managedFields;
}

function validateChanged(api: Api, draft: Draft, existing: JsonObject, errors: FieldErrors): void {
  validateMetadata(draft, errors, {
    namespaced: api.namespaced,
    nameProblem: api.strategy.nameProblem ?? DEFAULT_NAME_RULE,
    isCustom: api.custom !== undefined,
  });
  validateMetadataUpdate(draft, existing, errors);
  api.strategy.validateUpdate?.(draft, existing, errors);
  api.strategy.validate?.(draft, errors);
  errors.list.push(...(api.validate?.(draft, existing) ?? []));
}

/**
 * A write that changes nothing but the times in managedFields is no write. Built-in objects are compared as stored;
 * in custom ones an empty map differs from none, so that such an apply writes every time.
 */
function revertTimes(draft: Draft, existing: JsonObject, api: Api): void {
  const metadata = ensureObject(draft, "metadata");
  const before = metadataOf(existing).managedFields;
  const after = metadata.managedFields;
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return;
  const timeless = (entries: readonly unknown[]): unknown =>
    entries.map((entry) => (isDraft(entry) ? { ...entry, time: undefined } : entry));
  if (!equalValues(timeless(before), timeless(after))) return;
  const canonical = api.codec.canonical(draft);
  const same = equalValues(
    withMetadata(canonical, { managedFields: undefined }),
    withMetadata(existing, { managedFields: undefined }),
  );
  if (same) metadata.managedFields = before;
}

function isEmptiedOfFinalizers(draft: JsonObject, existing: JsonObject): boolean {
  const metadata = metadataOf(draft);
  if (metadata.deletionTimestamp === undefined || metadataOf(existing).deletionTimestamp === undefined) return false;
  const left = Array.isArray(metadata.finalizers) ? metadata.finalizers.length : 0;
  const specFinalizers = objectAt(draft, "spec")?.finalizers;
  const isHeldNamespace = draft.kind === "Namespace" && Array.isArray(specFinalizers) && specFinalizers.length > 0;
  const grace = metadata.deletionGracePeriodSeconds;
  return left === 0 && !isHeldNamespace && (grace === undefined || grace === null || grace === 0);
}
