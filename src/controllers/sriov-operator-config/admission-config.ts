import { fieldOf } from "../../object/index.ts";
import type { AdmissionCluster } from "./admission-cluster.ts";
import { type AdmissionRequest, ALLOWED, type Verdict } from "./admission-review.ts";
import { CONFIG_NAME } from "./identity.ts";

const DRAIN_WARNING =
  "Node draining is disabled: workloads may be interrupted while the policies of a node are applied";

/** Judges a write of a SriovOperatorConfig. */
export async function reviewConfig(
  request: AdmissionRequest,
  namespace: string,
  cluster: Pick<AdmissionCluster, "config" | "nodeStates">,
): Promise<Verdict> {
  if (request.operation === "DELETE") return ALLOWED;
  const { metadata, spec } = request.object;
  if (metadata.name !== CONFIG_NAME || metadata.namespace !== namespace) {
    return { kind: "denied", reason: `only default SriovOperatorConfig in ${namespace} namespace is used` };
  }
  if (fieldOf(spec, "disableDrain") !== true) return ALLOWED;
  const warnings = [DRAIN_WARNING];
  const stored = await cluster.config();
  if (stored === undefined || fieldOf(stored.spec, "disableDrain") === true) return { kind: "allowed", warnings };
  // A node in the middle of it would be drained half.
  const updating = (await cluster.nodeStates()).find(({ status }) => fieldOf(status, "syncStatus") === "InProgress");
  if (updating === undefined) return { kind: "allowed", warnings };
  const reason = `can't set Spec.DisableDrain = true while node[${updating.metadata.name}] is updating`;
  return { kind: "denied", reason, warnings };
}
