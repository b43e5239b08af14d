import type { ApiResource, Discovery } from "../kube/index.ts";
import { type GroupKind, type GroupVersionKind, groupKindKey } from "../object/index.ts";
import type { DesiredSet } from "./desired.ts";

/** One kind that is looked at. */
export interface ScopedKind {
  readonly resource: ApiResource;
  /** No desired object is of this kind: labels and managedFields are all that is needed. */
  readonly metadataOnly: boolean;
}

/** Which kinds prune looks at, beside those of the desired set. */
export interface PruneScope {
  /** The prune list, as configured. */
  readonly kinds: readonly GroupVersionKind[];
  /** Kinds that Keelson applied earlier, where every kind may be pruned (`--prune-all-kinds`). */
  readonly alsoKinds: readonly GroupKind[];
  /** Objects of every kind are looked at whole, so that a kind which becomes desired is known already. Default false. */
  readonly isWarm?: boolean;
  /** Kinds that are only read by name, never listed or watched. */
  readonly unwatched?: readonly GroupKind[];
}

/** A scope, and the entries of the prune list that the API server does not serve. */
export interface Scope {
  readonly kinds: readonly ScopedKind[];
  readonly unserved: readonly GroupVersionKind[];
}

/**
 * The kinds to watch: those of the desired objects, in the versions of the manifests, and those of the prune list. A
 * group-kind that is desired in several versions is watched in each: a record is only ever compared with one of the same
 * version.
 */
export async function computeScope(desired: DesiredSet, prune: PruneScope, discovery: Discovery): Promise<Scope> {
  const kinds = new Map<string, ScopedKind>();
  const unwatched = new Set((prune.unwatched ?? []).map(groupKindKey));
  const seen = new Set<string>();
  for (const resource of new Set([...desired.objects.values()].map(({ resource }) => resource))) {
    if (resource === undefined || unwatched.has(groupKindKey(resource)) || !canWatch(resource)) continue;
    kinds.set(`${groupKindKey(resource)}@${resource.version}`, { resource, metadataOnly: false });
    seen.add(groupKindKey(resource));
  }
  const unserved: GroupVersionKind[] = [];
  for (const gvk of prune.kinds) {
    const resource = (await discovery.find(gvk)) ?? (await discovery.preferred(gvk));
    if (resource === undefined) unserved.push(gvk);
    else addPruned(resource);
  }
  for (const gk of prune.alsoKinds) {
    const resource = await discovery.preferred(gk);
    if (resource !== undefined) addPruned(resource);
  }
  return { kinds: [...kinds.values()], unserved };

  function addPruned(resource: ApiResource): void {
    const gk = groupKindKey(resource);
    if (seen.has(gk) || unwatched.has(gk) || !canWatch(resource)) return;
    seen.add(gk);
    kinds.set(`${gk}@${resource.version}`, { resource, metadataOnly: prune.isWarm !== true });
  }
}

function canWatch(resource: ApiResource): boolean {
  return resource.verbs.includes("list") && resource.verbs.includes("watch");
}
