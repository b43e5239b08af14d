import type { TemplateData } from "../../gotemplate/index.ts";
import type { OperatorConfig } from "./config.ts";
import type { OperatorEnvironment } from "./environment.ts";
import type { FeatureGates } from "./feature-gates.ts";
import { OPERATOR_WEBHOOK } from "./identity.ts";
import type { Platform } from "./platform.ts";

/** What the operands follow from. */
export interface RenderContext {
  readonly environment: OperatorEnvironment;
  readonly platform: Platform;
  readonly config: OperatorConfig;
  readonly gates: Pick<FeatureGates, "isEnabled">;
}

export type ComponentName =
  | "injector"
  | "operator-webhook"
  | "config-daemon"
  | "device-plugin"
  | "metrics-exporter"
  | "openshift-service";

/** One part of the operator that is switched on and off as a whole. */
export interface Component {
  readonly name: ComponentName;
  /** Sub-folder of the manifests. */
  readonly folder: string;
  /** Whether the cluster can have it at all; where not, nothing of it is looked for. */
  readonly isKnown: (context: RenderContext) => boolean;
  readonly isEnabled: (context: RenderContext) => boolean;
  /** Why it cannot be had although it is asked for. */
  readonly unsupported: (context: RenderContext) => string | undefined;
  readonly data: (context: RenderContext) => TemplateData;
  /** Variables without which its objects would be of no use. */
  readonly required: readonly string[];
  /** The Pods' node selector that is put in place of the template's; undefined: the template's stays. */
  readonly nodeSelector: (context: RenderContext) => Readonly<Record<string, string>> | undefined;
}

const OS_LINUX: Readonly<Record<string, string>> = { "kubernetes.io/os": "linux" };
const WORKERS: Readonly<Record<string, string>> = { ...OS_LINUX, "node-role.kubernetes.io/worker": "" };
const HAS_DEVICES: Readonly<Record<string, string>> = { "sriovnetwork.openshift.io/device-plugin": "Enabled" };

const CERTIFICATES = "ADMISSION_CONTROLLERS_CERTIFICATES";

const always = (): boolean => true;
const never = (): undefined => undefined;

/** An empty selector is none, everywhere. */
function selectorOf({ config }: RenderContext): Readonly<Record<string, string>> | undefined {
  const { nodeSelector } = config.spec;
  return Object.keys(nodeSelector).length === 0 ? undefined : nodeSelector;
}

function devicePluginSelector(context: RenderContext): Readonly<Record<string, string>> {
  return { ...(selectorOf(context) ?? OS_LINUX), ...HAS_DEVICES };
}

function metricsSelector(context: RenderContext): Readonly<Record<string, string>> {
  return selectorOf(context) ?? WORKERS;
}

function webhookData({ environment, platform, gates }: RenderContext): TemplateData {
  const { text } = environment;
  return {
    Namespace: environment.namespace,
    SRIOVMutatingWebhookName: OPERATOR_WEBHOOK,
    NetworkResourcesInjectorImage: text("NETWORK_RESOURCES_INJECTOR_IMAGE"),
    SriovNetworkWebhookImage: text("SRIOV_NETWORK_WEBHOOK_IMAGE"),
    ReleaseVersion: environment.releaseVersion,
    ClusterType: environment.clusterType,
    DevMode: environment.devMode,
    ImagePullSecrets: environment.imagePullSecrets,
    CertManagerEnabled: environment.isCertManagerEnabled,
    OperatorWebhookSecretName: text(`${CERTIFICATES}_OPERATOR_SECRET_NAME`),
    OperatorWebhookCA: text(`${CERTIFICATES}_OPERATOR_CA_CRT`),
    InjectorWebhookSecretName: text(`${CERTIFICATES}_INJECTOR_SECRET_NAME`),
    InjectorWebhookCA: text(`${CERTIFICATES}_INJECTOR_CA_CRT`),
    ExternalControlPlane: platform.isHypershift,
    resourceInjectorMatchCondition: gates.isEnabled("resourceInjectorMatchCondition"),
  };
}

function daemonData({ environment, config, gates }: RenderContext): TemplateData {
  const { text } = environment;
  const { disablePlugins, usesSystemd } = config.spec;
  return {
    Image: text("SRIOV_NETWORK_CONFIG_DAEMON_IMAGE"),
    Namespace: environment.namespace,
    SRIOVCNIImage: text("SRIOV_CNI_IMAGE"),
    SRIOVInfiniBandCNIImage: text("SRIOV_INFINIBAND_CNI_IMAGE"),
    OVSCNIImage: text("OVS_CNI_IMAGE"),
    RDMACNIImage: text("RDMA_CNI_IMAGE"),
    ReleaseVersion: environment.releaseVersion,
    ClusterType: environment.clusterType,
    DevMode: environment.devMode,
    ImagePullSecrets: environment.imagePullSecrets,
    UsedSystemdMode: usesSystemd,
    ParallelNicConfig: gates.isEnabled("parallelNicConfig"),
    ManageSoftwareBridges: gates.isEnabled("manageSoftwareBridges"),
    CNIBinPath: environment.cniBinPath,
    // Templates ask whether the key is there.
    ...(disablePlugins.length === 0 ? {} : { DisablePlugins: disablePlugins.join(",") }),
  };
}

