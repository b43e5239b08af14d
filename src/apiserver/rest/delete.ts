import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { metadataOf, metaText } from "../managers/index.ts";
import { objectKey } from "../storage/index.ts";
import { copyObject, type Draft, ensureObject, objectAt, textsAt } from "../strategy/index.ts";
import type { Api } from "./api.ts";
import { conflict, forbidden, notFound } from "./api-error.ts";
import { type Cluster, nowText, type WriteRequest } from "./cluster.ts";

/** What a DELETE asks for, from its body or its query. */
export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
}

/** Reads DeleteOptions; fields that are missing are left out. */
export function parseDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const options = isJsonObject(body) ? body : {};
  const preconditions = objectAt(options, "preconditions");
  const policy = options.propagationPolicy ?? query.get("propagationPolicy");
  const orphan = options.orphanDependents ?? query.get("orphanDependents");
  const grace = options.gracePeriodSeconds ?? query.get("gracePeriodSeconds");
  const propagation =
    policy === "Orphan" || policy === "Background" || policy === "Foreground"
      ? policy
      : orphan === true || orphan === "true"
        ? "Orphan"
        : orphan === false || orphan === "false"
          ? "Background"
          : undefined;
  return {
    ...(typeof preconditions?.uid === "string" ? { uid: preconditions.uid } : {}),
    ...(typeof preconditions?.resourceVersion === "string" ? { resourceVersion: preconditions.resourceVersion } : {}),
    ...(propagation === undefined ? {} : { propagation }),
    ...(grace === null || grace === undefined ? {} : { gracePeriodSeconds: Number(grace) }),
  };
}

/** These kinds answer a DELETE with the object itself. */
const RETURNS_OBJECT = new Set([
  "resourcequotas",
  "persistentvolumes",
  "serviceaccounts",
  "persistentvolumeclaims",
  "pods",
  "services",
  "podtemplates",
  "csidrivers.storage.k8s.io",
  "storageclasses.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "volumeattributesclasses.storage.k8s.io",
  "resourceclaimtemplates.resource.k8s.io",
  "resourceslices.resource.k8s.io",
  "resourceclaims.resource.k8s.io",
  "deviceclasses.resource.k8s.io",
]);

/** Kinds whose dependents stay unless the client says otherwise. */
const ORPHANS_BY_DEFAULT = new Set(["jobs.batch", "replicationcontrollers"]);
const IMMORTAL = new Set(["default", "kube-system", "kube-public"]);

/** DELETE: removes an object, or marks it where finalizers hold it. */
export function deleteObject(cluster: Cluster, request: WriteRequest, options: DeleteOptions): JsonObject {
  const { api, name, dryRun } = request;
  const key = objectKey(api.namespaced ? request.namespace : "", name);
  if (api.table === "namespaces" && IMMORTAL.has(name)) throw forbidden(api, name, "this namespace may not be deleted");
  const stored = cluster.store.get(api.table, key);
  if (stored === undefined) throw notFound(api, name);
  checkPreconditions(api, stored, options);
  const marked = markDeleted(cluster, api, stored, options);
  if (marked === undefined) {
    if (!dryRun) cluster.store.delete(api.table, key);
    return RETURNS_OBJECT.has(api.table) ? api.codec.fromStored(stored) : successStatus(api, stored);
  }
  if (marked === stored) return api.codec.fromStored(stored);
  return api.codec.fromStored(dryRun ? marked : cluster.store.put(api.table, key, marked));
}

function checkPreconditions(api: Api, stored: JsonObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options;
  const who = { group: api.group, resource: api.kind };
  const actualUid = metaText(stored, "uid");
  const actualVersion = metaText(stored, "resourceVersion");
  if (uid !== undefined && uid !== actualUid) {
    throw conflict(
      who,
      metaText(stored, "name"),
      `the UID in the precondition (${uid}) does not match the UID in record (${actualUid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== actualVersion) {
    throw conflict(
      who,
      metaText(stored, "name"),
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${actualVersion}). The object might have been modified`,
    );
  }
}

/** The object marked as being deleted; undefined where nothing holds it. */
function markDeleted(cluster: Cluster, api: Api, stored: JsonObject, options: DeleteOptions): JsonObject | undefined {
  const finalizers = finalizersFor(api, stored, options);
  const specFinalizers = textsAt(objectAt(stored, "spec"), "finalizers");
  const isNamespace = api.table === "namespaces";
  if (finalizers.length === 0 && !(isNamespace && specFinalizers.length > 0)) return undefined;
  const before = metadataOf(stored);
  const isMarked = before.deletionTimestamp !== undefined;
  if (isMarked && textsAt(before, "finalizers").join() === finalizers.join()) return stored;
  const draft = copyObject(stored);
  const metadata = ensureObject(draft, "metadata");
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  if (!isMarked) mark(cluster, draft, isNamespace);
  return draft;
}

function mark(cluster: Cluster, draft: Draft, isNamespace: boolean): void {
  const metadata = ensureObject(draft, "metadata");
  metadata.deletionTimestamp = nowText(cluster);
  if (isNamespace) {
    ensureObject(draft, "status").phase = "Terminating";
    return;
  }
  metadata.deletionGracePeriodSeconds = 0;
  if (typeof metadata.generation === "number" && metadata.generation > 0) metadata.generation += 1;
}

function finalizersFor(api: Api, stored: JsonObject, options: DeleteOptions): readonly string[] {
  const present = textsAt(metadataOf(stored), "finalizers");
  const others = present.filter((finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion");
  const policy = options.propagation ?? policyOf(api, present);
  if (policy === "Orphan") return [...others, "orphan"];
  return policy === "Foreground" ? [...others, "foregroundDeletion"] : others;
}

function policyOf(api: Api, finalizers: readonly string[]): DeleteOptions["propagation"] {
  if (finalizers.includes("orphan")) return "Orphan";
  if (finalizers.includes("foregroundDeletion")) return "Foreground";
  return ORPHANS_BY_DEFAULT.has(api.table) ? "Orphan" : "Background";
}

function successStatus(api: Api, stored: JsonObject): JsonObject {
  const details = {
    name: metaText(stored, "name"),
    ...(api.group === "" ? {} : { group: api.group }),
    kind: api.resource,
    uid: metaText(stored, "uid"),
  };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}
