import type { AuditedRequest } from "../test/control-plane/audit-log.ts";

/** What one user asked of the API server, by sort. Keelson's own Lease, ConfigMaps, revisions and Events are counted apart. */
export interface RequestCounts {
  /** Without `own`. */
  readonly total: number;
  readonly gets: number;
  /** Lists, and watches that begin with the objects that are there. */
  readonly lists: number;
  /** Watches that go on from a resourceVersion. */
  readonly watches: number;
  readonly writes: number;
  readonly dryRuns: number;
  readonly discovery: number;
  readonly own: number;
}

type Sort = Exclude<keyof RequestCounts, "total">;

export function countRequests(requests: readonly AuditedRequest[]): RequestCounts {
  const sorts = requests.map(sortOf);
  const count = (sort: Sort): number => sorts.filter((candidate) => candidate === sort).length;
  return {
    total: requests.length - count("own"),
    gets: count("gets"),
    lists: count("lists"),
    watches: count("watches"),
    writes: count("writes"),
    dryRuns: count("dryRuns"),
    discovery: count("discovery"),
    own: count("own"),
  };
}

/** `123: 100 gets, 23 writes`. */
export function describeRequests(counts: RequestCounts): string {
  const parts = (["gets", "lists", "watches", "writes", "dryRuns", "discovery"] as const)
    .filter((sort) => counts[sort] > 0)
    .map((sort) => `${counts[sort]} ${sort === "dryRuns" ? "dry runs" : sort}`);
  return `${counts.total}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

/** Writes of objects of the load, by object. */
export function writesByObject(requests: readonly AuditedRequest[]): ReadonlyMap<string, number> {
  const writes = new Map<string, number>();
  for (const request of requests.filter((candidate) => sortOf(candidate) === "writes")) {
    const object = `${request.resource}/${request.name}`;
    writes.set(object, (writes.get(object) ?? 0) + 1);
  }
  return writes;
}

/** Kinds whose objects say what else is served: nobody labels them. */
const servedKinds: ReadonlySet<string> = new Set(["customresourcedefinitions", "apiservices"]);

/** The greatest number of lists that one kind was asked for, and the kinds that were listed without a label. */
export function listsPerKind(requests: readonly AuditedRequest[]): {
  readonly most: number;
  readonly unlabelled: readonly string[];
} {
  const lists = requests.filter((request) => sortOf(request) === "lists");
  const perKind = new Map<string, number>();
  for (const { group, resource } of lists) {
    const kind = `${resource}.${group}`;
    perKind.set(kind, (perKind.get(kind) ?? 0) + 1);
  }
  const unlabelled = lists.filter(({ uri, resource }) => !uri.includes("labelSelector=") && !servedKinds.has(resource));
  return { most: Math.max(0, ...perKind.values()), unlabelled: unlabelled.map(({ uri }) => uri) };
}

/** Without what is counted apart. */
export function withoutOwn(requests: readonly AuditedRequest[]): readonly AuditedRequest[] {
  return requests.filter((request) => sortOf(request) !== "own");
}

/** One line for each request that is no watch renewal, to show what should not have been asked. */
export function listOf(requests: readonly AuditedRequest[]): readonly string[] {
  return requests
    .filter((request) => !["watches", "own"].includes(sortOf(request)))
    .map(({ verb, uri, code }) => `${verb} ${uri} (${code})`);
}

function sortOf(request: AuditedRequest): Sort {
  const { verb, resource, uri } = request;
  if (isOwn(request)) return "own";
  if (resource === "") return "discovery";
  if (uri.includes("dryRun=All")) return "dryRuns";
  if (verb === "watch") return uri.includes("sendInitialEvents=true") ? "lists" : "watches";
  if (verb === "list") return "lists";
  return verb === "get" ? "gets" : "writes";
}

function isOwn({ resource, name, uri }: AuditedRequest): boolean {
  if (resource === "leases" || resource === "events") return true;
  // Revisions, by name or by their label.
  if (resource === "secrets" && (name.startsWith("keelson-") || uri.includes("keelson.dev"))) return true;
  return resource === "configmaps" && (name.startsWith("keelson-") || /metadata\.name(=|%3D)keelson-/.test(uri));
}
