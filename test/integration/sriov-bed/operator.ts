import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/async/index.ts";
import {
  SriovOperatorConfigController,
  type SriovOptions,
} from "../../../src/controllers/sriov-operator-config/index.ts";
import { createEventRecorder, type EventRecorder, type KubeClient } from "../../../src/kube/index.ts";
import { alwaysLeader, type LeaderElector } from "../../../src/leader-election/index.ts";
import { createLogger } from "../../../src/log/index.ts";
import { TemplateFolder } from "../../../src/manifest/index.ts";
import { type ControlPlane, eventually, repositoryRoot } from "../../control-plane/index.ts";
import { type Admin, clientOf, type Live } from "../addon-bed/admin.ts";
import { collection, DEFAULT_OPERANDS, type Kind, pathTo } from "./paths.ts";

/** The variables of an operator as it is deployed. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  RESOURCE_PREFIX: "openshift.io",
  SRIOV_NETWORK_CONFIG_DAEMON_IMAGE: "mock-image",
  SRIOV_CNI_IMAGE: "mock-image",
  SRIOV_INFINIBAND_CNI_IMAGE: "mock-image",
  SRIOV_DEVICE_PLUGIN_IMAGE: "mock-image",
  NETWORK_RESOURCES_INJECTOR_IMAGE: "mock-image",
  SRIOV_NETWORK_WEBHOOK_IMAGE: "mock-image",
  METRICS_EXPORTER_IMAGE: "mock-image",
  METRICS_EXPORTER_KUBE_RBAC_PROXY_IMAGE: "mock-image",
  METRICS_EXPORTER_SECRET_NAME: "metrics-exporter-cert",
  METRICS_EXPORTER_PORT: "9110",
  METRICS_EXPORTER_PROMETHEUS_OPERATOR_SERVICE_ACCOUNT: "k8s-prometheus",
  METRICS_EXPORTER_PROMETHEUS_OPERATOR_NAMESPACE: "default",
  ADMISSION_CONTROLLERS_CERTIFICATES_OPERATOR_SECRET_NAME: "operator-webhook-cert",
  ADMISSION_CONTROLLERS_CERTIFICATES_INJECTOR_SECRET_NAME: "network-resources-injector-cert",
};

/** The config that the operator's own tests start from. */
export const BOTH_WEBHOOKS: object = {
  enableInjector: true,
  enableOperatorWebhook: true,
  configDaemonNodeSelector: {},
  logLevel: 2,
};

export interface OperatorOptions {
  readonly namespace: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly templates?: string;
  readonly elector?: LeaderElector;
  readonly kubeconfig?: string;
  readonly settings?: SriovOptions;
}

/** A SriovOperatorConfig controller in this process, on a real API server. */
export class Operator {
  /** Every line of its log. */
  readonly log: string[] = [];
  /** Read at each reconcile; tests change it. */
  readonly environment: Record<string, string>;
  readonly namespace: string;
  readonly controller: SriovOperatorConfigController;
  /** Settles when it has ended; rejects with what ended it. */
  readonly ended: Promise<void>;
  readonly recorder: EventRecorder;
  readonly #admin: Admin;
  readonly #stop: AbortController = new AbortController();
  readonly #client: KubeClient;

