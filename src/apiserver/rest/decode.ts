import type { JsonObject } from "../../object/index.ts";
import { metadataOf, metaText, withMetadata } from "../managers/index.ts";
import { DecodeError } from "../schema/index.ts";
import { type Draft, ensureObject } from "../strategy/index.ts";
import { badRequest } from "./api-error.ts";
import type { WriteRequest } from "./cluster.ts";

/** Reads the object of a POST or PUT: its kind checked, unknown fields reported, defaults filled in. */
export function decodeBody(request: WriteRequest, body: JsonObject): Draft {
  const { api } = request;
  const apiVersion = body.apiVersion ?? api.apiVersion;
  const kind = body.kind ?? api.kind;
  if (apiVersion !== api.apiVersion || kind !== api.kind) throw wrongKind(request, apiVersion, kind);
  try {
    const { object, unknownFields } = api.codec.decode({ ...body, apiVersion, kind });
    reportUnknown(request, unknownFields);
    api.codec.fillDefaults(object);
    return api.custom === undefined ? keepReset(object, body) : object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`${cannotHandle(request)}: ${error.message}`);
  }
}

function cannotHandle({ api }: WriteRequest): string {
  return `${api.kind} in version ${JSON.stringify(api.version)} cannot be handled as a ${api.kind}`;
}

/**
 * An empty list of managedFields asks to forget them; reading the object as a Go type would lose it. (For custom
 * resources the real server does lose it: only `[{}]` resets theirs.)
 */
export function keepReset(draft: Draft, source: JsonObject): Draft {
  const sent = metadataOf(source).managedFields;
  if (Array.isArray(sent) && sent.length === 0) ensureObject(draft, "metadata").managedFields = [];
  return draft;
}

function wrongKind(request: WriteRequest, apiVersion: unknown, kind: unknown): Error {
  const { api } = request;
  if (apiVersion !== api.apiVersion) {
    const group = String(apiVersion).includes("/") ? String(apiVersion) : String(apiVersion);
    return badRequest(
      `the API version in the data (${group}) does not match the expected API version (${api.apiVersion})`,
    );
  }
  return badRequest(
    `${String(kind)} in version ${JSON.stringify(api.version)} cannot be handled as a ${api.kind}: converting (${String(kind)}) to (${api.kind}): unknown conversion`,
  );
}

/** Unknown fields are an error, a warning or nothing, as the client wishes. */
function reportUnknown(request: WriteRequest, unknownFields: readonly string[]): void {
  if (unknownFields.length === 0 || request.fieldValidation === "Ignore") return;
  const messages = unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`);
  if (request.fieldValidation === "Warn") request.warnings.push(...messages);
  else throw badRequest(`${cannotHandle(request)}: strict decoding error: ${messages.join(", ")}`);
}

/** Fills in the namespace of the request, and refuses another one. */
export function matchNamespace(request: WriteRequest, object: JsonObject): JsonObject {
  const expected = request.api.namespaced ? request.namespace : "";
  const given = metaText(object, "namespace");
  if (given === expected) return object;
  if (given === "") return withMetadata(object, { namespace: expected });
  if (expected === "") return withMetadata(object, { namespace: undefined });
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Refuses an object whose name is not that of the URL. */
export function matchName(request: WriteRequest, object: JsonObject): void {
  const given = metaText(object, "name");
  if (given === "") {
    throw badRequest(
      `the name of the object (${metaText(object, "name")} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== request.name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${request.name})`);
  }
}
