import { groupKindKey, groupVersionKindOf, type KubeObject } from "../object/index.ts";
import {
  apiServiceReadiness,
  budgetReadiness,
  claimReadiness,
  cronJobReadiness,
  definitionReadiness,
  namespaceReadiness,
  serviceReadiness,
  volumeReadiness,
} from "./cluster-kinds.ts";
import { conditionOf, pathOf, wordsOf } from "./fields.ts";
import { current, failed, firstOf, inProgress, type Readiness } from "./verdict.ts";
import {
  daemonSetReadiness,
  deploymentReadiness,
  jobReadiness,
  podReadiness,
  replicaSetReadiness,
  statefulSetReadiness,
} from "./workloads.ts";

/** The rules of the kinds that do not tell by conditions alone, by group-kind. */
const RULES: ReadonlyMap<string, (object: KubeObject) => Readiness> = new Map([
  ["Deployment.apps", deploymentReadiness],
  ["ReplicaSet.apps", replicaSetReadiness],
  ["StatefulSet.apps", statefulSetReadiness],
  ["DaemonSet.apps", daemonSetReadiness],
  ["Pod", podReadiness],
  ["Job.batch", jobReadiness],
  ["CronJob.batch", cronJobReadiness],
  ["Service", serviceReadiness],
  ["PersistentVolumeClaim", claimReadiness],
  ["PersistentVolume", volumeReadiness],
  ["Namespace", namespaceReadiness],
  ["PodDisruptionBudget.policy", budgetReadiness],
  ["CustomResourceDefinition.apiextensions.k8s.io", definitionReadiness],
  ["APIService.apiregistration.k8s.io", apiServiceReadiness],
]);

/**
 * The readiness of a live object, by the rules of kstatus; `NotFound` for undefined. In this order: being deleted; a
 * controller that has not seen the current generation; the conditions `Reconciling` and `Stalled`; the rules of the
 * kind; the condition `Ready`. An object about which none of them speaks is Current.
 *
 * It differs from kstatus where that needs a clock (a Pod that cannot be scheduled stays InProgress), in Jobs (InProgress
 * until complete), and in kinds that kstatus leaves out (APIService, PersistentVolume, a claim that is Lost, a DaemonSet
 * that updates on delete).
 */
export function readinessOf(object: KubeObject | undefined): Readiness {
  if (object === undefined) return { kind: "NotFound", message: "the object is not there" };
  if (object.metadata.deletionTimestamp !== undefined) {
    const { finalizers = [] } = object.metadata;
    const waiting = finalizers.length === 0 ? "" : `, waiting for finalizers: ${finalizers.join(", ")}`;
    return { kind: "Terminating", message: `the object is being deleted${waiting}` };
  }
  return genericReadiness(object) ?? RULES.get(groupKindKey(groupVersionKindOf(object)))?.(object) ?? byReady(object);
}

function genericReadiness(object: KubeObject): Readiness | undefined {
  const { generation } = object.metadata;
  const observed = pathOf(object, "status", "observedGeneration");
  const [reconciling, stalled] = [conditionOf(object, "Reconciling"), conditionOf(object, "Stalled")];
  const isSeen = typeof observed !== "number" || generation === undefined || observed === generation;
  return firstOf(
    !isSeen && inProgress(`generation ${generation}, observed ${String(observed)}`),
    reconciling.status === "True" && inProgress(wordsOf(reconciling, "reconciling")),
    stalled.status === "True" && failed(wordsOf(stalled, "stalled")),
  );
}

function byReady(object: KubeObject): Readiness {
  const ready = conditionOf(object, "Ready");
  return ready.status === "False" || ready.status === "Unknown"
    ? inProgress(wordsOf(ready, "not ready"))
    : current("the object is current");
}