  constructor(client: KubeClient, admin: Admin, options: OperatorOptions) {
    this.#client = client;
    this.#admin = admin;
    this.namespace = options.namespace;
    this.environment = { ...ENVIRONMENT, NAMESPACE: options.namespace, ...options.environment };
    const log = createLogger({
      sink: {
        write: (line) => {
          this.log.push(line.trimEnd());
          return true;
        },
        close: () => {},
      },
    });
    this.recorder = createEventRecorder({ client, clock: systemClock, instance: "test" });
    this.controller = new SriovOperatorConfigController(
      {
        client,
        clock: systemClock,
        log,
        recorder: this.recorder,
        elector: options.elector ?? alwaysLeader("test"),
        templates: new TemplateFolder(options.templates ?? join(repositoryRoot, "templates/sriov")),
        environment: () => this.environment,
      },
      { selfCheckMs: 0, ...options.settings },
    );
    this.ended = this.controller.run(this.#stop.signal);
    this.ended.catch(() => {});
  }

  path(kind: Kind, name: string): string {
    return pathTo(kind, name, this.namespace);
  }

  get(kind: Kind, name: string): Promise<Live | undefined> {
    return this.#admin.get(this.path(kind, name));
  }

  /** The object, once it is there and as `holds` wants it. */
  where(kind: Kind, name: string, holds: (object: Live) => boolean = () => true, timeoutMs = 10_000): Promise<Live> {
    const look = async (): Promise<Live> => {
      const object = await this.get(kind, name);
      if (object !== undefined && holds(object)) return object;
      throw new TypeError(`${JSON.stringify(object)?.slice(0, 3000)}; its log: ${this.log.slice(-5).join("\n")}`);
    };
    return eventually(`${kind} ${name}: ${holds}`, look, { timeoutMs });
  }

  gone(kind: Kind, name: string, timeoutMs = 10_000): Promise<true> {
    return eventually(`${kind} ${name} is gone`, async () => (await this.get(kind, name)) === undefined, { timeoutMs });
  }

  async createConfig(spec: object = BOTH_WEBHOOKS): Promise<Live> {
    const object = {
      apiVersion: "sriovnetwork.openshift.io/v1",
      kind: "SriovOperatorConfig",
      metadata: { name: "default", namespace: this.namespace },
      spec,
    };
    return this.#admin.create(collection("Config", this.namespace), object);
  }

  patchSpec(spec: object): Promise<Live> {
    return this.#admin.patch(this.path("Config", "default"), { spec });
  }

  /** Has it reconcile, as the operator's own tests do: by a label. */
  trigger(): Promise<Live> {
    return this.#admin.patch(this.path("Config", "default"), { metadata: { labels: { trigger: `${Date.now()}` } } });
  }

  /** The config, once its status says that everything of this generation is as declared. */
  async ready(timeoutMs = 10_000): Promise<Live> {
    const isReady = (config: Live): boolean => {
      const ready = conditionOf(config, "Ready");
      return ready?.status === "True" && ready.observedGeneration === config.metadata.generation;
    };
    return this.where("Config", "default", isReady, timeoutMs);
  }

  /** Those of the default that are not there. */
  async missing(operands: readonly (readonly [Kind, string])[] = DEFAULT_OPERANDS): Promise<readonly string[]> {
    const found = await Promise.all(operands.map(async ([kind, name]) => [await this.get(kind, name), kind, name]));
    return found.filter(([object]) => object === undefined).map(([, kind, name]) => `${kind} ${name}`);
  }

  /** Reasons of the Events about the config. */
  async events(): Promise<readonly { readonly reason: string; readonly message: string }[]> {
    const events = await this.#admin.list(collection("Event", this.namespace));
    return events
      .filter(({ involvedObject }) => involvedObject.kind === "SriovOperatorConfig")
      .map(({ reason, message }) => ({ reason, message }));
  }

  /** Stops it as SIGTERM does. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => {});
    this.recorder.close();
    this.#client.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
export function conditionOf(config: Live, type: string): any {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return config.status?.conditions?.find((each: any) => each.type === type);
}

/** The Pods' part of a DaemonSet. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export const podOf = (daemonSet: Live): any => daemonSet.spec.template.spec;

let namespaces = 0;

/** A namespace of the test's own: cluster-scoped operands are shared, so tests of one file run one after the other. */
export async function createNamespace(admin: Admin): Promise<string> {
  namespaces += 1;
  const name = `sriov-${namespaces}`;
  await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return name;
}

/** Starts one that ends with the test. */
export async function startOperator(plane: ControlPlane, admin: Admin, options: OperatorOptions): Promise<Operator> {
  const client = await clientOf(plane, "keelson", options.kubeconfig);
  const operator = new Operator(client, admin, options);
  onTestFinished(() => operator.stop());
  return operator;
}

/** Installs our definitions and, where given, other people's, and waits until they are served. */
export async function installDefinitions(plane: ControlPlane, others: readonly object[] = []): Promise<void> {
  const folder = join(repositoryRoot, "deploy/crds");
  const own = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const input = [...own, ...others.map((each) => JSON.stringify(each))].join("\n---\n");
  await plane.kubectl("apply", "-f", "-", { input });
  await plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s");
}
