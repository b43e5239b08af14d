import type { JsonObject } from "../../object/index.ts";
import { FieldManager, metadataOf, metaText, withMetadata } from "../managers/index.ts";
import { objectKey } from "../storage/index.ts";
import {
  copyObject,
  DEFAULT_NAME_RULE,
  type Draft,
  ensureObject,
  FieldErrors,
  objectAt,
  validateMetadata,
} from "../strategy/index.ts";
import { admitCreate } from "./admission.ts";
import { type Api, hasSubresource } from "./api.ts";
import { alreadyExists, invalid, unforeseen } from "./api-error.ts";
import { admitNamespace, type Cluster, generateName, newUid, nowText, type WriteRequest } from "./cluster.ts";
import { decodeBody, matchNamespace } from "./decode.ts";

/** The field manager of an API, for one request. */
export function fieldManagerOf(cluster: Cluster, request: Pick<WriteRequest, "api" | "subresource">): FieldManager {
  const { api, subresource } = request;
  return new FieldManager({
    apiVersion: api.apiVersion,
    kind: api.kind,
    subresource,
    versions: api.versions(subresource),
    fieldSets: cluster.fieldSets,
    typed: api.typed,
    empty: () => api.codec.empty(),
    now: () => nowText(cluster),
  });
}

/** POST: creates an object. */
export function createObject(cluster: Cluster, request: WriteRequest, body: JsonObject): JsonObject {
  const { api } = request;
  const decoded = decodeBody(request, body);
  const sent = metadataOf(decoded).resourceVersion;
  const named = matchNamespace(request, wipeSystemFields(decoded));
  const tracked = fieldManagerOf(cluster, request).update(api.codec.empty(), dedupeOwners(named), {
    manager: request.manager,
  });
  const name = metaText(tracked, "name") || generateIfAsked(tracked);
  admitNamespace(cluster, { ...request, name }, true);
  if (sent !== undefined && sent !== "" && sent !== "0") {
    throw unforeseen("resourceVersion should not be set on objects to be created");
  }
  return storeNew(cluster, { ...request, name }, withMetadata(tracked, { name: name === "" ? undefined : name }));
}

function generateIfAsked(object: JsonObject): string {
  const prefix = metaText(object, "generateName");
  return prefix === "" ? "" : generateName(prefix);
}

function wipeSystemFields(object: JsonObject): JsonObject {
  return withMetadata(object, {
    uid: undefined,
    creationTimestamp: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  });
}

/** An owner named twice counts once. */
export function dedupeOwners(object: JsonObject): JsonObject {
  const owners = metadataOf(object).ownerReferences;
  if (!Array.isArray(owners) || owners.length < 2) return object;
  const unique = [...new Map(owners.map((owner) => [JSON.stringify(owner), owner])).values()];
  return unique.length === owners.length ? object : withMetadata(object, { ownerReferences: unique });
}

/** Validates and stores an object that does not exist yet, by POST, PUT or apply. */
export function storeNew(cluster: Cluster, request: WriteRequest, object: JsonObject): JsonObject {
  const { api, dryRun } = request;
  const draft = copyWithSharedLabels(wipeSystemFields(object));
  const metadata = ensureObject(draft, "metadata");
  metadata.uid = newUid();
  metadata.creationTimestamp = nowText(cluster);
  delete metadata.resourceVersion;
  admitCreate(cluster, api, draft);
  const errors = new FieldErrors();
  if (api.table === "services") cluster.services.allocate(draft, undefined, errors);
  prepareCreate(api, draft);
  validateNew(api, draft, errors);
  if (!errors.isEmpty) throw invalid(api, metaText(draft, "name"), errors.list);
  const key = objectKey(api.namespaced ? request.namespace : "", metaText(draft, "name"));
  if (cluster.store.get(api.table, key) !== undefined) throw alreadyExists(api, metaText(draft, "name"));
  const stored = api.codec.toStored(draft);
  return api.codec.fromStored(dryRun ? stored : cluster.store.put(api.table, key, stored));
}

/** A copy in which a Job's labels are still its template's, where defaulting made them the same map. */
function copyWithSharedLabels(object: JsonObject): Draft {
  const draft = copyObject(object);
  const templateOf = (of: JsonObject): Draft | undefined =>
    objectAt(objectAt(objectAt(of, "spec"), "template"), "metadata");
  const labels = metadataOf(object).labels;
  if (labels !== undefined && labels === templateOf(object)?.labels)
    ensureObject(draft, "metadata").labels = templateOf(draft)?.labels;
  return draft;
}

/** What a client cannot set at creation. */
function prepareCreate(api: Api, draft: Draft): void {
  const metadata = ensureObject(draft, "metadata");
  if (hasSubresource(api, "status")) delete draft.status;
  delete metadata.generation;
  if (api.strategy.generation !== undefined || api.custom !== undefined) metadata.generation = 1;
  api.strategy.prepareCreate?.(draft);
}

function validateNew(api: Api, draft: Draft, errors: FieldErrors): void {
  validateMetadata(draft, errors, {
    namespaced: api.namespaced,
    nameProblem: api.strategy.nameProblem ?? DEFAULT_NAME_RULE,
    isCustom: api.custom !== undefined,
  });
  api.strategy.validate?.(draft, errors);
  errors.list.push(...(api.validate?.(draft, undefined) ?? []));
}
