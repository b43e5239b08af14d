import type { JsonObject } from "../../object/index.ts";
import { metaText } from "../managers/index.ts";
import {
  type Api,
  createObject,
  deleteObject,
  getObject,
  getScale,
  listObjects,
  matcherOf,
  methodNotAllowed,
  parseDeleteOptions,
  patchObject,
  patchScale,
  replaceObject,
  replaceScale,
} from "../rest/index.ts";
import { type Answer, optionalBody, parseBody, type ResourceCall, writeRequest } from "./call.ts";
import { answerVirtual } from "./virtual.ts";

/** GET of an object, a subresource or a collection. */
export function readResource(call: ResourceCall): Answer {
  const { cluster, route, query } = call;
  const { api, namespace, name, subresource } = route;
  requireVerb(api, name === "" ? "list" : "get");
  const object =
    name === ""
      ? listObjects(cluster, api, namespace, query)
      : subresource === "scale"
        ? getScale(cluster, api, namespace, name)
        : getObject(cluster, api, namespace, name);
  return { status: 200, object, warnings: [] };
}

/** POST, PUT, PATCH and DELETE. */
export function writeResource(call: ResourceCall, method: string): Answer {
  const { route } = call;
  const virtual = answerVirtual(call, method);
  if (virtual !== undefined) return virtual;
  switch (method) {
    case "POST":
      if (route.name !== "") throw methodNotAllowed();
      return create(call);
    case "PUT":
      return replace(call);
    case "PATCH":
      return patch(call);
    case "DELETE":
      if (route.subresource !== "") throw methodNotAllowed();
      return route.name === "" ? deleteCollection(call) : remove(call);
    default:
      throw methodNotAllowed();
  }
}

function create(call: ResourceCall): Answer {
  requireVerb(call.route.api, "create");
  const request = writeRequest(call, "CreateOptions");
  const object = createObject(call.cluster, request, parseBody(call));
  return { status: 201, object, warnings: request.warnings };
}

function replace(call: ResourceCall): Answer {
  requireNamed(call, "update");
  const request = writeRequest(call, "UpdateOptions");
  const body = parseBody(call);
  const written =
    request.subresource === "scale"
      ? replaceScale(call.cluster, request, body)
      : replaceObject(call.cluster, request, body);
  return { status: written.created ? 201 : 200, object: written.object, warnings: request.warnings };
}

function patch(call: ResourceCall): Answer {
  requireNamed(call, "patch");
  const request = writeRequest(call, "PatchOptions");
  const content = { contentType: call.contentType, text: call.body, force: call.query.get("force") === "true" };
  const written =
    request.subresource === "scale"
      ? patchScale(call.cluster, request, content)
      : patchObject(call.cluster, request, content);
  return { status: written.created ? 201 : 200, object: written.object, warnings: request.warnings };
}

function remove(call: ResourceCall): Answer {
  requireVerb(call.route.api, "delete");
  const request = writeRequest(call, "DeleteOptions");
  const object = deleteObject(call.cluster, request, parseDeleteOptions(optionalBody(call), call.query));
  return { status: 200, object, warnings: [] };
}

function deleteCollection(call: ResourceCall): Answer {
  const { cluster, route, query } = call;
  const { api, namespace } = route;
  requireVerb(api, "deletecollection");
  const options = parseDeleteOptions(optionalBody(call), query);
  const request = writeRequest(call, "DeleteOptions");
  const matches = matcherOf(api, query);
  const items: JsonObject[] = [];
  for (const [, stored] of cluster.store.list(api.table, api.namespaced ? namespace : "")) {
    const object = api.codec.fromStored(stored);
    if (!matches(object)) continue;
    items.push(object);
    deleteObject(
      cluster,
      { ...request, name: metaText(object, "name"), namespace: metaText(object, "namespace") },
      options,
    );
  }
  const metadata = { resourceVersion: String(cluster.store.revision) };
  return { status: 200, object: { kind: api.listKind, apiVersion: api.apiVersion, metadata, items }, warnings: [] };
}

function requireVerb(api: Api, verb: string): void {
  if (!api.verbs.includes(verb)) throw methodNotAllowed();
}

function requireNamed({ route }: ResourceCall, verb: string): void {
  if (route.name === "") throw methodNotAllowed();
  const sub = route.api.subresources.find((one) => one.name === route.subresource);
  const verbs = route.subresource === "" ? route.api.verbs : (sub?.verbs ?? []);
  if (!verbs.includes(verb)) throw methodNotAllowed();
}
