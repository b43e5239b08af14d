import { isKeelsonError } from "../errors/index.ts";
import type { ApiResource } from "../kube/index.ts";
import { groupKindKey } from "../object/index.ts";
import { type Cluster, targetOf } from "./cluster.ts";
import type { DesiredObject } from "./desired.ts";
import type { LiveCache } from "./live-cache.ts";

/** From so many objects of one kind and namespace on, one list costs less than a GET each. */
const LIST_FROM = 4;

/**
 * Looks up desired objects that no selector found: an object without our labels may be there all the same, to be
 * adopted (Reconcile) or left alone (EnsureExists). Afterwards an absent record means an absent object. What cannot be
 * read is left to the write, whose answer says why.
 */
export class Prober {
  readonly #cluster: Cluster;
  readonly #cache: LiveCache;
  readonly #onProbed: (group: readonly DesiredObject[], signal: AbortSignal) => void;
  readonly #probing: Set<string> = new Set();

  /** `onProbed` is called as soon as the objects of one kind and namespace have been looked up: others may hang. */
  constructor(
    cluster: Cluster,
    cache: LiveCache,
    onProbed: (group: readonly DesiredObject[], signal: AbortSignal) => void,
  ) {
    this.#cluster = cluster;
    this.#cache = cache;
    this.#onProbed = onProbed;
  }

  /** Whether an object is being looked up. */
  isProbing(key: string): boolean {
    return this.#probing.has(key);
  }

  /** Resolves when all have been looked up; those of kinds that are not served count as such. Rejects only with `Aborted`. */
  async probe(unknown: readonly DesiredObject[], signal: AbortSignal): Promise<void> {
    const unserved = unknown.filter(({ resource }) => resource === undefined);
    if (unserved.length > 0) this.#onProbed(unserved, signal);
    const groups = groupsOf(unknown);
    for (const { key } of groups.flat()) this.#probing.add(key);
    await Promise.all(groups.map((group) => this.#probeGroup(group, signal)));
  }

  async #probeGroup(group: readonly DesiredObject[], signal: AbortSignal): Promise<void> {
    try {
      await probeGroup(this.#cluster, this.#cache, { unknown: group, signal });
    } finally {
      for (const { key } of group) this.#probing.delete(key);
    }
    this.#onProbed(group, signal);
  }
}

/** By kind, version and namespace: what one list can answer. */
function groupsOf(objects: readonly DesiredObject[]): readonly (readonly DesiredObject[])[] {
  const groups = new Map<string, DesiredObject[]>();
  for (const desired of objects) {
    if (desired.resource === undefined) continue;
    const id = `${groupKindKey(desired.ref)}@${desired.resource.version}/${desired.ref.namespace}`;
    const group = groups.get(id) ?? [];
    group.push(desired);
    groups.set(id, group);
  }
  return [...groups.values()];
}

async function probeGroup(
  cluster: Cluster,
  cache: LiveCache,
  work: { readonly unknown: readonly DesiredObject[]; readonly signal: AbortSignal },
): Promise<void> {
  const { unknown, signal } = work;
  const [first] = unknown;
  if (first?.resource === undefined) return;
  const { resource } = first;
  try {
    const servedVersions = await cluster.client.discovery.versions(resource, signal);
    const isListed =
      unknown.length >= LIST_FROM && (await probeByList(cluster, cache, { ...work, resource, servedVersions }));
    if (!isListed) await probeByName(cluster, cache, { ...work, resource, servedVersions });
  } catch (error) {
    if (!isKeelsonError(error) || error.code === "Aborted") throw error;
  }
}

interface ProbedGroup {
  readonly unknown: readonly DesiredObject[];
  readonly resource: ApiResource;
  readonly servedVersions: readonly string[];
  readonly signal: AbortSignal;
}

async function probeByName(cluster: Cluster, cache: LiveCache, group: ProbedGroup): Promise<void> {
  const { unknown, resource, servedVersions, signal } = group;
  for (const desired of unknown) {
    const known = cache.records.get(desired.key);
    const object = await cluster.client.get(resource, targetOf(desired.ref), { signal }).catch(absent);
    if (object !== undefined) cache.put(cache.observeRead(object, resource, { servedVersions, metadataOnly: false }));
    // Where the kind cannot be watched, nothing else tells that an object went.
    else if (known !== undefined) cache.drop(known.key, known.uid);
  }
}

/** Whether the kind could be listed. */
async function probeByList(cluster: Cluster, cache: LiveCache, group: ProbedGroup): Promise<boolean> {
  const { unknown, resource, servedVersions, signal } = group;
  const wanted = new Map(unknown.map((desired) => [desired.ref.name, cache.records.get(desired.key)]));
  // At the start metadata is enough to adopt by; an object that is looked at again and again has to be compared.
  const metadataOnly = ![...wanted.values()].some((known) => known !== undefined);
  const selection = { namespace: unknown[0]?.ref.namespace, metadataOnly, signal };
  try {
    for await (const page of cluster.client.list(resource, selection)) {
      for (const object of page.objects) {
        const name = object.metadata.name ?? "";
        if (!wanted.has(name)) continue;
        wanted.delete(name);
        cache.put(cache.observeRead(object, resource, { servedVersions, metadataOnly }));
      }
    }
  } catch (error) {
    if (isKeelsonError(error, "Forbidden", "BadRequest")) return false;
    throw error;
  }
  for (const gone of wanted.values()) if (gone !== undefined) cache.drop(gone.key, gone.uid);
  return true;
}

function absent(error: unknown): undefined {
  if (isKeelsonError(error, "NotFound", "NamespaceNotFound", "NoMatch")) return undefined;
  throw error;
}
