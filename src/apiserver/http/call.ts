import { isJsonObject, type JsonObject, parseJson } from "../../object/index.ts";
import { type Api, badRequest, type Cluster, invalid, unsupportedMediaType, type WriteRequest } from "../rest/index.ts";
import { FieldErrors } from "../strategy/index.ts";

/** A request for a resource, free of HTTP. */
export interface ResourceCall {
  readonly cluster: Cluster;
  readonly route: {
    readonly api: Api;
    readonly namespace: string;
    readonly name: string;
    readonly subresource: string;
  };
  readonly query: URLSearchParams;
  readonly userAgent: string;
  readonly contentType: string;
  readonly body: string;
}

/** What a request comes to. */
export interface Answer {
  readonly status: number;
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

const APPLY_PATCH = "application/apply-patch+yaml";
const BODY_TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const MAX_MANAGER = 128;

/** The object in the body of a POST or PUT. */
export function parseBody({ contentType, body }: ResourceCall): JsonObject {
  if (contentType !== "" && contentType !== "application/json") throw unsupportedMediaType(BODY_TYPES);
  try {
    const value = parseJson(body);
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
  }
  throw badRequest("couldn't get version/kind; json parse error: json: cannot unmarshal into Go value of type struct");
}

/** The JSON in the body of a DELETE; undefined where there is none. */
export function optionalBody({ body }: ResourceCall): unknown {
  if (body === "") return undefined;
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

/** The options of a write from its query, checked as the server does. */
export function writeRequest(call: ResourceCall, optionsKind: string): WriteRequest & { readonly warnings: string[] } {
  const { query, route, contentType } = call;
  const errors = new FieldErrors();
  const isPatch = optionsKind === "PatchOptions";
  const isApply = isPatch && contentType === APPLY_PATCH;
  const manager = query.get("fieldManager") ?? "";
  const force = query.get("force");
  if (isApply && manager === "") errors.required("fieldManager", "is required for apply patch");
  if (isPatch && !isApply && force !== null) errors.forbidden("force", "may not be specified for non-apply patch");
  if (Buffer.byteLength(manager) > MAX_MANAGER) errors.tooLong("fieldManager", MAX_MANAGER);
  const dryRun = query.getAll("dryRun");
  if (dryRun.some((value) => value !== "All" && value !== "")) errors.notSupported("dryRun", dryRun, ["All"]);
  const validation = query.get("fieldValidation") ?? "";
  const known = validation === "Strict" || validation === "Ignore" || validation === "Warn";
  if (validation !== "" && !known) errors.notSupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]);
  if (!errors.isEmpty) throw invalid({ group: "meta.k8s.io", kind: optionsKind }, "", errors.list);
  return {
    api: route.api,
    namespace: route.namespace,
    name: route.name,
    subresource: route.subresource,
    manager: manager === "" ? managerFromUserAgent(call.userAgent) : manager,
    dryRun: dryRun.includes("All"),
    fieldValidation: known ? validation : "Warn",
    warnings: [],
  };
}

/** Without a field manager, the first word of the User-Agent stands for the writer. */
function managerFromUserAgent(userAgent: string): string {
  const name = [...(userAgent.split("/")[0] ?? "")].filter((c) => c >= " " && c !== "\u007f").join("");
  return name.slice(0, MAX_MANAGER) || "unknown";
}
