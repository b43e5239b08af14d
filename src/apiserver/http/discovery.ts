import { createHash } from "node:crypto";
import { type JsonObject, stringifyJson } from "../../object/index.ts";
import type { Api, ApiRegistry } from "../rest/index.ts";

/** The content type of aggregated discovery. */
export const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Group {
  readonly name: string;
  /** Preferred first. */
  readonly versions: readonly string[];
}

/** Aggregated discovery of the core group (`/api`) or of all others (`/apis`). */
export function aggregated(apis: ApiRegistry, core: boolean): JsonObject {
  const items = groupsOf(apis)
    .filter((group) => (group.name === "") === core)
    .map((group) => ({
      metadata: group.name === "" ? { creationTimestamp: null } : { name: group.name, creationTimestamp: null },
      versions: group.versions.map((version) => ({
        version,
        resources: apisOf(apis, group.name, version).map((api) => aggregatedResource(api)),
        freshness: "Current",
      })),
    }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

/** An entity tag for a document. */
export function etagOf(document: JsonObject): string {
  return `"${createHash("sha256").update(stringifyJson(document)).digest("hex").toUpperCase()}"`;
}

function aggregatedResource(api: Api): JsonObject {
  return {
    resource: api.resource,
    responseKind: { group: "", version: "", kind: api.kind },
    scope: api.namespaced ? "Namespaced" : "Cluster",
    singularResource: api.singular,
    verbs: [...api.verbs].sort(),
    ...(api.shortNames.length === 0 ? {} : { shortNames: api.shortNames }),
    ...(api.categories.length === 0 ? {} : { categories: api.categories }),
    ...(api.subresources.length === 0
      ? {}
      : {
          subresources: api.subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: sub.kind === "" ? null : kindOf(sub.apiVersion, sub.kind, api),
            verbs: sub.verbs,
          })),
        }),
  };
}

function kindOf(apiVersion: string, kind: string, api: Api): JsonObject {
  if (apiVersion === api.apiVersion) return { group: "", version: "", kind };
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  return { group, version, kind };
}

/** `/api`. */
export function coreVersions(): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1" }],
  };
}

/** `/apis`. */
export function groupList(apis: ApiRegistry): JsonObject {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groupsOf(apis)
      .filter(({ name }) => name !== "")
      .map(describeGroup),
  };
}

/** `/apis/<group>`. */
export function groupDocument(apis: ApiRegistry, name: string): JsonObject {
  const group = groupsOf(apis).find((candidate) => candidate.name === name) ?? { name, versions: [] };
  return { kind: "APIGroup", apiVersion: "v1", ...describeGroup(group) };
}

function describeGroup({ name, versions }: Group): JsonObject {
  const described = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: described, preferredVersion: described[0] };
}

/** `/apis/<group>/<version>`. */
export function resourceList(apis: ApiRegistry, group: string, version: string): JsonObject {
  const resources = apisOf(apis, group, version).flatMap((api) => [
    {
      name: api.resource,
      singularName: api.singular,
      namespaced: api.namespaced,
      kind: api.kind,
      verbs: [...api.verbs].sort(),
      ...(api.shortNames.length === 0 ? {} : { shortNames: api.shortNames }),
      ...(api.categories.length === 0 ? {} : { categories: api.categories }),
    },
    ...api.subresources.map((sub) => ({
      name: `${api.resource}/${sub.name}`,
      singularName: "",
      namespaced: api.namespaced,
      ...(sub.apiVersion === api.apiVersion ? {} : kindOf(sub.apiVersion, sub.kind, api)),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ]);
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources,
  };
}

function apisOf(apis: ApiRegistry, group: string, version: string): readonly Api[] {
  return apis.all.filter((api) => api.group === group && api.version === version);
}

function groupsOf(apis: ApiRegistry): readonly Group[] {
  const groups = new Map<string, Set<string>>();
  for (const api of apis.all) {
    const versions = groups.get(api.group) ?? new Set();
    versions.add(api.version);
    groups.set(api.group, versions);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: apis.isBuiltinGroup(name) ? [...versions] : [...versions].sort(byPriority),
  }));
}

/** Kubernetes' order of versions: stable before beta before alpha, higher numbers first. */
function byPriority(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  for (let i = 0; i < left.length; i++) {
    const difference = (right[i] ?? 0) - (left[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : 1;
}

function rankOf(version: string): readonly number[] {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (found === null) return [-1, 0, 0];
  const [, major = "0", stage, minor = "0"] = found;
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
}
