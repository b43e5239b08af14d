import type { JsonObject } from "../../object/index.ts";
import { equalValues } from "../merge/index.ts";
import { type Draft, ensureObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "./draft.ts";
import type { FieldErrors } from "./field-errors.ts";
import { label1035Problem, labelProblem, pathSegmentProblem } from "./names.ts";
import { dropTypeDependentFields } from "./service-allocation.ts";
import * as core from "./validate-core.ts";
import { validateDefinition, validateDefinitionUpdate } from "./validate-definitions.ts";
import * as groups from "./validate-groups.ts";
import * as workloads from "./validate-workloads.ts";

type Validate = (object: JsonObject, errors: FieldErrors) => void;
type ValidateUpdate = (object: JsonObject, old: JsonObject, errors: FieldErrors) => void;

/** What the server does to and asks of the objects of one kind. */
export interface Strategy {
  /** Which fields count for `metadata.generation`; undefined: the kind has none. */
  readonly generation?: readonly string[];
  /** An empty list or map differs from none when generations are compared (reflect.DeepEqual). */
  readonly strictGeneration?: boolean;
  readonly nameProblem?: (name: string) => string | undefined;
  /** Paths that only the status subresource writes, else only the main resource; default `status` and `spec`. */
  readonly statusResets?: readonly (readonly string[])[];
  /** PUT may leave out `metadata.resourceVersion`; default true. */
  readonly unconditionalUpdate?: boolean;
  /** PUT may create; default false. */
  readonly createOnUpdate?: boolean;
  readonly prepareCreate?: (object: Draft) => void;
  readonly prepareUpdate?: (object: Draft, old: JsonObject) => void;
  readonly validate?: Validate;
  readonly validateUpdate?: ValidateUpdate;
  /** Checks a write through the status subresource. */
  readonly validateStatus?: Validate;
}

const SPEC = ["spec"];
const SPEC_AND_METADATA = [["spec"], ["metadata"]];
const rbacNames = { nameProblem: pathSegmentProblem };

function prepareNamespace(namespace: Draft): void {
  namespace.status = { phase: "Active" };
  const spec = ensureObject(namespace, "spec");
  const finalizers = textsAt(spec, "finalizers");
  if (!finalizers.includes("kubernetes")) spec.finalizers = [...finalizers, "kubernetes"];
}

function updateNamespace(namespace: Draft, old: JsonObject): void {
  ensureObject(namespace, "spec").finalizers = objectAt(old, "spec")?.finalizers;
  ensureObject(ensureObject(namespace, "metadata"), "labels")["kubernetes.io/metadata.name"] = objectAt(
    old,
    "metadata",
  )?.name;
}

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

function templateGeneration(object: JsonObject): number {
  return Number(textAt(objectAt(objectAt(object, "metadata"), "annotations"), TEMPLATE_GENERATION)) || 0;
}

function setTemplateGeneration(object: Draft, value: number): void {
  ensureObject(ensureObject(object, "metadata"), "annotations")[TEMPLATE_GENERATION] = String(value);
}

function updateDaemonSet(daemonSet: Draft, old: JsonObject): void {
  const before = templateGeneration(old);
  const isSame = equalValues(objectAt(daemonSet, "spec")?.template, objectAt(old, "spec")?.template);
  setTemplateGeneration(daemonSet, isSame ? before : before + 1);
}

/** A Job that brings no selector of its own gets one that only its pods have. */
function prepareJob(job: Draft): void {
  const spec = ensureObject(job, "spec");
  if (spec.manualSelector === true) return;
  const metadata = ensureObject(job, "metadata");
  const labels = ensureObject(ensureObject(ensureObject(spec, "template"), "metadata"), "labels");
  for (const [keys, value] of [
    [["job-name", "batch.kubernetes.io/job-name"], metadata.name],
    [["controller-uid", "batch.kubernetes.io/controller-uid"], metadata.uid],
  ] as const) {
    for (const key of keys) labels[key] ??= value;
  }
  ensureObject(ensureObject(spec, "selector"), "matchLabels")["batch.kubernetes.io/controller-uid"] ??= metadata.uid;
}

function preparePod(pod: Draft): void {
  pod.status = { phase: "Pending", qosClass: qosClassOf(pod) };
}

function qosClassOf(pod: JsonObject): string {
  const spec = objectAt(pod, "spec");
  const classes = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")].map(qosOfContainer);
  if (classes.every((one) => one === "BestEffort")) return "BestEffort";
  return classes.every((one) => one === "Guaranteed") ? "Guaranteed" : "Burstable";
}

function qosOfContainer(container: JsonObject): string {
  const limits = objectAt(objectAt(container, "resources"), "limits") ?? {};
  const requests = objectAt(objectAt(container, "resources"), "requests") ?? {};
  const names = ["cpu", "memory"];
  if (names.every((name) => limits[name] === undefined && requests[name] === undefined)) return "BestEffort";
  const isFixed = names.every(
    (name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name],
  );
  return isFixed ? "Guaranteed" : "Burstable";
}

function keepSecretType(secret: Draft, old: JsonObject): void {
  if (textAt(secret, "type") === "") secret.type = old.type;
}

function updateService(service: Draft, old: JsonObject): void {
  const spec = objectAt(service, "spec");
  const before = objectAt(old, "spec");
  if (spec !== undefined && before !== undefined) dropTypeDependentFields(spec, before);
  if (spec?.type !== "LoadBalancer") service.status = { loadBalancer: {} };
}

const workload = {
  generation: SPEC,
  validate: workloads.validateWorkload,
  validateUpdate: workloads.validateWorkloadUpdate,
};

const STRATEGIES: Readonly<Record<string, Strategy>> = {
  "/ConfigMap": { validate: core.validateConfigMap, validateUpdate: core.validateImmutableData },
  "/Secret": {
    prepareUpdate: keepSecretType,
    validate: core.validateSecret,
    validateUpdate: core.validateImmutableData,
  },
  "/Service": {
    nameProblem: label1035Problem,
    createOnUpdate: true,
    prepareUpdate: updateService,
    validate: core.validateService,
    validateUpdate: core.validateServiceUpdate,
    validateStatus: core.validateServiceStatus,
  },
  "/Namespace": { nameProblem: labelProblem, prepareCreate: prepareNamespace, prepareUpdate: updateNamespace },
  "/PersistentVolume": { validateUpdate: core.validateVolumeUpdate },
  "/PersistentVolumeClaim": { validate: core.validateClaim, validateUpdate: core.validateClaimUpdate },
  "/Pod": {
    generation: SPEC,
    prepareCreate: preparePod,
    validate: workloads.validatePod,
    validateUpdate: workloads.validatePodUpdate,
    statusResets: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
  },
  "/PodTemplate": { generation: ["template"] },
  "/ReplicationController": { generation: SPEC },
  "/ResourceQuota": { validate: core.validateQuota },
  "/LimitRange": { createOnUpdate: true, validate: core.validateLimitRange },
  "/Event": { createOnUpdate: true },
  "/Endpoints": { createOnUpdate: true },
  "apps/Deployment": {
    ...workload,
    generation: ["spec", "annotations"],
    statusResets: [["spec"], ["metadata", "labels"]],
  },
  "apps/DaemonSet": {
    ...workload,
    prepareCreate: (object) => setTemplateGeneration(object, Math.max(1, templateGeneration(object))),
    prepareUpdate: updateDaemonSet,
  },
  "apps/StatefulSet": workload,
  "apps/ReplicaSet": workload,
  "batch/Job": {
    generation: SPEC,
    prepareCreate: prepareJob,
    validate: workloads.validateJob,
    validateUpdate: workloads.validateJobUpdate,
  },
  "batch/CronJob": { generation: SPEC, validate: workloads.validateCronJob },
  "networking.k8s.io/Ingress": { generation: SPEC, validate: groups.validateIngress },
  "networking.k8s.io/IngressClass": {
    generation: SPEC,
    validate: groups.validateIngressClass,
    validateUpdate: groups.validateIngressClassUpdate,
  },
  "networking.k8s.io/NetworkPolicy": {
    generation: SPEC,
    strictGeneration: true,
    validate: groups.validateNetworkPolicy,
  },
  "policy/PodDisruptionBudget": { generation: SPEC, unconditionalUpdate: false, validate: groups.validateBudget },
  "rbac.authorization.k8s.io/Role": { ...rbacNames, createOnUpdate: true, validate: groups.validateRole },
  "rbac.authorization.k8s.io/ClusterRole": { ...rbacNames, createOnUpdate: true, validate: groups.validateRole },
  "rbac.authorization.k8s.io/RoleBinding": {
    ...rbacNames,
    createOnUpdate: true,
    validate: groups.validateBinding,
    validateUpdate: groups.validateBindingUpdate,
  },
  "rbac.authorization.k8s.io/ClusterRoleBinding": {
    ...rbacNames,
    createOnUpdate: true,
    validate: groups.validateBinding,
    validateUpdate: groups.validateBindingUpdate,
  },
  "autoscaling/HorizontalPodAutoscaler": { generation: SPEC, validate: groups.validateAutoscaler },
  "storage.k8s.io/StorageClass": {
    validate: groups.validateStorageClass,
    validateUpdate: groups.validateStorageClassUpdate,
  },
  "storage.k8s.io/CSIDriver": { generation: SPEC, unconditionalUpdate: false },
  "scheduling.k8s.io/PriorityClass": {
    prepareCreate: (object) => {
      ensureObject(object, "metadata").generation = 1;
    },
    validate: groups.validatePriorityClass,
    validateUpdate: groups.validatePriorityClassUpdate,
  },
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": {
    generation: ["webhooks"],
    strictGeneration: true,
    unconditionalUpdate: false,
    validate: groups.validateWebhooks,
  },
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": {
    generation: ["webhooks"],
    strictGeneration: true,
    unconditionalUpdate: false,
    validate: groups.validateWebhooks,
  },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": { generation: SPEC, unconditionalUpdate: false },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": { generation: SPEC, unconditionalUpdate: false },
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": { generation: SPEC, unconditionalUpdate: false },
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": { generation: SPEC, unconditionalUpdate: false },
  "coordination.k8s.io/Lease": { createOnUpdate: true, unconditionalUpdate: false, validate: groups.validateLease },
  "discovery.k8s.io/EndpointSlice": {
    generation: ["endpoints", "ports", "addressType", "labels"],
    validate: groups.validateEndpointSlice,
  },
  "node.k8s.io/RuntimeClass": { createOnUpdate: true, unconditionalUpdate: false },
  "flowcontrol.apiserver.k8s.io/FlowSchema": {
    generation: SPEC,
    statusResets: SPEC_AND_METADATA,
    unconditionalUpdate: false,
  },
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": {
    generation: SPEC,
    statusResets: SPEC_AND_METADATA,
    unconditionalUpdate: false,
  },
  "resource.k8s.io/ResourceClaim": { statusResets: SPEC_AND_METADATA },
  "resource.k8s.io/DeviceClass": { generation: SPEC },
  "resource.k8s.io/ResourceSlice": { generation: SPEC },
  "storage.k8s.io/VolumeAttachment": { statusResets: SPEC_AND_METADATA, unconditionalUpdate: false },
  "storage.k8s.io/CSINode": { unconditionalUpdate: false },
  "storage.k8s.io/CSIStorageCapacity": { unconditionalUpdate: false },
  "networking.k8s.io/ServiceCIDR": { statusResets: SPEC_AND_METADATA },
  "storagemigration.k8s.io/StorageVersionMigration": { statusResets: SPEC_AND_METADATA, unconditionalUpdate: false },
  "apiextensions.k8s.io/CustomResourceDefinition": {
    generation: SPEC,
    unconditionalUpdate: false,
    validate: validateDefinition,
    validateUpdate: validateDefinitionUpdate,
  },
  "apiregistration.k8s.io/APIService": { statusResets: SPEC_AND_METADATA, unconditionalUpdate: false },
};

const NO_STRATEGY: Strategy = {};

/** The strategy of a built-in kind. */
export function strategyOf(group: string, kind: string): Strategy {
  return STRATEGIES[`${group}/${kind}`] ?? NO_STRATEGY;
}

/** Raises `metadata.generation` where what counts for it changed. */
export function bumpGeneration(object: Draft, old: JsonObject, fields: readonly string[]): void {
  const part = (of: JsonObject, field: string): unknown =>
    field === "annotations" || field === "labels" ? (objectAt(objectAt(of, "metadata"), field) ?? {}) : of[field];
  if (fields.every((field) => equalValues(part(object, field), part(old, field)))) return;
  ensureObject(object, "metadata").generation = (numberAt(objectAt(old, "metadata"), "generation") ?? 0) + 1;
}
