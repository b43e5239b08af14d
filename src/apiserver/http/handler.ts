import type { IncomingMessage, ServerResponse } from "node:http";
import { type JsonObject, stringifyJson } from "../../object/index.ts";
import { type Api, ApiError, type Cluster, methodNotAllowed, tooLarge, unknownResource } from "../rest/index.ts";
import type { BuiltinTypes } from "../schema/index.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { AGGREGATED, aggregated, coreVersions, etagOf, groupDocument, groupList, resourceList } from "./discovery.ts";
import { negotiate, wantsAggregated } from "./negotiate.ts";
import { openApiIndex, openApiV2, openApiV3 } from "./openapi.ts";
import { decodeProtobuf, PROTOBUF } from "./protobuf.ts";
import { readResource, writeResource } from "./resource-call.ts";
import { type Route, routeOf } from "./route.ts";
import { type IncludeObject, metadataOnly, metadataOnlyList, tableOf } from "./table.ts";
import { type Present, serveWatch } from "./watch.ts";

/** What requests are answered from. */
export interface HandlerContext {
  readonly cluster: Cluster;
  readonly types: BuiltinTypes;
  readonly serverVersion: string;
  /** Fires when the server closes. */
  readonly signal: AbortSignal;
}

/** As kube-apiserver's `--max-request-body-bytes` default. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Answers one request; never throws. */
export async function handleRequest(
  context: HandlerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? "/", "http://localhost");
    const bytes = await readBody(request);
    if (!response.destroyed) answer(context, { request, response, url, ...bodyText(request, bytes, context.types) });
  } catch (error) {
    sendError(response, error);
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly body: string;
  readonly contentType: string;
}

