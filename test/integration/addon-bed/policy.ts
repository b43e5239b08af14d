import type { PrunePolicy } from "../../../src/converge/index.ts";
import type { GroupVersionKind } from "../../../src/object/index.ts";

const gvk = (apiVersion: string, kind: string): GroupVersionKind => {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return { group, version, kind };
};

/** What tests prune unless they say otherwise: fewer kinds than the default list, as each costs two watches. */
export const PRUNE: PrunePolicy = {
  kinds: [
    gvk("v1", "ConfigMap"),
    gvk("v1", "Endpoints"),
    gvk("v1", "Namespace"),
    gvk("v1", "Secret"),
    gvk("v1", "Service"),
    gvk("apps/v1", "Deployment"),
    gvk("apps/v1", "ReplicaSet"),
  ],
  allKinds: false,
  isOff: false,
  legacy: "hold",
  limit: undefined,
  settleMs: 100,
};

export { gvk };
