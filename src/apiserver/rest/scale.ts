import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { metadataOf, withMetadata } from "../managers/index.ts";
import { toGoForm } from "../schema/index.ts";
import {
  copyObject,
  type Draft,
  ensureObject,
  FieldErrors,
  isDraft,
  matchesSelector,
  numberAt,
  objectAt,
} from "../strategy/index.ts";
import type { Api } from "./api.ts";
import { badRequest, invalid } from "./api-error.ts";
import type { Cluster, WriteRequest } from "./cluster.ts";
import { fieldManagerOf } from "./create.ts";
import { type PatchBody, transformOf } from "./patch.ts";
import { getObject } from "./read.ts";
import { updateObject, type Written } from "./update.ts";

const SCALE_VERSION = "autoscaling/v1";
const DEFAULT_PATHS = { spec: ".spec.replicas", status: ".status.replicas" };

/** GET of the scale subresource. */
export function getScale(cluster: Cluster, api: Api, namespace: string, name: string): JsonObject {
  return scaleOf(api, getObject(cluster, api, namespace, name));
}

/** PUT of the scale subresource. */
export function replaceScale(cluster: Cluster, request: WriteRequest, body: JsonObject): Written {
  return changeScale(cluster, request, (scale) => {
    const next = scaleApi(cluster, request).codec.decode({ ...body, apiVersion: SCALE_VERSION, kind: "Scale" }).object;
    return scaleManager(cluster, request).update(scale, withMetadata(next, { managedFields: undefined }), {
      manager: request.manager,
    });
  });
}

/** PATCH of the scale subresource. */
export function patchScale(cluster: Cluster, request: WriteRequest, patch: PatchBody): Written {
  const transform = transformOf(cluster, { ...request, api: scaleApi(cluster, request) }, patch);
  return changeScale(cluster, request, (scale) => transform(scale, true));
}

function changeScale(cluster: Cluster, request: WriteRequest, change: (scale: JsonObject) => JsonObject): Written {
  const { api } = request;
  const written = updateObject(
    cluster,
    { ...request, subresource: "" },
    {
      allowCreate: false,
      transform: (existing) => {
        const before = withMetadata(scaleOf(api, existing), { managedFields: scaleEntries(existing, api) });
        const after = change(before);
        const replicas = numberAt(objectAt(after, "spec"), "replicas") ?? 0;
        const errors = new FieldErrors();
        if (replicas < 0) errors.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
        if (!errors.isEmpty) throw invalid({ group: "autoscaling", kind: "Scale" }, request.name, errors.list);
        const draft = copyObject(existing);
        assignPath(draft, specPath(api), replicas);
        const managedFields = parentEntries(existing, metadataOf(after).managedFields, api);
        const sent = metadataOf(after).resourceVersion;
        return withMetadata(draft, { managedFields, ...(sent === undefined ? {} : { resourceVersion: sent }) });
      },
    },
  );
  return { ...written, object: scaleOf(api, written.object) };
}

function specPath(api: Api): string {
  return api.custom?.scale?.specReplicasPath ?? DEFAULT_PATHS.spec;
}

function scaleOf(api: Api, object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const replicas = readPath(object, specPath(api));
  const current = readPath(object, api.custom?.scale?.statusReplicasPath ?? DEFAULT_PATHS.status);
  const selector = selectorText(api, object);
  return {
    kind: "Scale",
    apiVersion: SCALE_VERSION,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === "number" && replicas > 0 ? { replicas } : {},
    status: { replicas: typeof current === "number" ? current : 0, ...(selector === "" ? {} : { selector }) },
  };
}

function selectorText(api: Api, object: JsonObject): string {
  if (api.custom !== undefined) {
    const path = api.custom.scale?.labelSelectorPath;
    const value = path === undefined ? undefined : readPath(object, path);
    return typeof value === "string" ? value : "";
  }
  const selector = objectAt(objectAt(object, "spec"), "selector");
  if (selector === undefined || !matchesSelector({}, {})) return "";
  const labels = objectAt(selector, "matchLabels") ?? (selector.matchExpressions === undefined ? selector : {});
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .sort()
    .join(",");
}

function steps(path: string): readonly string[] {
  return path.split(".").filter((part) => part !== "");
}

function readPath(object: JsonObject, path: string): unknown {
  let value: unknown = object;
  for (const step of steps(path)) value = isJsonObject(value) ? value[step] : undefined;
  return value;
}

function assignPath(draft: Draft, path: string, value: unknown): void {
  const parts = steps(path);
  let parent = draft;
  for (const step of parts.slice(0, -1)) parent = ensureObject(parent, step);
  parent[parts.at(-1) ?? ""] = value;
}