/** The body as JSON text (or whatever text it is), with its content type. */
function bodyText(
  request: IncomingMessage,
  bytes: Buffer,
  types: BuiltinTypes,
): Pick<Exchange, "body" | "contentType"> {
  const contentType = (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  if (contentType !== PROTOBUF) return { body: bytes.toString("utf8"), contentType };
  return {
    body: bytes.length === 0 ? "" : stringifyJson(decodeProtobuf(bytes, types)),
    contentType: "application/json",
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (request.method === "GET" || request.method === "HEAD") return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += part.length;
    // The rest is read and dropped, so that the client gets its answer instead of a reset.
    if (size <= MAX_BODY_BYTES) chunks.push(part);
  }
  if (size > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  return Buffer.concat(chunks);
}

function answer(context: HandlerContext, exchange: Exchange): void {
  const { cluster } = context;
  const route = routeOf(cluster.apis, exchange.url.pathname);
  if (route.kind === "resource") {
    answerResource(context, exchange, route);
    return;
  }
  answerDocument(context, exchange, route);
}

function answerDocument(
  context: HandlerContext,
  { request, response, url }: Exchange,
  route: Exclude<Route, { kind: "resource" }>,
): void {
  const { apis } = context.cluster;
  switch (route.kind) {
    case "versions":
    case "groups": {
      const core = route.kind === "versions";
      if (wantsAggregated(request.headers.accept))
        sendAggregated(response, aggregated(apis, core), request.headers["if-none-match"]);
      else sendJson(response, 200, core ? coreVersions() : groupList(apis));
      return;
    }
    case "group":
      sendJson(response, 200, groupDocument(apis, route.group));
      return;
    case "resources":
      sendJson(response, 200, resourceList(apis, route.group, route.version));
      return;
    case "openapi":
      sendOpenApi(context, { request, response }, route.path);
      return;
    case "version":
      sendJson(response, 200, versionDocument(context.serverVersion));
      return;
    case "health":
      sendText(response, 200, url.searchParams.has("verbose") ? `[+]ping ok\n${route.path} check passed\n` : "ok");
      return;
    case "unknown":
      if (route.plain) sendText(response, 404, "404 page not found\n");
      else sendError(response, unknownResource());
  }
}

/** kubectl looks at this document for kinds that nobody serves, and reads it as protobuf only; it knows none. */
const OPENAPI_V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const EMPTY_OPENAPI_V2 = Buffer.concat([Buffer.from([0x0a, 3]), Buffer.from("2.0")]);

function versionDocument(gitVersion: string): JsonObject {
  const [major = "", minor = ""] = gitVersion.replace(/^v/, "").split(".");
  return {
    major,
    minor,
    gitVersion,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "",
    goVersion: "",
    compiler: "",
    platform: "",
  };
}

function sendAggregated(response: ServerResponse, document: JsonObject, known: string | undefined): void {
  const etag = etagOf(document);
  const headers = { etag, vary: "Accept", "content-type": AGGREGATED };
  if (known === etag) response.writeHead(304, headers).end();
  else response.writeHead(200, headers).end(stringifyJson(document));
}

function sendOpenApi(
  { cluster, types }: HandlerContext,
  { request, response }: Pick<Exchange, "request" | "response">,
  path: string,
): void {
  const found = /^v3\/(?:api\/([^/]+)|apis\/([^/]+)\/([^/]+))$/.exec(path);
  if (path === "v2" && (request.headers.accept ?? "").includes(OPENAPI_V2_PROTOBUF)) {
    response.writeHead(200, { "content-type": OPENAPI_V2_PROTOBUF.replace("@", ".") }).end(EMPTY_OPENAPI_V2);
  } else if (path === "v2") sendJson(response, 200, openApiV2(cluster.apis, types));
  else if (path === "v3") sendJson(response, 200, openApiIndex(cluster.apis));
  else if (found === null) sendText(response, 404, "404 page not found\n");
  else sendJson(response, 200, openApiV3(cluster.apis, types, found[2] ?? "", found[1] ?? found[3] ?? ""));
}

function answerResource(
  context: HandlerContext,
  exchange: Exchange,
  route: Extract<Route, { kind: "resource" }>,
): void {
  const { cluster } = context;
  const { request, response, url, body } = exchange;
  const accepted = negotiate(request.headers.accept);
  const include = includeOf(url.searchParams.get("includeObject"));
  const nowMs = cluster.clock.now();
  const present: Present = (object) => {
    if (accepted.representation === "table") return tableOf(route.api, object, { nowMs: cluster.clock.now(), include });
    return accepted.representation === "metadata" ? metadataOnly(object) : object;
  };
  const isCollection = route.name === "" && route.subresource === "";
  const query = url.searchParams;
  if (
    request.method === "GET" &&
    isCollection &&
    query.get("watch") !== null &&
    query.get("watch") !== "false" &&
    query.get("watch") !== "0"
  ) {
    requireVerb(route.api, "watch");
    const target = { api: route.api, namespace: route.namespace, query, present };
    serveWatch(cluster, target, { response, contentType: accepted.contentType, signal: context.signal });
    return;
  }
  const call: ResourceCall = {
    cluster,
    route,
    query,
    userAgent: request.headers["user-agent"] ?? "",
    contentType: exchange.contentType,
    body,
  };
  const result =
    request.method === "GET" || request.method === "HEAD"
      ? readResource(call)
      : writeResource(call, request.method ?? "");
  for (const warning of result.warnings) response.appendHeader("warning", `299 - ${JSON.stringify(warning)}`);
  sendJson(
    response,
    result.status,
    represent(route.api, result, { representation: accepted.representation, nowMs, include }),
  );
}

function represent(
  api: Api,
  { object }: Answer,
  options: { readonly representation: string; readonly nowMs: number; readonly include: IncludeObject },
): JsonObject {
  const isList = Array.isArray(object.items) && object.kind === api.listKind;
  // A Status, a Scale or another kind has no columns here.
  if (!isList && object.kind !== api.kind) return object;
  if (options.representation === "table") return tableOf(api, object, options);
  if (options.representation !== "metadata") return object;
  return isList ? metadataOnlyList(object) : metadataOnly(object);
}

function includeOf(text: string | null): IncludeObject {
  return text === "None" || text === "Object" ? text : "Metadata";
}

function requireVerb(api: Api, verb: string): void {
  if (!api.verbs.includes(verb)) throw methodNotAllowed();
}

function sendJson(response: ServerResponse, status: number, document: JsonObject): void {
  send(response, status, "application/json", stringifyJson(document));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, "text/plain; charset=utf-8", text);
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-cache, private",
  });
  response.end(text);
}

/** A refusal as its Status; anything else is a fault of the simulator and says so. */
function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof ApiError) {
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
    sendJson(response, error.code, error.status);
    return;
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  sendJson(response, 500, new ApiError(500, "InternalError", `the sandbox API server failed: ${message}`).status);
}
