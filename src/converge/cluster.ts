import type { Clock, Watchdog } from "../async/index.ts";
import type { ApiResource, KubeClient, Target } from "../kube/index.ts";
import type { KubeObject, ObjectRef } from "../object/index.ts";
import type { DesiredObject } from "./desired.ts";
import { observe } from "./observe.ts";
import type { LiveRecord } from "./record.ts";
import type { SetIdentity } from "./set.ts";

/** What every verb of the engine is handed: one cluster, one set, and the time. No verb knows another cluster. */
export interface Cluster {
  readonly client: KubeClient;
  readonly identity: SetIdentity;
  readonly clock: Clock;
  /** Told that the loops of the engine go round; default: nobody is. */
  readonly watchdog?: Watchdog | undefined;
  /**
   * The record of exactly this state of an object, where a watch told of it before the answer to the request that made it
   * so came, and it was found to hold exactly `desired`; default: never. Spares the second look at thousands of objects.
   */
  readonly seen?: (desired: DesiredObject, state: KubeObject["metadata"]) => LiveRecord | undefined;
}

/** The place of an object as the client wants it. */
export function targetOf(ref: ObjectRef): Target {
  return { namespace: ref.namespace, name: ref.name };
}

/** The record of an object that the API server just returned for `desired`, judged without a baseline. */
export async function recordOf(cluster: Cluster, object: KubeObject, desired?: DesiredObject): Promise<LiveRecord> {
  const { identity, client } = cluster;
  const seen = desired === undefined ? undefined : cluster.seen?.(desired, object.metadata);
  if (seen !== undefined) return seen;
  const ref = desired?.ref;
  const servedVersions = ref === undefined ? [] : await client.discovery.versions(ref);
  return observe(object, { identity, desired, baseline: undefined, servedVersions, isSelected: true });
}

/** The resource that serves an object that is not desired any more, in the version that the API server prefers. */
export async function resourceOf(cluster: Cluster, ref: ObjectRef): Promise<ApiResource | undefined> {
  return cluster.client.discovery.preferred(ref);
}
