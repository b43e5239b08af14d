import { isKeelsonError, KeelsonError } from "../errors/index.ts";
import { describeRef, releasePatch, stringifyJson } from "../object/index.ts";
import type { Executed } from "./change-set.ts";
import { type Cluster, recordOf, resourceOf, targetOf } from "./cluster.ts";
import type { DeleteStep, ReleaseStep } from "./step.ts";

const NOTHING: Pick<Executed, "remarks" | "warnings"> = { remarks: [], warnings: [] };

/**
 * Deletes an object in the background, on condition that it is the very object, in the very version, that was judged.
 * A 409 means that it moved: `Conflict` is thrown, and the engine looks and proves again.
 */
export async function deleteObject(cluster: Cluster, step: DeleteStep, signal: AbortSignal): Promise<Executed> {
  const { live } = step;
  const resource = await resourceOf(cluster, live.ref);
  // A kind that is no longer served has no objects to delete.
  if (resource === undefined) return { outcome: "skipped", live: undefined, ...NOTHING };
  try {
    const { uid, resourceVersion } = live;
    const result = await cluster.client.delete(resource, targetOf(live.ref), { uid, resourceVersion, signal });
    const rest = result.kind === "terminating" ? await recordOf(cluster, result.object) : undefined;
    return { outcome: "deleted", live: rest, remarks: [], warnings: result.warnings };
  } catch (error) {
    if (isKeelsonError(error, "NotFound")) return { outcome: "skipped", live: undefined, ...NOTHING };
    throw error;
  }
}

/** Takes our marks and our managedFields entries off an object that must never be deleted; its values stay. */
export async function releaseObject(cluster: Cluster, step: ReleaseStep, signal: AbortSignal): Promise<Executed> {
  const { client, identity } = cluster;
  const { live } = step;
  const resource = await resourceOf(cluster, live.ref);
  if (resource === undefined) return { outcome: "skipped", live: undefined, ...NOTHING };
  try {
    const object = await client.get(resource, targetOf(live.ref), { signal });
    if (step.isBound === true && object.metadata.resourceVersion !== live.resourceVersion) {
      throw new KeelsonError("Conflict", `${describeRef(live.ref)}: it moved since it was planned to be released`);
    }
    if (object.metadata.uid !== live.uid) return { outcome: "skipped", live: undefined, ...NOTHING };
    const patch = releasePatch(object, { manager: identity.manager, classLabels: identity.releasedLabels });
    if (patch === undefined) return { outcome: "skipped", live: undefined, ...NOTHING };
    const body = stringifyJson(patch);
    await client.patch(
      resource,
      targetOf(live.ref),
      { type: "json", body },
      { fieldManager: identity.manager, signal },
    );
    return { outcome: "released", live: undefined, ...NOTHING };
  } catch (error) {
    if (isKeelsonError(error, "NotFound")) return { outcome: "skipped", live: undefined, ...NOTHING };
    throw error;
  }
}
