import {
  type Defaulter,
  type Draft,
  ensureObject,
  isUnset,
  numberAt,
  objectAt,
  objectsAt,
  setDefaults,
  textAt,
} from "./draft.ts";

const RBAC = "rbac.authorization.k8s.io";

const defaults =
  (values: Readonly<Record<string, unknown>>): Defaulter =>
  (target) =>
    setDefaults(target, values);

/** Defaults that are containers must not be shared between objects. */
const webhookDefaults =
  (extra: Readonly<Record<string, unknown>>): Defaulter =>
  (target) =>
    setDefaults(target, {
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...extra,
    });

function defaultDeployment(deployment: Draft): void {
  const spec = ensureObject(deployment, "spec");
  setDefaults(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy = ensureObject(spec, "strategy");
  setDefaults(strategy, { type: "RollingUpdate" });
  if (strategy.type === "RollingUpdate") {
    setDefaults(ensureObject(strategy, "rollingUpdate"), { maxUnavailable: "25%", maxSurge: "25%" });
  }
}

/** In apps/v1 the template generation lives in an annotation, which is always written. */
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

function defaultDaemonSet(daemonSet: Draft): void {
  const spec = ensureObject(daemonSet, "spec");
  setDefaults(spec, { revisionHistoryLimit: 10 });
  const strategy = ensureObject(spec, "updateStrategy");
  setDefaults(strategy, { type: "RollingUpdate" });
  if (strategy.type === "RollingUpdate") {
    setDefaults(ensureObject(strategy, "rollingUpdate"), { maxUnavailable: 1, maxSurge: 0 });
  }
  setDefaults(ensureObject(ensureObject(daemonSet, "metadata"), "annotations"), { [TEMPLATE_GENERATION]: "0" });
}

function defaultStatefulSet(statefulSet: Draft): void {
  const spec = ensureObject(statefulSet, "spec");
  setDefaults(spec, { podManagementPolicy: "OrderedReady", replicas: 1, revisionHistoryLimit: 10 });
  const strategy = ensureObject(spec, "updateStrategy");
  if (isUnset(strategy.type)) {
    strategy.type = "RollingUpdate";
    ensureObject(strategy, "rollingUpdate");
  }
  const rolling = objectAt(strategy, "rollingUpdate");
  if (strategy.type === "RollingUpdate" && rolling !== undefined)
    setDefaults(rolling, { partition: 0, maxUnavailable: 1 });
  setDefaults(ensureObject(spec, "persistentVolumeClaimRetentionPolicy"), {
    whenDeleted: "Retain",
    whenScaled: "Retain",
  });
}

function defaultJob(job: Draft): void {
  const spec = ensureObject(job, "spec");
  if (isUnset(spec.completions) && isUnset(spec.parallelism)) spec.completions = 1;
  setDefaults(spec, { parallelism: 1, backoffLimit: isUnset(spec.backoffLimitPerIndex) ? 6 : 2 ** 31 - 1 });
  const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
  const metadata = ensureObject(job, "metadata");
  // The very same map, as in Go: what is added to the template's labels later shows on the Job, too.
  if (labels !== undefined && objectAt(metadata, "labels") === undefined) metadata.labels = labels;
  setDefaults(spec, {
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: isUnset(spec.podFailurePolicy) ? "TerminatingOrFailed" : "Failed",
    manualSelector: false,
  });
}

function defaultNetworkPolicy(policy: Draft): void {
  const spec = ensureObject(policy, "spec");
  const types = spec.policyTypes;
  if (Array.isArray(types) && types.length > 0) return;
  const hasEgress = Array.isArray(spec.egress) && spec.egress.length > 0;
  spec.policyTypes = hasEgress ? ["Ingress", "Egress"] : ["Ingress"];
}

const SCALE_UP_POLICIES = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
];

function defaultAutoscaler(autoscaler: Draft): void {
  const spec = ensureObject(autoscaler, "spec");
  setDefaults(spec, { minReplicas: 1 });
  if (objectsAt(spec, "metrics").length === 0) {
    spec.metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    ];
  }
  const behavior = objectAt(spec, "behavior");
  if (behavior === undefined) return;
  setDefaults(ensureObject(behavior, "scaleUp"), {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: SCALE_UP_POLICIES.map((policy) => ({ ...policy })),
  });
  setDefaults(ensureObject(behavior, "scaleDown"), {
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
  });
}

function defaultCustomResourceDefinition(definition: Draft): void {
  const spec = ensureObject(definition, "spec");
  const names = ensureObject(spec, "names");
  const kind = textAt(names, "kind");
  setDefaults(names, { singular: kind.toLowerCase() });
  if (kind !== "") setDefaults(names, { listKind: `${kind}List` });
  if (objectAt(spec, "conversion") === undefined) spec.conversion = { strategy: "None" };
  const status = ensureObject(definition, "status");
  const stored = status.storedVersions;
  if (Array.isArray(stored) && stored.length > 0) return;
  const storage = objectsAt(spec, "versions").find((version) => version.storage === true);
  if (storage !== undefined) status.storedVersions = [storage.name];
}

