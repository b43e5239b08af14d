import type { KubeObject } from "../object/index.ts";
import { conditionOf, pathOf, textOf, wordsOf } from "./fields.ts";
import { current, failed, inProgress, type Readiness } from "./verdict.ts";

/** Service: one of type LoadBalancer has its cluster IP; whether a balancer exists is not the API's to say. */
export function serviceReadiness(object: KubeObject): Readiness {
  const isBalanced = textOf(object, "spec", "type") === "LoadBalancer";
  return isBalanced && textOf(object, "spec", "clusterIP") === ""
    ? inProgress("no cluster IP is assigned yet")
    : current("the service is ready");
}

/** PersistentVolumeClaim: bound. A claim that waits for its first consumer is in progress. */
export function claimReadiness(object: KubeObject): Readiness {
  const phase = textOf(object, "status", "phase");
  if (phase === "Bound") return current("the claim is bound");
  return phase === "Lost"
    ? failed("the claim has lost its volume")
    : inProgress(`the claim is not bound${phase === "" ? "" : `: ${phase}`}`);
}

/** PersistentVolume: there for a claim, with one, or let go by one. */
export function volumeReadiness(object: KubeObject): Readiness {
  const phase = textOf(object, "status", "phase");
  if (phase === "Failed") return failed(textOf(object, "status", "message") || "the volume could not be reclaimed");
  return ["Available", "Bound", "Released"].includes(phase)
    ? current(`the volume is ${phase}`)
    : inProgress("the volume is not available yet");
}

/** CustomResourceDefinition: established, so that its resources can be written. */
export function definitionReadiness(object: KubeObject): Readiness {
  const names = conditionOf(object, "NamesAccepted");
  if (names.status === "False") return failed(wordsOf(names, "the names are taken"));
  const established = conditionOf(object, "Established");
  return established.status === "True"
    ? current("the definition is established")
    : inProgress(wordsOf(established, "the definition is being established"));
}

/** APIService: its server answers. */
export function apiServiceReadiness(object: KubeObject): Readiness {
  const available = conditionOf(object, "Available");
  return available.status === "True"
    ? current("the API service is available")
    : inProgress(wordsOf(available, "the API service has not been checked yet"));
}

/** PodDisruptionBudget: its controller has counted. */
export function budgetReadiness(object: KubeObject): Readiness {
  return typeof pathOf(object, "status", "observedGeneration") === "number"
    ? current("the allowed disruptions are computed")
    : inProgress("the allowed disruptions are not computed yet");
}

/** Namespace: active. Its deletion shows in the phase, also where a snapshot lacks the timestamp. */
export function namespaceReadiness(object: KubeObject): Readiness {
  return textOf(object, "status", "phase") === "Terminating"
    ? { kind: "Terminating", message: "the namespace is being deleted" }
    : current("the namespace is active");
}

/** CronJob: there is nothing to wait for. */
export function cronJobReadiness(): Readiness {
  return current("the cron job is scheduled");
}
