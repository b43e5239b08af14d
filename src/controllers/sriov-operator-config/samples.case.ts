import { join } from "node:path";
import { TemplateFolder } from "../../manifest/index.ts";
import { type JsonObject, type KubeObject, parseJson } from "../../object/index.ts";
import type { RenderContext } from "./components.ts";
import { type OperatorConfig, parseConfig } from "./config.ts";
import { type DesiredOperands, desiredOperands } from "./desired.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { FeatureGates } from "./feature-gates.ts";
import type { Platform } from "./platform.ts";

/** The templates of the program. */
export const TEMPLATES: TemplateFolder = new TemplateFolder(join(import.meta.dirname, "../../../templates/sriov"));

/** Everything that a deployment sets. */
export const ENVIRONMENT: Environment = {
  NAMESPACE: "sriov",
  RESOURCE_PREFIX: "example.com",
  CLUSTER_TYPE: "kubernetes",
  SRIOV_NETWORK_CONFIG_DAEMON_IMAGE: "image/daemon",
  SRIOV_CNI_IMAGE: "image/cni",
  SRIOV_INFINIBAND_CNI_IMAGE: "image/ib",
  SRIOV_DEVICE_PLUGIN_IMAGE: "image/plugin",
  NETWORK_RESOURCES_INJECTOR_IMAGE: "image/injector",
  SRIOV_NETWORK_WEBHOOK_IMAGE: "image/webhook",
  METRICS_EXPORTER_IMAGE: "image/metrics",
  METRICS_EXPORTER_KUBE_RBAC_PROXY_IMAGE: "image/proxy",
  METRICS_EXPORTER_SECRET_NAME: "metrics-cert",
  METRICS_EXPORTER_PORT: "9110",
  METRICS_EXPORTER_PROMETHEUS_OPERATOR_SERVICE_ACCOUNT: "prometheus",
  METRICS_EXPORTER_PROMETHEUS_OPERATOR_NAMESPACE: "monitoring",
  ADMISSION_CONTROLLERS_CERTIFICATES_OPERATOR_SECRET_NAME: "operator-cert",
  ADMISSION_CONTROLLERS_CERTIFICATES_INJECTOR_SECRET_NAME: "injector-cert",
};

/** What a rendering follows from; what is left out is the default of the samples. */
export interface Setting {
  readonly spec?: JsonObject;
  readonly environment?: Environment;
  readonly platform?: Partial<Platform>;
  readonly templates?: TemplateFolder;
}

export function config(spec: JsonObject, metadata: JsonObject = {}): OperatorConfig {
  return parseConfig({
    apiVersion: "sriovnetwork.openshift.io/v1",
    kind: "SriovOperatorConfig",
    metadata: { name: "default", namespace: "sriov", uid: "config-uid", generation: 3, ...metadata },
    spec,
  });
}

export function context(setting: Setting): RenderContext {
  const spec = { enableInjector: true, enableOperatorWebhook: true, ...setting.spec };
  const parsed = config(spec);
  const gates = new FeatureGates();
  gates.init(parsed.spec.featureGates);
  return {
    environment: readEnvironment({ ...ENVIRONMENT, ...setting.environment }),
    platform: { isOpenshift: false, isHypershift: false, ...setting.platform },
    config: parsed,
    gates,
  };
}

export function render(setting: Setting = {}): DesiredOperands {
  return desiredOperands(setting.templates ?? TEMPLATES, context(setting));
}

/** Every object that must be there, by `Kind/name`. */
export function operands(setting: Setting = {}): ReadonlyMap<string, KubeObject> {
  const { declared } = render(setting).input;
  const wanted = declared.filter(({ mode }) => mode === "Reconcile");
  return new Map(
    wanted.map(({ manifest }) => [`${manifest.kind}/${manifest.name}`, parseJson(manifest.body) as KubeObject]),
  );
}

/** Every field of some objects by its path: `DaemonSet/x: spec.template.spec.hostNetwork`. Lists are numbered. */
export function paths(objects: ReadonlyMap<string, unknown>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
      for (const [key, part] of Object.entries(value)) visit(part, `${path}.${key}`);
    } else found.set(path, JSON.stringify(value));
  };
  for (const [name, object] of objects) visit(object, name);
  return found;
}