const defaultRoleRef: Defaulter = (binding) => setDefaults(ensureObject(binding, "roleRef"), { apiGroup: RBAC });

/** Defaults of all other groups by type name (kubernetes: pkg/apis/<group>/<version>/defaults.go). */
export const GROUP_DEFAULTS: Readonly<Record<string, Defaulter>> = {
  "apps.v1.Deployment": defaultDeployment,
  "apps.v1.DaemonSet": defaultDaemonSet,
  "apps.v1.StatefulSet": defaultStatefulSet,
  "apps.v1.ReplicaSet": (set) => setDefaults(ensureObject(set, "spec"), { replicas: 1 }),
  "batch.v1.Job": defaultJob,
  "batch.v1.CronJob": (job) =>
    setDefaults(ensureObject(job, "spec"), {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
  "batch.v1.PodFailurePolicyOnPodConditionsPattern": defaults({ status: "True" }),
  "networking.v1.NetworkPolicyPort": defaults({ protocol: "TCP" }),
  "networking.v1.NetworkPolicy": defaultNetworkPolicy,
  "networking.v1.IngressClass": (ingressClass) => {
    const parameters = objectAt(objectAt(ingressClass, "spec"), "parameters");
    if (parameters !== undefined) setDefaults(parameters, { scope: "Cluster" });
  },
  "rbac.v1.ClusterRoleBinding": defaultRoleRef,
  "rbac.v1.RoleBinding": defaultRoleRef,
  "rbac.v1.Subject": (subject) => {
    if (subject.kind === "User" || subject.kind === "Group") setDefaults(subject, { apiGroup: RBAC });
  },
  "autoscaling.v1.HorizontalPodAutoscaler": (autoscaler) =>
    setDefaults(ensureObject(autoscaler, "spec"), { minReplicas: 1 }),
  "autoscaling.v2.HorizontalPodAutoscaler": defaultAutoscaler,
  "storage.v1.StorageClass": defaults({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  "storage.v1.CSIDriver": (driver) => {
    const spec = ensureObject(driver, "spec");
    setDefaults(spec, {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      requiresRepublish: false,
      seLinuxMount: false,
      preventPodSchedulingIfMissing: false,
    });
    if (!Array.isArray(spec.volumeLifecycleModes)) spec.volumeLifecycleModes = ["Persistent"];
  },
  "admissionregistration.v1.ValidatingWebhook": webhookDefaults({}),
  "admissionregistration.v1.MutatingWebhook": webhookDefaults({ reinvocationPolicy: "Never" }),
  "admissionregistration.v1.RuleWithOperations": defaults({ scope: "*" }),
  "admissionregistration.v1.NamedRuleWithOperations": defaults({ scope: "*" }),
  "admissionregistration.v1.ServiceReference": defaults({ port: 443 }),
  "admissionregistration.v1.ValidatingAdmissionPolicySpec": defaults({ failurePolicy: "Fail" }),
  "admissionregistration.v1.MutatingAdmissionPolicySpec": defaults({ failurePolicy: "Fail" }),
  "admissionregistration.v1.MatchResources": (target) =>
    setDefaults(target, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }),
  "apiregistration.v1.ServiceReference": defaults({ port: 443 }),
  "apiextensions.v1.ServiceReference": defaults({ port: 443 }),
  "apiextensions.v1.CustomResourceDefinition": defaultCustomResourceDefinition,
  "discovery.v1.EndpointPort": (port) => {
    if (port.name === undefined || port.name === null) port.name = "";
    setDefaults(port, { protocol: "TCP" });
  },
  "scheduling.v1.PriorityClass": defaults({ preemptionPolicy: "PreemptLowerPriority" }),
  "flowcontrol.v1.FlowSchemaSpec": (spec) => {
    if (!numberAt(spec, "matchingPrecedence")) spec.matchingPrecedence = 1000;
  },
  "flowcontrol.v1.ExemptPriorityLevelConfiguration": defaults({ nominalConcurrencyShares: 0, lendablePercent: 0 }),
  "flowcontrol.v1.LimitedPriorityLevelConfiguration": defaults({ nominalConcurrencyShares: 30, lendablePercent: 0 }),
  "flowcontrol.v1.QueuingConfiguration": (queuing) => {
    if (!numberAt(queuing, "queues")) queuing.queues = 64;
    if (!numberAt(queuing, "handSize")) queuing.handSize = 8;
    if (!numberAt(queuing, "queueLengthLimit")) queuing.queueLengthLimit = 50;
  },
};
