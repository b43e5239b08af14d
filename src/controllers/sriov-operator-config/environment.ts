import { KeelsonError } from "../../errors/index.ts";

/** Environment variables as the process was given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One variable of the SR-IOV operator; `docs/reference/sriov.md` has a row for each. */
export interface OperatorVariable {
  readonly name: string;
  /** What it is where it is not set, as the documentation shows it. */
  readonly fallback: string;
  readonly effect: string;
}

const CERTIFICATES = "ADMISSION_CONTROLLERS_CERTIFICATES";

/** Every variable that the controller reads: the operator's own names. */
export const OPERATOR_VARIABLES: readonly OperatorVariable[] = [
  { name: "NAMESPACE", fallback: "required", effect: "the operator's namespace" },
  { name: "RESOURCE_PREFIX", fallback: "required", effect: "prefix of the device plugin's resources" },
  { name: "CLUSTER_TYPE", fallback: "empty", effect: "`openshift` or `kubernetes`; anything else is neither" },
  { name: "DEV_MODE", fallback: "empty", effect: "handed to the config daemon and the webhook as it is" },
  { name: "SRIOV_NETWORK_CONFIG_DAEMON_IMAGE", fallback: "empty", effect: "image of the config daemon" },
  { name: "SRIOV_CNI_IMAGE", fallback: "empty", effect: "image of the SR-IOV CNI plug-in" },
  { name: "SRIOV_INFINIBAND_CNI_IMAGE", fallback: "empty", effect: "image of the InfiniBand CNI plug-in" },
  { name: "OVS_CNI_IMAGE", fallback: "empty", effect: "image of the OVS CNI plug-in; empty: none" },
  { name: "RDMA_CNI_IMAGE", fallback: "empty", effect: "image of the RDMA CNI plug-in; empty: none" },
  { name: "SRIOV_DEVICE_PLUGIN_IMAGE", fallback: "empty", effect: "image of the device plugin" },
  { name: "NETWORK_RESOURCES_INJECTOR_IMAGE", fallback: "empty", effect: "image of the injector" },
  { name: "SRIOV_NETWORK_WEBHOOK_IMAGE", fallback: "empty", effect: "image of the admission webhook" },
  { name: "METRICS_EXPORTER_IMAGE", fallback: "empty", effect: "image of the metrics exporter" },
  { name: "METRICS_EXPORTER_KUBE_RBAC_PROXY_IMAGE", fallback: "empty", effect: "image of the proxy in front of it" },
  { name: "RELEASEVERSION", fallback: "RELEASE_VERSION", effect: "version annotation of the DaemonSets" },
  { name: "RELEASE_VERSION", fallback: "empty", effect: "the same, where RELEASEVERSION is not set" },
  { name: "IMAGE_PULL_SECRETS", fallback: "none", effect: "names, separated by commas" },
  { name: "SRIOV_CNI_BIN_PATH", fallback: "/var/lib/cni/bin", effect: "the hosts' folder of CNI plug-ins" },
  { name: `${CERTIFICATES}_CERT_MANAGER_ENABLED`, fallback: "false", effect: "certificates come from cert-manager" },
  { name: `${CERTIFICATES}_OPERATOR_SECRET_NAME`, fallback: "empty", effect: "TLS Secret of the admission webhook" },
  { name: `${CERTIFICATES}_INJECTOR_SECRET_NAME`, fallback: "empty", effect: "TLS Secret of the injector" },
  { name: `${CERTIFICATES}_OPERATOR_CA_CRT`, fallback: "empty", effect: "base64 CA bundle of the admission webhook" },
  { name: `${CERTIFICATES}_INJECTOR_CA_CRT`, fallback: "empty", effect: "base64 CA bundle of the injector" },
  { name: "METRICS_EXPORTER_SECRET_NAME", fallback: "empty", effect: "TLS Secret of the metrics exporter" },
  { name: "METRICS_EXPORTER_PORT", fallback: "empty", effect: "port of the metrics exporter" },
  { name: "METRICS_EXPORTER_PROMETHEUS_OPERATOR_ENABLED", fallback: "false", effect: "make a ServiceMonitor" },
  { name: "METRICS_EXPORTER_PROMETHEUS_DEPLOY_RULES", fallback: "false", effect: "make a PrometheusRule, too" },
  {
    name: "METRICS_EXPORTER_PROMETHEUS_OPERATOR_SERVICE_ACCOUNT",
    fallback: "empty",
    effect: "Prometheus' ServiceAccount",
  },
  { name: "METRICS_EXPORTER_PROMETHEUS_OPERATOR_NAMESPACE", fallback: "empty", effect: "Prometheus' namespace" },
];

/** The environment, read. Images and Secrets that are not set are "". */
export interface OperatorEnvironment {
  readonly namespace: string;
  readonly clusterType: string;
  readonly resourcePrefix: string;
  readonly devMode: string;
  readonly releaseVersion: string;
  readonly imagePullSecrets: readonly string[];
  readonly cniBinPath: string;
  readonly isCertManagerEnabled: boolean;
  readonly isPrometheusInstalled: boolean;
  readonly deploysPrometheusRules: boolean;
  /** Any other variable, as it is; "" where it is not set. */
  readonly text: (name: string) => string;
}

/** Reads the environment. Total: what is malformed is told by {@link requireEnvironment} at the start. */
export function readEnvironment(environment: Environment): OperatorEnvironment {
  const text = (name: string): string => environment[name] ?? "";
  const isOn = (name: string): boolean => text(name).toLowerCase() === "true";
  return {
    namespace: text("NAMESPACE"),
    clusterType: text("CLUSTER_TYPE"),
    resourcePrefix: text("RESOURCE_PREFIX"),
    devMode: text("DEV_MODE"),
    releaseVersion: text("RELEASEVERSION") || text("RELEASE_VERSION"),
    imagePullSecrets: text("IMAGE_PULL_SECRETS")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
    cniBinPath: text("SRIOV_CNI_BIN_PATH") || "/var/lib/cni/bin",
    isCertManagerEnabled: isOn(`${CERTIFICATES}_CERT_MANAGER_ENABLED`),
    isPrometheusInstalled: isOn("METRICS_EXPORTER_PROMETHEUS_OPERATOR_ENABLED"),
    deploysPrometheusRules: isOn("METRICS_EXPORTER_PROMETHEUS_DEPLOY_RULES"),
    text,
  };
}

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/**
 * Checks what the controller cannot start without, and the form of what is set.
 *
 * @throws KeelsonError InvalidFlag that names the variable
 */
export function requireEnvironment(environment: Environment): OperatorEnvironment {
  const read = readEnvironment(environment);
  const { text } = read;
  for (const name of ["NAMESPACE", "RESOURCE_PREFIX"]) {
    if (text(name) === "") refuse(name, "it has to be set for the controller sriov-operator-config");
  }
  if (!DNS_LABEL.test(read.namespace)) refuse("NAMESPACE", `"${read.namespace}" is no name of a namespace`);
  const port = text("METRICS_EXPORTER_PORT");
  if (port !== "" && !isPort(port)) refuse("METRICS_EXPORTER_PORT", `"${port}" is no port from 1 to 65535`);
  for (const name of [`${CERTIFICATES}_OPERATOR_CA_CRT`, `${CERTIFICATES}_INJECTOR_CA_CRT`]) {
    if (!BASE64.test(text(name))) refuse(name, "it is not base64");
  }
  return read;
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

function refuse(name: string, why: string): never {
  throw new KeelsonError("InvalidFlag", `${name}: ${why}`, { object: name });
}
