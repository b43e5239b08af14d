import type { KubeObject } from "../object/index.ts";
import { conditionOf, numberOf, pathOf, section, textOf, wordsOf } from "./fields.ts";
import { current, failed, firstOf, inProgress, type Readiness } from "./verdict.ts";

/** A Deployment without a progress deadline never fails: kstatus takes the largest int32 for "none". */
const NO_DEADLINE = 2_147_483_647;

/** Deployment: all replicas updated, available and ready, none left over, within the progress deadline. */
export function deploymentReadiness(object: KubeObject): Readiness {
  const [spec, status] = [section(object, "spec"), section(object, "status")];
  const progressing = conditionOf(object, "Progressing");
  if (progressing.status === "False" && progressing.reason === "ProgressDeadlineExceeded") {
    return failed(wordsOf(progressing, "progress deadline exceeded"));
  }
  const [wanted, total] = [numberOf(spec, "replicas", 1), numberOf(status, "replicas")];
  const [updated, available] = [numberOf(status, "updatedReplicas"), numberOf(status, "availableReplicas")];
  const ready = numberOf(status, "readyReplicas");
  const hasDeadline = numberOf(spec, "progressDeadlineSeconds", NO_DEADLINE) !== NO_DEADLINE;
  const isRolledOut = progressing.status === "True" && progressing.reason === "NewReplicaSetAvailable";
  return (
    firstOf(
      total < wanted && inProgress(`replicas: ${total}/${wanted}`),
      updated < wanted && inProgress(`updated: ${updated}/${wanted}`),
      total > wanted && inProgress(`pending termination: ${total - wanted}`),
      available < updated && inProgress(`available: ${available}/${updated}`),
      ready < wanted && inProgress(`ready: ${ready}/${wanted}`),
      hasDeadline && !isRolledOut && inProgress("the new ReplicaSet is not available"),
      conditionOf(object, "Available").status !== "True" && inProgress("the Deployment is not available"),
    ) ?? current(`available, replicas: ${total}`)
  );
}

/** ReplicaSet: all replicas labelled, available and ready, none left over. */
export function replicaSetReadiness(object: KubeObject): Readiness {
  const [spec, status] = [section(object, "spec"), section(object, "status")];
  const failure = conditionOf(object, "ReplicaFailure");
  const [wanted, total] = [numberOf(spec, "replicas", 1), numberOf(status, "replicas")];
  const [labelled, available] = [numberOf(status, "fullyLabeledReplicas"), numberOf(status, "availableReplicas")];
  const ready = numberOf(status, "readyReplicas");
  return (
    firstOf(
      failure.status === "True" && inProgress(wordsOf(failure, "a replica could not be made")),
      labelled < wanted && inProgress(`labelled: ${labelled}/${wanted}`),
      available < wanted && inProgress(`available: ${available}/${wanted}`),
      ready < wanted && inProgress(`ready: ${ready}/${wanted}`),
      total > wanted && inProgress(`pending termination: ${total - wanted}`),
    ) ?? current(`available, replicas: ${total}`)
  );
}

/** StatefulSet: all replicas ready and of the updated revision, or as many as the partition lets through. */
export function statefulSetReadiness(object: KubeObject): Readiness {
  const [spec, status] = [section(object, "spec"), section(object, "status")];
  if (textOf(spec, "updateStrategy", "type") === "OnDelete") return current("updated on delete only");
  const [wanted, total] = [numberOf(spec, "replicas", 1), numberOf(status, "replicas")];
  const ready = numberOf(status, "readyReplicas");
  return (
    firstOf(
      total < wanted && inProgress(`replicas: ${total}/${wanted}`),
      ready < wanted && inProgress(`ready: ${ready}/${wanted}`),
      total > wanted && inProgress(`pending termination: ${total - wanted}`),
    ) ?? statefulSetRollout(object, wanted)
  );
}

