import { isAborted, isKeelsonError, KeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { describeRef, groupKindKey, type ObjectRef, parseRefKey } from "../../object/index.ts";
import { CLUSTER_KINDS, MACHINE_CONFIG, WEBHOOK_CONFIGURATIONS } from "./identity.ts";

/** What goes with a config. */
export interface TeardownOptions {
  readonly client: KubeClient;
  /** Keys of everything that the components render, and of what is known to be ours in the cluster. */
  readonly keys: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Deletes what no owner reference can collect: the webhook configurations first (with nobody behind them they would
 * refuse every write), all of them attempted, then the other cluster-scoped objects. The MachineConfig stays: its removal
 * reboots nodes. What is not there counts as done.
 *
 * @throws KeelsonError with every failure in its message
 */
export async function deleteClusterObjects(options: TeardownOptions): Promise<void> {
  const failures: string[] = [];
  for (const { resource, name } of WEBHOOK_CONFIGURATIONS) {
    const ref = { group: resource.group, kind: resource.kind, namespace: "", name };
    await attempt(failures, ref, () =>
      options.client.delete(resource, { namespace: "", name }, { signal: options.signal }),
    );
  }
  for (const ref of clusterRefs(options.keys)) {
    await attempt(failures, ref, async () => {
      const resource = await options.client.discovery.preferred(ref, options.signal);
      if (resource === undefined) return;
      await options.client.delete(resource, { namespace: "", name: ref.name }, { signal: options.signal });
    });
  }
  if (failures.length > 0) throw new KeelsonError("Conflict", failures.join("; "));
}

async function attempt(failures: string[], ref: ObjectRef, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isAborted(error)) throw error;
    if (!isKeelsonError(error, "NotFound")) failures.push(`${describeRef(ref)}: ${messageOf(error)}`);
  }
}

/** Pure. */
export function clusterRefs(keys: readonly string[]): readonly ObjectRef[] {
  const refs = [...new Set(keys)].map(parseRefKey);
  return refs.filter((ref) => CLUSTER_KINDS.has(groupKindKey(ref)) && ref.kind !== MACHINE_CONFIG.kind);
}
