import type { JsonObject } from "../../object/index.ts";
import { metadataOf, metaText } from "../managers/index.ts";
import type { Api, Cluster } from "../rest/index.ts";
import { objectsAt, textAt, textsAt } from "../strategy/index.ts";
import { deleteInBackground, mergeInto, removeFinalizer } from "./objects.ts";

const MANAGER = "kube-controller-manager";
/** Finalizers that other controllers of a real cluster take away once nothing uses the object. */
const PROTECTION = ["kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"];

interface Located {
  readonly api: Api;
  readonly object: JsonObject;
}

/** Deletes dependents whose owners are gone, and carries out the deletion policies of owners. One pass over everything. */
export function collectGarbage(cluster: Cluster): void {
  const all = cluster.apis
    .perTable()
    .flatMap((api) => [...cluster.store.values(api.table)].map((object): Located => ({ api, object })));
  const uids = new Set(all.map(({ object }) => metaText(object, "uid")));
  for (const located of all) {
    if (metaText(located.object, "deletionTimestamp") !== "") finishOwner(cluster, located, all);
    else if (isOrphan(located.object, uids)) deleteInBackground(cluster, located.api, located.object, MANAGER);
  }
}

function isOrphan(object: JsonObject, uids: ReadonlySet<string>): boolean {
  const owners = objectsAt(metadataOf(object), "ownerReferences");
  return owners.length > 0 && owners.every((owner) => !uids.has(textAt(owner, "uid")));
}

function finishOwner(cluster: Cluster, { api, object }: Located, all: readonly Located[]): void {
  const finalizers = textsAt(metadataOf(object), "finalizers");
  const uid = metaText(object, "uid");
  const dependents = all.filter((one) =>
    objectsAt(metadataOf(one.object), "ownerReferences").some((owner) => owner.uid === uid),
  );
  const target = { api, object, manager: MANAGER };
  if (finalizers.includes("orphan")) {
    for (const dependent of dependents) {
      const rest = objectsAt(metadataOf(dependent.object), "ownerReferences").filter((owner) => owner.uid !== uid);
      mergeInto(
        cluster,
        { ...dependent, manager: MANAGER },
        { metadata: { ownerReferences: rest.length === 0 ? null : rest } },
      );
    }
    removeFinalizer(cluster, target, "orphan");
  } else if (finalizers.includes("foregroundDeletion")) {
    for (const dependent of dependents) {
      if (metaText(dependent.object, "deletionTimestamp") === "")
        deleteInBackground(cluster, dependent.api, dependent.object, MANAGER);
    }
    if (dependents.length === 0) removeFinalizer(cluster, target, "foregroundDeletion");
  } else {
    const protection = finalizers.find((finalizer) => PROTECTION.includes(finalizer));
    if (protection !== undefined) removeFinalizer(cluster, target, protection);
  }
}