function statefulSetRollout(object: KubeObject, wanted: number): Readiness {
  const status = section(object, "status");
  const partition = pathOf(object, "spec", "updateStrategy", "rollingUpdate", "partition");
  const updated = numberOf(status, "updatedReplicas");
  if (typeof partition === "number" && partition > 0) {
    const due = Math.max(wanted - partition, 0);
    return updated < due ? inProgress(`updated: ${updated}/${due}`) : current("partition rolled out");
  }
  const at = numberOf(status, "currentReplicas");
  const isCurrent = textOf(status, "currentRevision") === textOf(status, "updateRevision");
  return (
    firstOf(
      at < wanted && inProgress(`current: ${at}/${wanted}`),
      !isCurrent && inProgress("waiting for the updated revision"),
    ) ?? current(`all replicas are ready, replicas: ${wanted}`)
  );
}

/** DaemonSet: a pod of the updated revision scheduled, available and ready on every node that wants one. */
export function daemonSetReadiness(object: KubeObject): Readiness {
  const status = section(object, "status");
  if (typeof pathOf(status, "observedGeneration") !== "number") return inProgress("not yet observed by its controller");
  const wanted = numberOf(status, "desiredNumberScheduled");
  const scheduled = numberOf(status, "currentNumberScheduled");
  const [updated, available] = [numberOf(status, "updatedNumberScheduled"), numberOf(status, "numberAvailable")];
  const ready = numberOf(status, "numberReady");
  // With OnDelete the old pods stay until somebody deletes them: that is what was asked for.
  const isOnDelete = textOf(object, "spec", "updateStrategy", "type") === "OnDelete";
  return (
    firstOf(
      scheduled < wanted && inProgress(`scheduled: ${scheduled}/${wanted}`),
      !isOnDelete && updated < wanted && inProgress(`updated: ${updated}/${wanted}`),
      available < wanted && inProgress(`available: ${available}/${wanted}`),
      ready < wanted && inProgress(`ready: ${ready}/${wanted}`),
    ) ?? current(`all replicas are ready, nodes: ${wanted}`)
  );
}

/** Pod: ready, or done. Crashing in a loop counts as failed, not finding a node as in progress. */
export function podReadiness(object: KubeObject): Readiness {
  const phase = textOf(object, "status", "phase");
  switch (phase) {
    case "Succeeded":
      return current("the pod has completed");
    case "Failed":
      return failed(textOf(object, "status", "message") || "the pod has failed");
    case "Running": {
      if (conditionOf(object, "Ready").status === "True") return current("the pod is ready");
      const looping = containersWaiting(object, "CrashLoopBackOff");
      return looping.length > 0
        ? failed(`containers crash in a loop: ${looping.join(", ")}`)
        : inProgress("the pod runs but is not ready");
    }
    case "Pending": {
      const scheduled = conditionOf(object, "PodScheduled");
      const isStuck = scheduled.status === "False" && scheduled.reason === "Unschedulable";
      return inProgress(isStuck ? wordsOf(scheduled, "the pod cannot be scheduled") : "the pod is pending");
    }
    default:
      return inProgress(phase === "" ? "the pod has no phase yet" : `the pod's phase is ${phase}`);
  }
}

function containersWaiting(object: KubeObject, reason: string): readonly string[] {
  const statuses = ["initContainerStatuses", "containerStatuses"].flatMap((name) => {
    const list = pathOf(object, "status", name);
    return Array.isArray(list) ? list : [];
  });
  return statuses
    .filter((status: unknown) => textOf(status, "state", "waiting", "reason") === reason)
    .map((status: unknown) => textOf(status, "name"));
}

/** Job: complete. A running one is in progress (kstatus calls it current as soon as it has started). */
export function jobReadiness(object: KubeObject): Readiness {
  const status = section(object, "status");
  const failure = conditionOf(object, "Failed");
  const [active, succeeded] = [numberOf(status, "active"), numberOf(status, "succeeded")];
  return (
    firstOf(
      conditionOf(object, "Complete").status === "True" && current(`the job is complete, succeeded: ${succeeded}`),
      failure.status === "True" && failed(wordsOf(failure, "the job has failed")),
      conditionOf(object, "Suspended").status === "True" && current("the job is suspended"),
      status.startTime === undefined && inProgress("the job has not started"),
    ) ?? inProgress(`the job runs, active: ${active}, succeeded: ${succeeded}`)
  );
}
