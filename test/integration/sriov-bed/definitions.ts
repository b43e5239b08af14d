/** Minimal definitions of other people's kinds: enough to hold what is written, nothing of what they mean. */
export interface ForeignKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

export const MACHINE_CONFIG: ForeignKind = {
  group: "machineconfiguration.openshift.io",
  kind: "MachineConfig",
  plural: "machineconfigs",
  scope: "Cluster",
};
export const INFRASTRUCTURE: ForeignKind = {
  group: "config.openshift.io",
  kind: "Infrastructure",
  plural: "infrastructures",
  scope: "Cluster",
};
export const SERVICE_MONITOR: ForeignKind = {
  group: "monitoring.coreos.com",
  kind: "ServiceMonitor",
  plural: "servicemonitors",
  scope: "Namespaced",
};
export const PROMETHEUS_RULE: ForeignKind = {
  group: "monitoring.coreos.com",
  kind: "PrometheusRule",
  plural: "prometheusrules",
  scope: "Namespaced",
};
export const NETWORK_ATTACHMENT: ForeignKind = {
  group: "k8s.cni.cncf.io",
  kind: "NetworkAttachmentDefinition",
  plural: "network-attachment-definitions",
  scope: "Namespaced",
};

export function definitionOf({ group, kind, plural, scope }: ForeignKind): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          subresources: { status: {} },
        },
      ],
    },
  };
}
