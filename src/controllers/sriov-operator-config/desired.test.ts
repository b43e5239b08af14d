import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { TemplateFolder } from "../../manifest/index.ts";
import { fieldOf } from "../../object/index.ts";
import { operands, paths, render, type Setting } from "./samples.case.ts";

const INJECTOR = [
  "Service/network-resources-injector-service",
  "ServiceAccount/network-resources-injector-sa",
  "ClusterRole/network-resources-injector",
  "ClusterRoleBinding/network-resources-injector-role-binding",
  "MutatingWebhookConfiguration/network-resources-injector-config",
  "ConfigMap/nri-control-switches",
  "NetworkPolicy/network-resources-injector-allow-traffic-api-server",
  "DaemonSet/network-resources-injector",
];
const WEBHOOK = [
  "Service/operator-webhook-service",
  "ServiceAccount/operator-webhook-sa",
  "ClusterRole/operator-webhook",
  "ClusterRoleBinding/operator-webhook-role-binding",
  "MutatingWebhookConfiguration/sriov-operator-webhook-config",
  "ValidatingWebhookConfiguration/sriov-operator-webhook-config",
  "NetworkPolicy/operator-webhook-allow-traffic-api-server",
  "DaemonSet/operator-webhook",
];
const DAEMON = ["DaemonSet/sriov-network-config-daemon"];
const PLUGIN = [
  "ServiceAccount/sriov-device-plugin",
  "Role/sriov-plugin",
  "RoleBinding/sriov-device-plugin",
  "DaemonSet/sriov-device-plugin",
];
const METRICS = [
  "DaemonSet/sriov-network-metrics-exporter",
  "ServiceAccount/metrics-exporter-sa",
  "Role/metrics-exporter-role",
  "RoleBinding/metrics-exporter-rb",
  "ClusterRole/sriov-metrics-kube-rbac-role",
  "ClusterRoleBinding/sriov-metrics-kube-rbac-rolebinding",
  "Service/sriov-network-metrics-exporter-service",
];
const MONITOR = ["ServiceMonitor/sriov-network-metrics-exporter", "RoleBinding/prometheus-k8s", "Role/prometheus-k8s"];
const RULE = ["PrometheusRule/sriov-vf-rules"];
const MACHINE_CONFIG = ["MachineConfig/sriov-config-service"];

const METRICS_ON = { featureGates: { metricsExporter: true } };
const PROMETHEUS = { METRICS_EXPORTER_PROMETHEUS_OPERATOR_ENABLED: "TRUE" };
const OPENSHIFT: Setting = { environment: { CLUSTER_TYPE: "openshift" }, platform: { isOpenshift: true } };
const HYPERSHIFT: Setting = { ...OPENSHIFT, platform: { isOpenshift: true, isHypershift: true } };

