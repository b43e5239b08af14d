import type { GroupKind } from "../object/index.ts";

/** Order of work: everything of a lower phase is sent before anything of a higher one; deletes go the other way round. */
export const PHASES = ["definitions", "configuration", "workloads", "routes", "registrations"] as const;

/** Index into {@link PHASES}. */
export type Phase = number;

const DEFINITIONS: ReadonlySet<string> = new Set([
  "CustomResourceDefinition.apiextensions.k8s.io",
  "Namespace",
  "PriorityClass.scheduling.k8s.io",
  "RuntimeClass.node.k8s.io",
]);
const WORKLOADS: ReadonlySet<string> = new Set([
  "Pod",
  "ReplicationController",
  "DaemonSet.apps",
  "Deployment.apps",
  "ReplicaSet.apps",
  "StatefulSet.apps",
  "Job.batch",
  "CronJob.batch",
  "HorizontalPodAutoscaler.autoscaling",
  "PodDisruptionBudget.policy",
]);
const ROUTES: ReadonlySet<string> = new Set(["Ingress.networking.k8s.io"]);
const REGISTRATIONS: ReadonlySet<string> = new Set([
  "APIService.apiregistration.k8s.io",
  "MutatingWebhookConfiguration.admissionregistration.k8s.io",
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
  "MutatingAdmissionPolicy.admissionregistration.k8s.io",
  "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io",
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io",
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io",
]);

/**
 * The phase of a kind. Registrations (webhooks, admission policies, aggregated APIs) come last, and so are deleted
 * first: one whose backend is not up, or already gone, blocks the cluster. Custom resources are configuration: their
 * definition is a phase earlier, and the API server refuses them until it is established. Services are configuration,
 * too: a Pod gets the variables of the Services that were there before it (docs/adr/0006-services-first.md).
 */
export function phaseOf(gk: GroupKind): Phase {
  const key = gk.group === "" ? gk.kind : `${gk.kind}.${gk.group}`;
  if (DEFINITIONS.has(key)) return 0;
  if (WORKLOADS.has(key)) return 2;
  if (ROUTES.has(key)) return 3;
  if (REGISTRATIONS.has(key)) return 4;
  return 1;
}

/** The place of a delete in the same order: after every apply, and in reverse. */
export function deletePhaseOf(gk: GroupKind): Phase {
  return PHASES.length + (PHASES.length - 1 - phaseOf(gk));
}
