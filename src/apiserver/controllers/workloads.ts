import type { JsonObject } from "../../object/index.ts";
import { metadataOf } from "../managers/index.ts";
import { type Api, type Cluster, nowText } from "../rest/index.ts";
import { numberAt, objectAt, objectsAt } from "../strategy/index.ts";
import { mergeInto } from "./objects.ts";

const MANAGER = "kube-controller-manager";

/** The status that a workload has once all is well; no pods are made. */
type StatusOf = (object: JsonObject, now: string) => JsonObject;

function condition(type: string, reason: string, now: string): JsonObject {
  return { type, status: "True", reason, message: "simulated", lastTransitionTime: now, lastUpdateTime: now };
}

const replicasOf = (object: JsonObject): number => numberAt(objectAt(object, "spec"), "replicas") ?? 1;

const STATUS_OF: Readonly<Record<string, StatusOf>> = {
  "deployments.apps": (object, now) => {
    const replicas = replicasOf(object);
    const conditions = [
      condition("Available", "MinimumReplicasAvailable", now),
      condition("Progressing", "NewReplicaSetAvailable", now),
    ];
    return { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas, conditions };
  },
  "replicasets.apps": (object) => {
    const replicas = replicasOf(object);
    return { replicas, fullyLabeledReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  },
  "statefulsets.apps": (object) => {
    const replicas = replicasOf(object);
    return {
      replicas,
      currentReplicas: replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      currentRevision: "simulated",
      updateRevision: "simulated",
    };
  },
  "daemonsets.apps": () => ({
    currentNumberScheduled: 1,
    desiredNumberScheduled: 1,
    numberAvailable: 1,
    numberReady: 1,
    updatedNumberScheduled: 1,
    numberMisscheduled: 0,
  }),
  "jobs.batch": (object, now) => {
    const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => {
      const { lastUpdateTime: _, ...rest } = condition(type, "CompletionsReached", now);
      return { ...rest, lastProbeTime: now };
    });
    return {
      succeeded: numberAt(objectAt(object, "spec"), "completions") ?? 1,
      ready: 0,
      startTime: now,
      completionTime: now,
      conditions,
    };
  },
};

/** Tables whose objects become ready by themselves. */
export const WORKLOAD_TABLES: readonly string[] = Object.keys(STATUS_OF);

/** Whether a workload's status is behind its spec. */
export function isBehind(object: JsonObject): boolean {
  const generation = numberAt(metadataOf(object), "generation") ?? 0;
  const status = objectAt(object, "status");
  if (object.kind === "Job")
    return objectsAt(status, "conditions").length === 0 && objectAt(object, "spec")?.suspend !== true;
  return (numberAt(status, "observedGeneration") ?? 0) < generation;
}

/** Writes the status of a workload that is ready. */
export function makeReady(cluster: Cluster, api: Api, object: JsonObject): void {
  const statusOf = STATUS_OF[api.table];
  if (statusOf === undefined) return;
  const observedGeneration = numberAt(metadataOf(object), "generation") ?? 0;
  const status = { ...(object.kind === "Job" ? {} : { observedGeneration }), ...statusOf(object, nowText(cluster)) };
  mergeInto(cluster, { api, object, subresource: "status", manager: MANAGER }, { status });
}