describe("desiredOperands", () => {
  it.each<{ name: string; setting: Setting; expected: readonly string[] }>([
    { name: "the default", setting: {}, expected: [...INJECTOR, ...WEBHOOK, ...DAEMON, ...PLUGIN] },
    { name: "no injector", setting: { spec: { enableInjector: false } }, expected: [...WEBHOOK, ...DAEMON, ...PLUGIN] },
    {
      name: "no webhooks",
      setting: { spec: { enableInjector: false, enableOperatorWebhook: false } },
      expected: [...DAEMON, ...PLUGIN],
    },
    {
      name: "metrics",
      setting: { spec: METRICS_ON },
      expected: [...INJECTOR, ...WEBHOOK, ...DAEMON, ...PLUGIN, ...METRICS],
    },
    {
      name: "metrics with Prometheus",
      setting: { spec: METRICS_ON, environment: PROMETHEUS },
      expected: [...INJECTOR, ...WEBHOOK, ...DAEMON, ...PLUGIN, ...METRICS, ...MONITOR],
    },
    {
      name: "metrics with rules",
      setting: { spec: METRICS_ON, environment: { ...PROMETHEUS, METRICS_EXPORTER_PROMETHEUS_DEPLOY_RULES: "true" } },
      expected: [...INJECTOR, ...WEBHOOK, ...DAEMON, ...PLUGIN, ...METRICS, ...MONITOR, ...RULE],
    },
    { name: "OpenShift", setting: OPENSHIFT, expected: [...INJECTOR, ...WEBHOOK, ...DAEMON, ...PLUGIN] },
    {
      name: "systemd on OpenShift",
      setting: { ...OPENSHIFT, spec: { configurationMode: "systemd" } },
      expected: [...INJECTOR, ...WEBHOOK, ...DAEMON, ...PLUGIN, ...MACHINE_CONFIG],
    },
    {
      name: "systemd on Kubernetes",
      setting: { spec: { configurationMode: "systemd" } },
      expected: [...INJECTOR, ...WEBHOOK, ...DAEMON, ...PLUGIN],
    },
    {
      name: "systemd on HyperShift",
      setting: { ...HYPERSHIFT, spec: { configurationMode: "systemd" } },
      expected: [...INJECTOR, ...WEBHOOK, ...PLUGIN],
    },
    {
      name: "daemon mode on HyperShift",
      setting: HYPERSHIFT,
      expected: [...INJECTOR, ...WEBHOOK, ...DAEMON, ...PLUGIN],
    },
  ])("asks for exactly the objects of $name", ({ setting, expected }) => {
    expect([...operands(setting).keys()].sort()).toEqual([...expected].sort());
  });

  it("wants away what a switched-off component would make, and the MachineConfig on OpenShift", () => {
    const { input } = render({ ...OPENSHIFT, spec: { enableInjector: false } });

    const absent = input.declared.filter(({ mode }) => mode === "Absent").map(({ manifest }) => manifest);

    expect(absent.map(({ kind, name }) => `${kind}/${name}`).sort()).toEqual(
      [...INJECTOR, ...METRICS, ...MACHINE_CONFIG].sort(),
    );
  });

  it("gives every namespaced operand the config as its only owner, and its label to every one", () => {
    for (const [name, { kind, metadata }] of operands({ spec: METRICS_ON, environment: PROMETHEUS })) {
      const isCluster = kind.startsWith("Cluster") || kind.endsWith("WebhookConfiguration");
      expect([name, metadata.ownerReferences]).toEqual([
        name,
        isCluster
          ? undefined
          : [
              {
                apiVersion: "sriovnetwork.openshift.io/v1",
                kind: "SriovOperatorConfig",
                name: "default",
                uid: "config-uid",
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
      ]);
      expect(metadata.labels).toMatchObject({ "keelson.dev/set": "sriov-operator-config" });
    }
  });
});

/** The fields that differ from those of `base`, by object and path. */
function changes(setting: Setting, base: Setting = {}): readonly string[] {
  const [before, after] = [paths(operands(base)), paths(operands(setting))];
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((path) => before.get(path) !== after.get(path)).sort();
}

const DS = (name: string): string => `DaemonSet/${name}.spec.template.spec`;
const DAEMON_POD = DS("sriov-network-config-daemon");
const PLUGIN_POD = DS("sriov-device-plugin");
const ARGS = `${DAEMON_POD}.containers.0.args`;
const MUTATING = "MutatingWebhookConfiguration/sriov-operator-webhook-config";
const VALIDATING = "ValidatingWebhookConfiguration/sriov-operator-webhook-config";
const NRI = "MutatingWebhookConfiguration/network-resources-injector-config";
const INIT = (index: number, extra: readonly string[] = []): readonly string[] =>
  [
    "args.0",
    "image",
    "name",
    "resources.requests.cpu",
    "resources.requests.memory",
    "securityContext.privileged",
    "volumeMounts.0.mountPath",
    "volumeMounts.0.name",
    "volumeMounts.1.mountPath",
    "volumeMounts.1.name",
    "volumeMounts.1.readOnly",
    ...extra,
  ].map((path) => `${DAEMON_POD}.initContainers.${index}.${path}`);

describe("a toggle changes these paths, and no other", () => {
  it.each<{ toggle: string; setting: Setting; base?: Setting; expected: readonly string[] }>([
    {
      toggle: "configDaemonNodeSelector",
      setting: { spec: { configDaemonNodeSelector: { zone: "a" } } },
      expected: [
        `${DAEMON_POD}.nodeSelector.kubernetes.io/os`,
        `${DAEMON_POD}.nodeSelector.node-role.kubernetes.io/worker`,
        `${DAEMON_POD}.nodeSelector.zone`,
        `${PLUGIN_POD}.nodeSelector.kubernetes.io/os`,
        `${PLUGIN_POD}.nodeSelector.zone`,
      ],
    },
    { toggle: "an empty configDaemonNodeSelector", setting: { spec: { configDaemonNodeSelector: {} } }, expected: [] },
    { toggle: "logLevel", setting: { spec: { logLevel: 2 } }, expected: [] },
    { toggle: "disableDrain", setting: { spec: { disableDrain: true } }, expected: [] },
    { toggle: "enableOvsOffload", setting: { spec: { enableOvsOffload: true } }, expected: [] },
    { toggle: "disablePlugins", setting: { spec: { disablePlugins: ["mellanox"] } }, expected: [`${ARGS}.1`] },
    {
      toggle: "parallelNicConfig",
      setting: { spec: { featureGates: { parallelNicConfig: true } } },
      expected: [`${ARGS}.1`],
    },
    {
      toggle: "manageSoftwareBridges",
      setting: { spec: { featureGates: { manageSoftwareBridges: true } } },
      expected: [`${ARGS}.1`],
    },
    {
      toggle: "mellanoxFirmwareReset",
      setting: { spec: { featureGates: { mellanoxFirmwareReset: true } } },
      expected: [],
    },
    { toggle: "an unknown gate", setting: { spec: { featureGates: { other: true } } }, expected: [] },
    {
      toggle: "resourceInjectorMatchCondition",
      setting: { spec: { featureGates: { resourceInjectorMatchCondition: true } } },
      expected: [
        `${NRI}.webhooks.0.failurePolicy`,
        `${NRI}.webhooks.0.matchConditions.0.expression`,
        `${NRI}.webhooks.0.matchConditions.0.name`,
      ],
    },
    {
      toggle: "useCDI",
      setting: { spec: { useCDI: true } },
      expected: [
        `${PLUGIN_POD}.containers.0.args.3`,
        `${PLUGIN_POD}.containers.0.volumeMounts.4.mountPath`,
        `${PLUGIN_POD}.containers.0.volumeMounts.4.name`,
        `${PLUGIN_POD}.volumes.4.hostPath.path`,
        `${PLUGIN_POD}.volumes.4.hostPath.type`,
        `${PLUGIN_POD}.volumes.4.name`,
      ],
    },
    {
      toggle: "configurationMode systemd",
      setting: { spec: { configurationMode: "systemd" } },
      expected: [
        `${ARGS}.1`,
        ...INIT(2).filter((path) => !path.includes("volumeMounts.1")),
        `${DAEMON_POD}.initContainers.2.command.0`,
        `${DAEMON_POD}.initContainers.2.command.1`,
      ],
    },
    { toggle: "RDMA_CNI_IMAGE", setting: { environment: { RDMA_CNI_IMAGE: "image/rdma" } }, expected: INIT(2) },
    {
      toggle: "OVS_CNI_IMAGE",
      setting: { environment: { OVS_CNI_IMAGE: "image/ovs" } },
      expected: INIT(2, ["command.0", "command.1"]),
    },
    {
      toggle: "IMAGE_PULL_SECRETS",
      setting: { environment: { IMAGE_PULL_SECRETS: " a, ,b" } },
      expected: [
        "network-resources-injector",
        "operator-webhook",
        "sriov-device-plugin",
        "sriov-network-config-daemon",
      ].flatMap((name) => [0, 1].map((index) => `${DS(name)}.imagePullSecrets.${index}.name`)),
    },
    {
      toggle: "RELEASE_VERSION",
      setting: { environment: { RELEASE_VERSION: "4.20" } },
      expected: [
        "network-resources-injector",
        "operator-webhook",
        "sriov-device-plugin",
        "sriov-network-config-daemon",
      ].map((name) => `DaemonSet/${name}.metadata.annotations.release.openshift.io/version`),
    },
    {
      toggle: "SRIOV_CNI_BIN_PATH",
      setting: { environment: { SRIOV_CNI_BIN_PATH: "/opt/cni/bin" } },
      expected: [`${DAEMON_POD}.volumes.1.hostPath.path`],
    },
    {
      toggle: "DEV_MODE",
      setting: { environment: { DEV_MODE: "TRUE" } },
      expected: [`${DS("operator-webhook")}.containers.0.env.1.value`, `${DAEMON_POD}.containers.0.env.3.value`],
    },
    {
      toggle: "CA bundles",
      setting: {
        environment: {
          ADMISSION_CONTROLLERS_CERTIFICATES_OPERATOR_CA_CRT: "YQ==",
          ADMISSION_CONTROLLERS_CERTIFICATES_INJECTOR_CA_CRT: "Yg==",
        },
      },
      expected: [NRI, MUTATING, VALIDATING].map((name) => `${name}.webhooks.0.clientConfig.caBundle`),
    },
    {
      toggle: "cert-manager",
      setting: { environment: { ADMISSION_CONTROLLERS_CERTIFICATES_CERT_MANAGER_ENABLED: "True" } },
      expected: [NRI, MUTATING, VALIDATING].map(
        (name) => `${name}.metadata.annotations.cert-manager.io/inject-ca-from`,
      ),
    },
    {
      toggle: "OpenShift",
      setting: { ...OPENSHIFT, spec: METRICS_ON },
      base: { spec: METRICS_ON },
      expected: [
        `${DAEMON_POD}.containers.0.env.2.value`,
        ...[NRI, MUTATING].map((name) => `${name}.metadata.annotations.service.beta.openshift.io/inject-cabundle`),
        "Service/network-resources-injector-service.metadata.annotations.service.alpha.openshift.io/serving-cert-secret-name",
        "Service/operator-webhook-service.metadata.annotations.service.alpha.openshift.io/serving-cert-secret-name",
        "Service/sriov-network-metrics-exporter-service.metadata.annotations.service.beta.openshift.io/serving-cert-secret-name",
        `${VALIDATING}.metadata.annotations.service.beta.openshift.io/inject-cabundle`,
      ],
    },
    {
      toggle: "an external control plane",
      setting: HYPERSHIFT,
      base: OPENSHIFT,
      expected: ["network-resources-injector", "operator-webhook"].flatMap((name) => [
        ...[0, 1].flatMap((term) =>
          ["key", "operator"].map(
            (field) =>
              `${DS(name)}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.${term}.matchExpressions.0.${field}`,
          ),
        ),
        ...[0, 1, 2].flatMap((index) =>
          ["effect", "key", "operator"].map((field) => `${DS(name)}.tolerations.${index}.${field}`),
        ),
      ]),
    },
  ])("$toggle", ({ setting, base, expected }) => {
    expect(changes(setting, base)).toEqual([...expected].sort());
  });
});

describe("node selectors", () => {
  it("are strings whatever they look like", () => {
    const spec = { ...METRICS_ON, configDaemonNodeSelector: { n: "123", y: "yes", on: "null", f: "" } };
    const all = operands({ spec });

    for (const name of ["sriov-network-config-daemon", "sriov-network-metrics-exporter"]) {
      const pod = fieldOf(fieldOf(all.get(`DaemonSet/${name}`)?.spec, "template"), "spec");
      expect(fieldOf(pod, "nodeSelector")).toEqual({ n: "123", y: "yes", on: "null", f: "" });
    }
  });

  it("are labels of the MachineConfig beside its role", () => {
    const spec = { configurationMode: "systemd", configDaemonNodeSelector: { zone: "a" } };

    expect(operands({ ...OPENSHIFT, spec }).get("MachineConfig/sriov-config-service")?.metadata.labels).toEqual({
      "machineconfiguration.openshift.io/role": "worker",
      "keelson.dev/set": "sriov-operator-config",
      zone: "a",
    });
  });
});

describe("what cannot be rendered", () => {
  it("is an error of its component that names the variable, and hides no other", () => {
    const { components } = render({ environment: { SRIOV_CNI_IMAGE: "", SRIOV_NETWORK_CONFIG_DAEMON_IMAGE: "" } });

    const failed = components.filter(({ errors }) => errors.length > 0);

    expect(failed.map(({ name }) => name)).toEqual(["config-daemon"]);
    expect(failed[0]?.errors[0]?.message).toContain(
      "SRIOV_NETWORK_CONFIG_DAEMON_IMAGE and SRIOV_CNI_IMAGE are not set",
    );
  });

  it("holds what is missing rather than have it pruned", () => {
    expect(render().input.broken).toEqual([]);
    expect(render({ environment: { SRIOV_DEVICE_PLUGIN_IMAGE: "" } }).input.broken).toEqual([
      expect.stringMatching(/^device-plugin@/),
    ]);
  });

  it("is refused on HyperShift in systemd mode, by name", () => {
    const { components } = render({ ...HYPERSHIFT, spec: { configurationMode: "systemd" } });

    const refused = components.filter(({ errors }) => errors.length > 0);

    expect(refused.map(({ name, errors }) => [name, errors[0]?.code, errors[0]?.message])).toEqual([
      ["config-daemon", "Refused", "systemd mode is not supported on hypershift"],
      ["openshift-service", "Refused", "systemd mode is not supported on hypershift"],
    ]);
  });

  it.each([
    { name: "a variable that is not there", text: "\n{{ .Nothing }}", says: "daemon/a.yaml:2: " },
    {
      name: "a foreign namespace",
      text: "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: b}}",
      says: 'it is in namespace "b"',
    },
    {
      name: "no namespace",
      text: "{apiVersion: v1, kind: Secret, metadata: {name: a}}",
      says: "it names no namespace",
    },
    {
      name: "a ServiceAccount with secrets",
      text: "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: {{ .Namespace }}}, secrets: [{name: s}]}",
      says: "cannot create ServiceAccount with secrets",
    },
  ])("says so in a user's folder: $name", ({ text, says }) => {
    const root = mkdtempSync(join(tmpdir(), "keelson-manifests-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const folder of ["webhook", "operator-webhook", "daemon", "plugins", "metrics-exporter"]) {
      mkdirSync(join(root, folder));
    }
    writeFileSync(join(root, "daemon/a.yaml"), text);

    const { components } = render({ templates: new TemplateFolder(root) });

    const errors = components.flatMap((component) =>
      component.errors.map(({ message }) => `${component.name} ${message}`),
    );
    expect(errors).toEqual([expect.stringContaining(says)]);
    expect(errors[0]).toMatch(/^config-daemon /);
  });
});
