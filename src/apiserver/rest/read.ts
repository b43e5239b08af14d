import type { JsonObject } from "../../object/index.ts";
import { objectKey } from "../storage/index.ts";
import type { Api } from "./api.ts";
import { ApiError, badRequest, expired, notFound } from "./api-error.ts";
import type { Cluster } from "./cluster.ts";
import { matcherOf } from "./selectors.ts";

/** GET of one object. */
export function getObject(cluster: Cluster, api: Api, namespace: string, name: string): JsonObject {
  const stored = cluster.store.get(api.table, objectKey(api.namespaced ? namespace : "", name));
  if (stored === undefined) throw notFound(api, name);
  return api.codec.fromStored(stored);
}

/** GET of a collection, with selectors and pages. */
export function listObjects(cluster: Cluster, api: Api, namespace: string, query: URLSearchParams): JsonObject {
  checkListVersion(cluster, query);
  const matches = matcherOf(api, query);
  const limit = Number(query.get("limit") ?? 0);
  const after = parseContinue(cluster, query.get("continue") ?? "");
  const items: JsonObject[] = [];
  let rest = 0;
  let last = "";
  for (const [key, stored] of cluster.store.list(api.table, api.namespaced ? namespace : "")) {
    if (after !== undefined && key <= after.key) continue;
    const object = api.codec.fromStored(stored);
    if (!matches(object)) continue;
    if (limit > 0 && items.length >= limit) {
      rest += 1;
      continue;
    }
    items.push(object);
    last = key;
  }
  const revision = after?.revision ?? cluster.store.revision;
  const hasSelector = query.get("labelSelector") || query.get("fieldSelector");
  const page =
    rest === 0 ? {} : { continue: writeContinue(revision, last), ...(hasSelector ? {} : { remainingItemCount: rest }) };
  return {
    kind: api.listKind,
    apiVersion: api.apiVersion,
    metadata: { resourceVersion: String(revision), ...page },
    items,
  };
}

/** Refuses resource versions that are compacted or in the future, where the list must be exact or not older. */
function checkListVersion(cluster: Cluster, query: URLSearchParams): void {
  const text = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  if (text === "" || text === "0") return;
  const revision = Number(text);
  if (!Number.isInteger(revision))
    throw badRequest(
      `invalid resource version ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  if (revision > cluster.store.revision) throw futureVersion(revision, cluster.store.revision);
  if (match === "Exact" && revision < cluster.store.compacted) throw expired(tooOld());
}

function futureVersion(asked: number, current: number): ApiError {
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return new ApiError(504, "Timeout", `Too large resource version: ${asked}, current: ${current}`, {
    details: { causes, retryAfterSeconds: 1 },
    headers: { "retry-after": "1" },
  });
}

function tooOld(): string {
  return "The provided resource version is too old to be listed: a compaction has removed it";
}

interface ContinueToken {
  readonly revision: number;
  readonly key: string;
}

function writeContinue(revision: number, key: string): string {
  return Buffer.from(JSON.stringify([revision, key])).toString("base64url");
}

function parseContinue(cluster: Cluster, token: string): ContinueToken | undefined {
  if (token === "") return undefined;
  try {
    const [revision, key]: readonly unknown[] = JSON.parse(Buffer.from(token, "base64url").toString());
    if (typeof revision !== "number" || typeof key !== "string") throw badRequest("continue key is not valid");
    if (revision < cluster.store.compacted)
      throw expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.",
      );
    return { revision, key };
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest("continue key is not valid");
    throw error;
  }
}
