import type { SetIdentity } from "../../converge/index.ts";
import { CLUSTER_SERVICE_LABEL, isJsonObject, type JsonObject, MODE_LABEL } from "../../object/index.ts";

/** Names that a set's objects of ours go by; `set` is "" for the only one, else a DNS label. */
export interface SetNames {
  /** Field manager of its applies. */
  readonly manager: string;
  /** ConfigMap in kube-system: what the daemon says of itself. */
  readonly statusConfigMap: string;
  /** ConfigMap in kube-system: what people tell the daemon. */
  readonly controlConfigMap: string;
  /** ConfigMap in kube-system: the set as other tools read it (`--applyset`). */
  readonly applySetConfigMap: string;
  /** Own Lease (`--leader-elect=lease`), as passed to the leader election. */
  readonly set: string;
}

/** Namespace of Keelson's own objects. */
export const SYSTEM_NAMESPACE = "kube-system";

/** The names of a set. */
export function namesOf(set: string): SetNames {
  const suffix = set === "" ? "" : `-${set}`;
  return {
    manager: set === "" ? "keelson" : `keelson.${set}`,
    statusConfigMap: `keelson-status${suffix}`,
    controlConfigMap: `keelson-control${suffix}`,
    applySetConfigMap: `keelson-applyset${suffix}`,
    set,
  };
}

/** Label of every member of an ApplySet: the id of its parent. */
export const APPLYSET_PART_OF_LABEL = "applyset.kubernetes.io/part-of";

/** The ApplySet that the members of a set are marked with. */
export interface Membership {
  readonly id: string;
  /** Another tool keeps the parent: nothing is marked. */
  readonly isRefused: boolean;
}

/**
 * How add-ons are found and proven. The class that the original prunes: mode `Reconcile`, or the older label
 * `kubernetes.io/cluster-service=true` with any mode but `EnsureExists`.
 */
export function addonIdentity(names: SetNames, membership?: Membership): SetIdentity {
  const ofSet = membership === undefined ? [] : [APPLYSET_PART_OF_LABEL];
  return {
    manager: names.manager,
    selectors: [MODE_LABEL, `${CLUSTER_SERVICE_LABEL}=true,!${MODE_LABEL}`],
    classLabels,
    releasedLabels: [MODE_LABEL, CLUSTER_SERVICE_LABEL, ...ofSet],
    modeLabel: MODE_LABEL,
    ...(membership === undefined ? {} : { decorate: (object) => markedWith(object, membership) }),
  };
}

function markedWith(object: JsonObject, { id, isRefused }: Membership): JsonObject {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const labels = isJsonObject(metadata.labels) ? metadata.labels : {};
  if (isRefused || labels[APPLYSET_PART_OF_LABEL] !== undefined) return object;
  return { ...object, metadata: { ...metadata, labels: { ...labels, [APPLYSET_PART_OF_LABEL]: id } } };
}

// One array for each case: every live record holds one.
const NO_LABELS: readonly string[] = [];
const BY_MODE: readonly string[] = [MODE_LABEL];
const BY_SERVICE: readonly string[] = [CLUSTER_SERVICE_LABEL];
const BOTH: readonly string[] = [MODE_LABEL, CLUSTER_SERVICE_LABEL];

function classLabels(labels: Readonly<Record<string, string>>): readonly string[] {
  const mode = labels[MODE_LABEL];
  if (mode === "EnsureExists") return NO_LABELS;
  const isService = labels[CLUSTER_SERVICE_LABEL] === "true";
  if (mode === "Reconcile") return isService ? BOTH : BY_MODE;
  return isService ? BY_SERVICE : NO_LABELS;
}