function pluginData(context: RenderContext): TemplateData {
  const { environment, config } = context;
  return {
    Namespace: environment.namespace,
    SRIOVDevicePluginImage: environment.text("SRIOV_DEVICE_PLUGIN_IMAGE"),
    ReleaseVersion: environment.releaseVersion,
    ResourcePrefix: environment.resourcePrefix,
    ImagePullSecrets: environment.imagePullSecrets,
    NodeSelectorField: devicePluginSelector(context),
    UseCDI: config.spec.useCDI,
  };
}

function metricsData(context: RenderContext): TemplateData {
  const { environment, platform } = context;
  const { text } = environment;
  return {
    Image: text("METRICS_EXPORTER_IMAGE"),
    Namespace: environment.namespace,
    ImagePullSecrets: environment.imagePullSecrets,
    MetricsExporterSecretName: text("METRICS_EXPORTER_SECRET_NAME"),
    MetricsExporterPort: text("METRICS_EXPORTER_PORT"),
    MetricsExporterKubeRbacProxyImage: text("METRICS_EXPORTER_KUBE_RBAC_PROXY_IMAGE"),
    IsOpenshift: platform.isOpenshift,
    IsPrometheusOperatorInstalled: environment.isPrometheusInstalled,
    PrometheusOperatorDeployRules: environment.deploysPrometheusRules,
    PrometheusOperatorServiceAccount: text("METRICS_EXPORTER_PROMETHEUS_OPERATOR_SERVICE_ACCOUNT"),
    PrometheusOperatorNamespace: text("METRICS_EXPORTER_PROMETHEUS_OPERATOR_NAMESPACE"),
    NodeSelectorField: metricsSelector(context),
  };
}

/** Units of the hosts are laid down by an operator that a hosted control plane does not have. */
function unsupportedSystemd({ platform, config }: RenderContext): string | undefined {
  const isImpossible = platform.isHypershift && config.spec.usesSystemd;
  return isImpossible ? "systemd mode is not supported on hypershift" : undefined;
}

/** Every component, in the order in which errors are told. */
export const COMPONENTS: readonly Component[] = [
  {
    name: "injector",
    folder: "webhook",
    isKnown: always,
    isEnabled: ({ config }) => config.spec.enableInjector,
    unsupported: never,
    data: webhookData,
    required: ["NETWORK_RESOURCES_INJECTOR_IMAGE", `${CERTIFICATES}_INJECTOR_SECRET_NAME`],
    nodeSelector: never,
  },
  {
    name: "operator-webhook",
    folder: "operator-webhook",
    isKnown: always,
    isEnabled: ({ config }) => config.spec.enableOperatorWebhook,
    unsupported: never,
    data: webhookData,
    required: ["SRIOV_NETWORK_WEBHOOK_IMAGE", `${CERTIFICATES}_OPERATOR_SECRET_NAME`],
    nodeSelector: never,
  },
  {
    name: "config-daemon",
    folder: "daemon",
    isKnown: always,
    isEnabled: always,
    unsupported: unsupportedSystemd,
    data: daemonData,
    required: ["SRIOV_NETWORK_CONFIG_DAEMON_IMAGE", "SRIOV_CNI_IMAGE", "SRIOV_INFINIBAND_CNI_IMAGE"],
    nodeSelector: selectorOf,
  },
  {
    name: "device-plugin",
    folder: "plugins",
    isKnown: always,
    isEnabled: always,
    unsupported: never,
    data: pluginData,
    required: ["SRIOV_DEVICE_PLUGIN_IMAGE"],
    nodeSelector: devicePluginSelector,
  },
  {
    name: "metrics-exporter",
    folder: "metrics-exporter",
    isKnown: always,
    isEnabled: ({ gates }) => gates.isEnabled("metricsExporter"),
    unsupported: never,
    data: metricsData,
    required: [
      "METRICS_EXPORTER_IMAGE",
      "METRICS_EXPORTER_KUBE_RBAC_PROXY_IMAGE",
      "METRICS_EXPORTER_SECRET_NAME",
      "METRICS_EXPORTER_PORT",
    ],
    nodeSelector: metricsSelector,
  },
  {
    name: "openshift-service",
    folder: "sriov-config-service/openshift",
    isKnown: ({ platform }) => platform.isOpenshift,
    isEnabled: ({ config }) => config.spec.usesSystemd,
    unsupported: unsupportedSystemd,
    data: ({ config }) => ({ LogLevel: config.spec.logLevel }),
    required: [],
    nodeSelector: never,
  },
];
