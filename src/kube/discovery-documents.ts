import { isJsonObject, type JsonObject } from "../object/index.ts";
import type { ApiResource } from "./resource.ts";

/** What one group serves: its versions in the server's order of preference. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
  /** The aggregated API server behind it did not answer; what is listed is old or empty. */
  readonly isStale: boolean;
}

/** Asks for aggregated discovery (KEP-3352), and takes the plain group list from servers that have none. */
export const aggregatedAccept: string = [
  ...["v2", "v2beta1"].map((v) => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`),
  "application/json",
].join(",");

/**
 * Whether an answer is aggregated discovery. Servers that do not know the asked version answer 200 with the plain list,
 * so that only the Content-Type tells.
 */
export function isAggregated(contentType: string | undefined): boolean {
  const parameters = (contentType ?? "").split(";").map((part) => part.trim());
  return parameters.includes("g=apidiscovery.k8s.io") && parameters.includes("as=APIGroupDiscoveryList");
}

/** Reads an APIGroupDiscoveryList. */
export function parseAggregated(document: JsonObject): readonly ServedVersion[] {
  return objects(document.items).flatMap((item) => {
    const group = isJsonObject(item.metadata) ? text(item.metadata.name) : "";
    return objects(item.versions).map((served) => {
      const version = text(served.version);
      return {
        group,
        version,
        isStale: served.freshness === "Stale",
        resources: objects(served.resources).flatMap((entry) => aggregatedResource(entry, group, version)),
      };
    });
  });
}

/** A group-version of the plain lists `/api` and `/apis`, to be looked at one by one. */
export interface ListedVersion {
  readonly group: string;
  readonly version: string;
}

/** Reads an APIVersions (`/api`) or an APIGroupList (`/apis`); the preferred version comes first. */
export function parseGroupList(document: JsonObject): readonly ListedVersion[] {
  if (Array.isArray(document.versions)) {
    return document.versions.map((version) => ({ group: "", version: text(version) }));
  }
  return objects(document.groups).flatMap((group) => {
    const name = text(group.name);
    const preferred = isJsonObject(group.preferredVersion) ? text(group.preferredVersion.version) : "";
    const versions = objects(group.versions).map((version) => text(version.version));
    const ordered = [...versions.filter((v) => v === preferred), ...versions.filter((v) => v !== preferred)];
    return ordered.map((version) => ({ group: name, version }));
  });
}

/** Reads an APIResourceList, where subresources stand beside their resources as `deployments/status`. */
export function parseResourceList(document: JsonObject, { group, version }: ListedVersion): readonly ApiResource[] {
  const entries = objects(document.resources);
  const names = entries.map((entry) => text(entry.name));
  return entries.flatMap((entry) => {
    const resource = text(entry.name);
    const kind = text(entry.kind);
    if (resource === "" || resource.includes("/") || kind === "") return [];
    const subresources = names
      .filter((name) => name.startsWith(`${resource}/`))
      .map((name) => name.slice(resource.length + 1));
    const namespaced = entry.namespaced === true;
    return [{ group, version, kind, resource, namespaced, verbs: texts(entry.verbs), subresources }];
  });
}

function aggregatedResource(entry: JsonObject, group: string, version: string): readonly ApiResource[] {
  const responseKind = isJsonObject(entry.responseKind) ? entry.responseKind : {};
  const kind = text(responseKind.kind);
  const resource = text(entry.resource);
  // An aggregated API server may list a virtual resource that exists for its subresources alone: it has no kind.
  if (kind === "" || resource === "") return [];
  return [
    {
      group,
      version,
      kind,
      resource,
      namespaced: entry.scope === "Namespaced",
      verbs: texts(entry.verbs),
      subresources: objects(entry.subresources).map((subresource) => text(subresource.subresource)),
    },
  ];
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
