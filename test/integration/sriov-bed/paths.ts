/** Path of an operand by kind and name; `namespace` is left out for cluster-scoped kinds. */
export type Path = string;

const COLLECTIONS = {
  ConfigMap: "/api/v1/namespaces/NS/configmaps",
  Service: "/api/v1/namespaces/NS/services",
  ServiceAccount: "/api/v1/namespaces/NS/serviceaccounts",
  DaemonSet: "/apis/apps/v1/namespaces/NS/daemonsets",
  NetworkPolicy: "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings",
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Mutating: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  Validating: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  ServiceMonitor: "/apis/monitoring.coreos.com/v1/namespaces/NS/servicemonitors",
  PrometheusRule: "/apis/monitoring.coreos.com/v1/namespaces/NS/prometheusrules",
  MachineConfig: "/apis/machineconfiguration.openshift.io/v1/machineconfigs",
  Infrastructure: "/apis/config.openshift.io/v1/infrastructures",
  Config: "/apis/sriovnetwork.openshift.io/v1/namespaces/NS/sriovoperatorconfigs",
  Policy: "/apis/sriovnetwork.openshift.io/v1/namespaces/NS/sriovnetworknodepolicies",
  Event: "/api/v1/namespaces/NS/events",
  Lease: "/apis/coordination.k8s.io/v1/namespaces/NS/leases",
} as const;

export type Kind = keyof typeof COLLECTIONS;

export function collection(kind: Kind, namespace: string): Path {
  return COLLECTIONS[kind].replace("NS", namespace);
}

export function pathTo(kind: Kind, name: string, namespace: string): Path {
  return `${collection(kind, namespace)}/${name}`;
}

/** The operands of the default: both webhooks, the config daemon and the device plugin. */
export const DEFAULT_OPERANDS: readonly (readonly [Kind, string])[] = [
  ["Service", "network-resources-injector-service"],
  ["ServiceAccount", "network-resources-injector-sa"],
  ["ClusterRole", "network-resources-injector"],
  ["ClusterRoleBinding", "network-resources-injector-role-binding"],
  ["Mutating", "network-resources-injector-config"],
  ["ConfigMap", "nri-control-switches"],
  ["NetworkPolicy", "network-resources-injector-allow-traffic-api-server"],
  ["DaemonSet", "network-resources-injector"],
  ["Service", "operator-webhook-service"],
  ["ServiceAccount", "operator-webhook-sa"],
  ["ClusterRole", "operator-webhook"],
  ["ClusterRoleBinding", "operator-webhook-role-binding"],
  ["Mutating", "sriov-operator-webhook-config"],
  ["Validating", "sriov-operator-webhook-config"],
  ["NetworkPolicy", "operator-webhook-allow-traffic-api-server"],
  ["DaemonSet", "operator-webhook"],
  ["DaemonSet", "sriov-network-config-daemon"],
  ["ServiceAccount", "sriov-device-plugin"],
  ["Role", "sriov-plugin"],
  ["RoleBinding", "sriov-device-plugin"],
  ["DaemonSet", "sriov-device-plugin"],
];

/** What the gate metricsExporter adds. */
export const METRICS_OPERANDS: readonly (readonly [Kind, string])[] = [
  ["DaemonSet", "sriov-network-metrics-exporter"],
  ["ServiceAccount", "metrics-exporter-sa"],
  ["Role", "metrics-exporter-role"],
  ["RoleBinding", "metrics-exporter-rb"],
  ["ClusterRole", "sriov-metrics-kube-rbac-role"],
  ["ClusterRoleBinding", "sriov-metrics-kube-rbac-rolebinding"],
  ["Service", "sriov-network-metrics-exporter-service"],
];

/** What an installed Prometheus operator adds to them. */
export const PROMETHEUS_OPERANDS: readonly (readonly [Kind, string])[] = [
  ["ServiceMonitor", "sriov-network-metrics-exporter"],
  ["PrometheusRule", "sriov-vf-rules"],
  ["Role", "prometheus-k8s"],
  ["RoleBinding", "prometheus-k8s"],
];
