import { load } from "js-yaml";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../../object/index.ts";
import { compareManagerIds, describeKind, metadataOf, metaText, parseManagerId } from "../managers/index.ts";
import { ApplyConflict, describePath, SchemaMismatch } from "../merge/index.ts";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  JsonPatchError,
  StrategicPatchError,
} from "../patch/index.ts";
import { DecodeError } from "../schema/index.ts";
import { FieldErrors } from "../strategy/index.ts";
import { ApiError, badRequest, conflict, invalid, notFound, unforeseen, unsupportedMediaType } from "./api-error.ts";
import type { Cluster, WriteRequest } from "./cluster.ts";
import { dedupeOwners, fieldManagerOf } from "./create.ts";
import { keepReset, matchName, matchNamespace } from "./decode.ts";
import { updateObject, type Written } from "./update.ts";

export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";

const MAX_OPERATIONS = 10_000;

/** A PATCH: its format, its text, and whether an apply overrides conflicts. */
export interface PatchBody {
  readonly contentType: string;
  readonly text: string;
  readonly force: boolean;
}

/** PATCH: changes an object in part, or applies one. */
export function patchObject(cluster: Cluster, request: WriteRequest, patch: PatchBody): Written {
  const accepted = acceptedPatches(request);
  if (!accepted.includes(patch.contentType)) throw unsupportedMediaType(accepted);
  const isApply = patch.contentType === APPLY_PATCH;
  const transform = transformOf(cluster, request, patch);
  return updateObject(cluster, request, { transform, allowCreate: isApply });
}