/** The API of Scale objects, as managers of `request` see it. */
function scaleApi(cluster: Cluster, request: WriteRequest): Api {
  const { api } = request;
  const template = cluster.apis.scaleType;
  const { custom: _, ...base } = api;
  const codec: Api["codec"] = {
    decode: (object) => {
      if (object.kind !== "Scale") throw badRequest(`${String(object.kind)} cannot be handled as a Scale`);
      // Zero replicas are left out, as Go leaves them out.
      const decoded = toGoForm(object, template);
      return {
        object: { ...decoded.object, apiVersion: SCALE_VERSION, kind: "Scale" },
        unknownFields: decoded.unknownFields,
      };
    },
    fillDefaults: () => {},
    canonical: (object) => object,
    toStored: (object) => object,
    fromStored: (object) => object,
    empty: () => ({ apiVersion: SCALE_VERSION, kind: "Scale" }),
  };
  return {
    ...base,
    kind: "Scale",
    apiVersion: SCALE_VERSION,
    type: template,
    codec,
    typed: (value) => ({ value, type: template }),
    versions: () => ({ ignored: () => undefined, convert: (object) => object }),
  };
}

function scaleManager(cluster: Cluster, request: WriteRequest): ReturnType<typeof fieldManagerOf> {
  return fieldManagerOf(cluster, { api: scaleApi(cluster, request), subresource: "scale" });
}

function replicasField(api: Api): readonly string[] {
  return steps(specPath(api)).map((step) => `f:${step}`);
}

function ownsPath(fields: unknown, path: readonly string[]): boolean {
  let value = fields;
  for (const step of path) value = isJsonObject(value) ? value[step] : undefined;
  return isJsonObject(value);
}

/** The parent's entries that own the replicas, as entries of the scale. */
function scaleEntries(object: JsonObject, api: Api): readonly JsonObject[] | undefined {
  const entries = entriesOf(metadataOf(object).managedFields).filter(
    (entry) => entry.apiVersion === api.apiVersion && ownsPath(entry.fieldsV1, replicasField(api)),
  );
  if (entries.length === 0) return undefined;
  return entries.map((entry) => ({
    ...entry,
    apiVersion: SCALE_VERSION,
    fieldsV1: { "f:spec": { "f:replicas": {} } },
  }));
}

function entriesOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/**
 * The parent's entries after a change of its scale: who lost the replicas, and who has them now. As on the real server,
 * whoever updated the replicas through the parent is split in two here, because an updater is told by its apiVersion,
 * and that of a Scale is another one; the part with the replicas has no time.
 */
function parentEntries(parent: JsonObject, scaleFields: unknown, api: Api): readonly JsonObject[] {
  const path = replicasField(api);
  const rest = new Set(entriesOf(scaleFields).filter((entry) => ownsPath(entry.fieldsV1, ["f:spec", "f:replicas"])));
  const kept: JsonObject[] = [];
  for (const entry of entriesOf(metadataOf(parent).managedFields)) {
    const isOwner = entry.apiVersion === api.apiVersion && ownsPath(entry.fieldsV1, path);
    const same =
      isOwner && entry.operation === "Apply" ? [...rest].find((one) => isSameApplier(one, entry)) : undefined;
    if (!isOwner || same !== undefined) {
      kept.push(entry);
      if (same !== undefined) rest.delete(same);
      continue;
    }
    const fields = withoutPath(entry.fieldsV1, path);
    if (isDraft(fields) && Object.keys(fields).length > 0) kept.push({ ...entry, fieldsV1: fields });
  }
  const added = [...rest].map(({ time: _, ...one }) => ({
    ...one,
    apiVersion: api.apiVersion,
    fieldsV1: nested(path),
  }));
  return sortEntries([...kept, ...added]);
}

function isSameApplier(a: JsonObject, b: JsonObject): boolean {
  return a.operation === b.operation && a.manager === b.manager && (a.subresource ?? "") === (b.subresource ?? "");
}

function nested(path: readonly string[]): JsonObject {
  return path.reduceRight<JsonObject>((inner, step) => ({ [step]: inner }), {});
}

function withoutPath(fields: unknown, path: readonly string[]): unknown {
  const [first, ...rest] = path;
  if (!isJsonObject(fields) || first === undefined) return fields;
  const out: Draft = { ...fields };
  if (rest.length === 0) delete out[first];
  else {
    const inner = withoutPath(out[first], rest);
    if (isJsonObject(inner) && Object.keys(inner).length > 0) out[first] = inner;
    else delete out[first];
  }
  return out;
}

function sortEntries(entries: readonly JsonObject[]): readonly JsonObject[] {
  const key = (entry: JsonObject): string =>
    [entry.operation, entry.time ?? "", entry.manager ?? "", entry.apiVersion, entry.subresource ?? ""]
      .map(String)
      .join("\u0000");
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
