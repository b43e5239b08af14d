import { isKeelsonError, KeelsonError } from "../errors/index.ts";
import { describeRef } from "../object/index.ts";
import type { Executed } from "./change-set.ts";
import { type Cluster, recordOf, targetOf } from "./cluster.ts";
import { bodyOf, desiredTree } from "./desired.ts";
import type { EnsureStep, RelabelStep } from "./step.ts";

/** Creates an EnsureExists object where it is absent. That somebody else was first is success. */
export async function ensureObject(cluster: Cluster, step: EnsureStep, signal: AbortSignal): Promise<Executed> {
  const { client, identity } = cluster;
  const { desired } = step;
  const { resource, ref } = desired;
  if (resource === undefined) throw new KeelsonError("NoMatch", `${describeRef(ref)}: its kind is not served`);
  const body = bodyOf(desiredTree(desired, identity), undefined);
  try {
    const result = await client.create(resource, targetOf(ref), body, { fieldManager: identity.manager, signal });
    const live = await recordOf(cluster, result.object, desired);
    return { outcome: "created", live, remarks: [], warnings: result.warnings };
  } catch (error) {
    if (!isKeelsonError(error, "AlreadyExists")) throw error;
    const object = await client.get(resource, targetOf(ref), { signal, metadataOnly: true });
    const live = await recordOf(cluster, object, desired);
    return { outcome: "unchanged", live: { ...live, isSelected: false }, remarks: [], warnings: [] };
  }
}

/**
 * Lets the mode label of an object that became EnsureExists follow its file, by a merge patch of that label alone: an
 * apply with fewer fields would take the dropped ones, the object's data, with it.
 */
export async function relabelObject(cluster: Cluster, step: RelabelStep, signal: AbortSignal): Promise<Executed> {
  const { client, identity } = cluster;
  const { desired, live } = step;
  const { resource, ref } = desired;
  const { modeLabel } = identity;
  if (resource === undefined || modeLabel === undefined) {
    throw new KeelsonError("NoMatch", `${describeRef(ref)}: its kind is not served`);
  }
  const { uid, resourceVersion } = live;
  const known = step.isBound === true ? { uid, resourceVersion } : { uid };
  const body = JSON.stringify({ metadata: { ...known, labels: { [modeLabel]: desired.mode } } });
  const options = { fieldManager: identity.manager, signal } as const;
  const result = await client.patch(resource, targetOf(ref), { type: "merge", body }, options);
  const after = await recordOf(cluster, result.object, desired);
  return { outcome: "configured", live: after, remarks: [], warnings: result.warnings };
}
