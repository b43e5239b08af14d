import type { JsonObject } from "../../object/index.ts";
import { metadataOf, metaText } from "../managers/index.ts";
import { type Api, type Cluster, createObject, deleteObject, patchObject, type WriteRequest } from "../rest/index.ts";
import { textsAt } from "../strategy/index.ts";

/** A request of a controller on one object. */
export function requestFor(api: Api, object: JsonObject, manager: string): WriteRequest {
  return {
    api,
    namespace: metaText(object, "namespace"),
    name: metaText(object, "name"),
    subresource: "",
    manager,
    dryRun: false,
    fieldValidation: "Ignore",
    warnings: [],
  };
}

const MERGE_PATCH = "application/merge-patch+json";

/** Creates an object where it is missing. */
export function ensureExists(cluster: Cluster, api: Api, object: JsonObject, manager: string): void {
  const request = requestFor(api, object, manager);
  const key = request.namespace === "" ? request.name : `${request.namespace}/${request.name}`;
  if (cluster.store.get(api.table, key) !== undefined) return;
  createObject(cluster, request, { ...object, apiVersion: api.apiVersion, kind: api.kind });
}

/** Merges `patch` into an object, or into its status. */
export function mergeInto(
  cluster: Cluster,
  target: { api: Api; object: JsonObject; subresource?: string; manager: string },
  patch: JsonObject,
): void {
  const request = { ...requestFor(target.api, target.object, target.manager), subresource: target.subresource ?? "" };
  patchObject(cluster, request, { contentType: MERGE_PATCH, text: JSON.stringify(patch), force: false });
}

/** Takes a finalizer away; where it was the last of an object being deleted, that ends it. */
export function removeFinalizer(
  cluster: Cluster,
  target: { api: Api; object: JsonObject; manager: string },
  finalizer: string,
): void {
  const finalizers = textsAt(metadataOf(target.object), "finalizers").filter((one) => one !== finalizer);
  mergeInto(cluster, target, { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } });
}

/** Deletes an object in the background. */
export function deleteInBackground(cluster: Cluster, api: Api, object: JsonObject, manager: string): void {
  const uid = metaText(object, "uid");
  deleteObject(cluster, requestFor(api, object, manager), {
    propagation: "Background",
    ...(uid === "" ? {} : { uid }),
  });
}