/** The transform that a PATCH stands for; subresources with a kind of their own use it too. */
export function transformOf(
  cluster: Cluster,
  request: WriteRequest,
  patch: PatchBody,
): (existing: JsonObject, exists: boolean) => JsonObject {
  const isApply = patch.contentType === APPLY_PATCH;
  const content = isApply ? parseApplied(patch.text) : parsePatch(patch.text);
  return (existing, exists) => {
    if (!exists && !isApply) throw notFound(request.api, request.name);
    const next = isApply
      ? applyConfig(cluster, request, { existing, config: content, force: patch.force })
      : patched(cluster, request, { existing, patch: content, contentType: patch.contentType });
    const uid = metaText(next, "uid");
    if (!exists && uid !== "") {
      throw conflict(
        request.api,
        request.name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    const named = matchNamespace(request, next);
    matchName(request, named);
    return dedupeOwners(named);
  };
}

function acceptedPatches(request: WriteRequest): readonly string[] {
  const strategic = request.api.custom === undefined ? [STRATEGIC_PATCH] : [];
  return [JSON_PATCH, MERGE_PATCH, ...strategic, APPLY_PATCH];
}

function parsePatch(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

/** An apply may come as YAML; JSON is read as JSON, so that long integers survive. */
function parseApplied(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return load(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Patching {
  readonly existing: JsonObject;
  readonly patch: unknown;
  readonly contentType: string;
}

function patched(cluster: Cluster, request: WriteRequest, { existing, patch, contentType }: Patching): JsonObject {
  const next = applyFormat(request, { existing, patch, contentType });
  return fieldManagerOf(cluster, request).update(existing, decodePatched(request, next), { manager: request.manager });
}

function applyFormat(request: WriteRequest, { existing, patch, contentType }: Patching): JsonObject {
  try {
    if (contentType === JSON_PATCH) {
      if (Array.isArray(patch) && patch.length > MAX_OPERATIONS) {
        throw new ApiError(
          413,
          "RequestEntityTooLarge",
          `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
        );
      }
      const result = applyJsonPatch(existing, patch);
      return isJsonObject(result) ? result : {};
    }
    if (!isJsonObject(patch))
      throw badRequest("error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}");
    return contentType === MERGE_PATCH
      ? applyMergePatch(existing, patch)
      : applyStrategicPatch(existing, patch, request.api.type);
  } catch (error) {
    if (error instanceof JsonPatchError) throw error.malformed ? badRequest(error.message) : unusablePatch();
    if (error instanceof StrategicPatchError) throw unforeseen(error.message);
    throw error;
  }
}

/** A patch that does not apply: the server does not say why. */
function unusablePatch(): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {
    details: {},
  });
}

function decodePatched(request: WriteRequest, next: JsonObject): JsonObject {
  const { api } = request;
  if (next.kind !== api.kind || next.apiVersion !== api.apiVersion) {
    if (typeof next.kind !== "string" || next.kind === "")
      throw invalidPatch(next, `Object 'Kind' is missing in '${stringifyJson(next)}'`);
    throw badRequest(
      `the API version or kind in the data (${String(next.apiVersion)}, ${next.kind}) does not match the expected one`,
    );
  }
  try {
    const { object, unknownFields } = api.codec.decode(next);
    if (unknownFields.length > 0 && request.fieldValidation !== "Ignore") {
      const messages = unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`);
      if (request.fieldValidation === "Strict")
        throw invalidPatch(next, `strict decoding error: ${messages.join(", ")}`);
      request.warnings.push(...messages);
    }
    api.codec.fillDefaults(object);
    return api.custom === undefined ? keepReset(object, next) : object;
  } catch (error) {
    if (error instanceof DecodeError) throw invalidPatch(next, error.message);
    throw error;
  }
}

function invalidPatch(next: JsonObject, why: string): ApiError {
  const errors = new FieldErrors();
  errors.invalid("patch", stringifyJson(next), why);
  return invalid({ group: "", kind: "" }, "", errors.list);
}

interface Applying {
  readonly existing: JsonObject;
  readonly config: unknown;
  readonly force: boolean;
}

function applyConfig(cluster: Cluster, request: WriteRequest, { existing, config, force }: Applying): JsonObject {
  const { api } = request;
  if (!isJsonObject(config))
    throw badRequest("error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}");
  if (config.apiVersion !== api.apiVersion || config.kind !== api.kind) {
    throw badRequest(`invalid object type: ${describeKind(String(config.apiVersion), String(config.kind))}`);
  }
  if (metadataOf(config).managedFields !== undefined && metadataOf(config).managedFields !== null)
    throw badRequest("metadata.managedFields must be nil");
  try {
    const applied = fieldManagerOf(cluster, request).apply(existing, config, { manager: request.manager, force });
    if (!applied.changed) return applied.object;
    const { object } = api.codec.decode(applied.object);
    api.codec.fillDefaults(object);
    return object;
  } catch (error) {
    if (error instanceof ApplyConflict) throw applyConflict(error);
    if (error instanceof SchemaMismatch) throw unforeseen(error.message);
    if (error instanceof DecodeError) {
      const who = `${request.namespace}/${request.name}; ${describeKind(api.apiVersion, api.kind)}`;
      throw unforeseen(`failed to convert new object (${who}) to proper version (${api.apiVersion}): ${error.message}`);
    }
    throw error;
  }
}

/** The refusal of an apply, worded as the server words it. */
function applyConflict(error: ApplyConflict): ApiError {
  const causes = error.conflicts.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describeManager(manager)}`,
    field: describePath(path),
  }));
  const [first] = error.conflicts;
  if (first !== undefined && error.conflicts.length === 1) {
    const message = `Apply failed with 1 conflict: conflict with ${describeManager(first.manager)}: ${describePath(first.path)}`;
    return new ApiError(409, "Conflict", message, { details: { causes } });
  }
  const lines: string[] = [];
  for (const manager of [...new Set(error.conflicts.map((one) => one.manager))].sort(compareManagerIds)) {
    lines.push(`conflicts with ${describeManager(manager)}:`);
    for (const one of error.conflicts) if (one.manager === manager) lines.push(`- ${describePath(one.path)}`);
  }
  const message = `Apply failed with ${error.conflicts.length} conflicts: ${lines.join("\n")}`;
  return new ApiError(409, "Conflict", message, { details: { causes } });
}

function describeManager(id: string): string {
  const { manager, operation, apiVersion, subresource } = parseManagerId(id);
  const name = JSON.stringify(manager) + (subresource ? ` with subresource ${JSON.stringify(subresource)}` : "");
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
