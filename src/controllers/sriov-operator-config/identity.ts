import type { SetIdentity } from "../../converge/index.ts";
import type { ApiResource } from "../../kube/index.ts";
import type { GroupKind, GroupVersionKind } from "../../object/index.ts";

/** API group of the operator's own resources. */
export const SRIOV_GROUP = "sriovnetwork.openshift.io";
/** The only SriovOperatorConfig that counts. */
export const CONFIG_NAME = "default";
/** Held by a config until what it made in the cluster is gone. */
export const FINALIZER = "operatorconfig.finalizers.sriovnetwork.openshift.io";
/** Field manager of every apply of an operand; the proof of ownership. */
export const MANAGER = "keelson-sriov";
/** Name of the Lease in the operator's namespace. */
export const SRIOV_LEASE = "keelson-sriov";
const SET_LABEL = "keelson.dev/set";
const SET_NAME = "sriov-operator-config";
/** Label of every operand. */
export const SET_LABELS: Readonly<Record<string, string>> = { [SET_LABEL]: SET_NAME };

const ALL_VERBS = ["get", "list", "watch", "create", "update", "patch", "delete"] as const;

function sriovResource(kind: string, resource: string): ApiResource {
  const subresources = ["status"];
  return { group: SRIOV_GROUP, version: "v1", kind, resource, namespaced: true, verbs: ALL_VERBS, subresources };
}

/** Known without discovery: the controller has to start before its definitions are there. */
export const CONFIGS: ApiResource = sriovResource("SriovOperatorConfig", "sriovoperatorconfigs");
export const POLICIES: ApiResource = sriovResource("SriovNetworkNodePolicy", "sriovnetworknodepolicies");
export const NODE_STATES: ApiResource = sriovResource("SriovNetworkNodeState", "sriovnetworknodestates");

const ADMISSION = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  namespaced: false,
  subresources: [],
} as const;
const MUTATING: ApiResource = {
  ...ADMISSION,
  kind: "MutatingWebhookConfiguration",
  resource: "mutatingwebhookconfigurations",
  verbs: ALL_VERBS,
};
const VALIDATING: ApiResource = {
  ...ADMISSION,
  kind: "ValidatingWebhookConfiguration",
  resource: "validatingwebhookconfigurations",
  verbs: ALL_VERBS,
};
/** Name of the injector's webhook configuration. */
export const INJECTOR_WEBHOOK = "network-resources-injector-config";
/** Name of both webhook configurations of the operator's own webhook. */
export const OPERATOR_WEBHOOK = "sriov-operator-webhook-config";

/** The webhook configurations, in the order in which they go. */
export const WEBHOOK_CONFIGURATIONS: readonly { readonly resource: ApiResource; readonly name: string }[] = [
  { resource: MUTATING, name: OPERATOR_WEBHOOK },
  { resource: VALIDATING, name: OPERATOR_WEBHOOK },
  { resource: MUTATING, name: INJECTOR_WEBHOOK },
];

/** A change to it reboots nodes: read by its name alone, never listed or watched. */
export const MACHINE_CONFIG: GroupKind = { group: "machineconfiguration.openshift.io", kind: "MachineConfig" };
/** Name of the one MachineConfig. */
export const MACHINE_CONFIG_NAME = "sriov-config-service";

const RBAC = { group: "rbac.authorization.k8s.io", version: "v1" } as const;
const MONITORING = { group: "monitoring.coreos.com", version: "v1" } as const;

/** Every kind that operands have, but for the MachineConfig. */
export const OPERAND_KINDS: readonly GroupVersionKind[] = [
  { group: "", version: "v1", kind: "ConfigMap" },
  { group: "", version: "v1", kind: "Service" },
  { group: "", version: "v1", kind: "ServiceAccount" },
  { group: "apps", version: "v1", kind: "DaemonSet" },
  { group: "networking.k8s.io", version: "v1", kind: "NetworkPolicy" },
  { ...RBAC, kind: "Role" },
  { ...RBAC, kind: "RoleBinding" },
  { ...RBAC, kind: "ClusterRole" },
  { ...RBAC, kind: "ClusterRoleBinding" },
  { group: ADMISSION.group, version: "v1", kind: MUTATING.kind },
  { group: ADMISSION.group, version: "v1", kind: VALIDATING.kind },
  { ...MONITORING, kind: "ServiceMonitor" },
  { ...MONITORING, kind: "PrometheusRule" },
];

/** Kinds that belong to no namespace, and so to no owner in one. */
export const CLUSTER_KINDS: ReadonlySet<string> = new Set([
  "ClusterRole.rbac.authorization.k8s.io",
  "ClusterRoleBinding.rbac.authorization.k8s.io",
  "MutatingWebhookConfiguration.admissionregistration.k8s.io",
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
  "MachineConfig.machineconfiguration.openshift.io",
]);

const OF_THE_SET: readonly string[] = [SET_LABEL];
const NOT_OF_THE_SET: readonly string[] = [];

/** How operands are found and proven. */
export function sriovIdentity(namespace: string): SetIdentity {
  return {
    manager: MANAGER,
    selectors: [`${SET_LABEL}=${SET_NAME}`],
    classLabels: (labels) => (labels[SET_LABEL] === SET_NAME ? OF_THE_SET : NOT_OF_THE_SET),
    releasedLabels: OF_THE_SET,
    namespace,
    controller: CONFIGS,
    // What the operator itself wrote before: else a field that it set would stay for ever.
    predecessors: ["sriov-network-operator"],
    modeLabel: undefined,
  };
}
