import type { Api, ApiRegistry } from "../rest/index.ts";

/** What a path names. */
export type Route =
  | {
      readonly kind: "resource";
      readonly api: Api;
      readonly namespace: string;
      readonly name: string;
      readonly subresource: string;
    }
  | { readonly kind: "versions" }
  | { readonly kind: "groups" }
  | { readonly kind: "group"; readonly group: string }
  | { readonly kind: "resources"; readonly group: string; readonly version: string }
  | { readonly kind: "openapi"; readonly path: string }
  | { readonly kind: "version" }
  | { readonly kind: "health"; readonly path: string }
  /** Not served: as a Status where the group is known, else as plain text. */
  | { readonly kind: "unknown"; readonly plain: boolean };

const HEALTH = new Set(["healthz", "livez", "readyz"]);

/** Finds what a request's path names. */
export function routeOf(apis: ApiRegistry, pathname: string): Route {
  const parts = pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodePart);
  const [first = ""] = parts;
  if (HEALTH.has(first)) return { kind: "health", path: first };
  if (first === "version") return { kind: "version" };
  if (first === "openapi") return { kind: "openapi", path: parts.slice(1).join("/") };
  if (first === "api") return coreRoute(apis, parts);
  return first === "apis" ? groupRoute(apis, parts) : { kind: "unknown", plain: false };
}

function coreRoute(apis: ApiRegistry, parts: readonly string[]): Route {
  const [, version = ""] = parts;
  if (parts.length === 1) return { kind: "versions" };
  if (parts.length > 2) return resourceRoute(apis, { group: "", version, rest: parts.slice(2) });
  return version === "v1" ? { kind: "resources", group: "", version } : notServed(apis, "");
}

function groupRoute(apis: ApiRegistry, parts: readonly string[]): Route {
  const [, group = "", version = ""] = parts;
  if (parts.length === 1) return { kind: "groups" };
  if (!apis.hasGroup(group)) return { kind: "unknown", plain: true };
  if (parts.length === 2) return { kind: "group", group };
  if (parts.length > 3) return resourceRoute(apis, { group, version, rest: parts.slice(3) });
  return apis.hasVersion(group, version) ? { kind: "resources", group, version } : notServed(apis, group);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function notServed(apis: ApiRegistry, group: string): Route {
  return { kind: "unknown", plain: group !== "" && !apis.isBuiltinGroup(group) };
}

interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly rest: readonly string[];
}

function resourceRoute(apis: ApiRegistry, { group, version, rest }: ResourcePath): Route {
  // `namespaces/x/pods` is pods in x; `namespaces/x/status` is a subresource of the namespace itself.
  const isScoped =
    rest[0] === "namespaces" && rest.length > 2 && !(group === "" && (rest[2] === "status" || rest[2] === "finalize"));
  const namespace = isScoped ? (rest[1] ?? "") : "";
  const [resource = "", name = "", subresource = "", ...more] = isScoped ? rest.slice(2) : rest;
  const api = apis.find(group, version, resource);
  if (api === undefined || more.length > 0) return notServed(apis, group);
  if (isScoped && !api.namespaced) return notServed(apis, group);
  if (!isScoped && api.namespaced && name !== "") return notServed(apis, group);
  const isKnown = subresource === "" || api.subresources.some((sub) => sub.name === subresource);
  return isKnown ? { kind: "resource", api, namespace, name, subresource } : notServed(apis, group);
}
