import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import { Admin } from "./addon-bed/index.ts";
import {
  conditionOf,
  createNamespace,
  DEFAULT_OPERANDS,
  definitionOf,
  installDefinitions,
  METRICS_OPERANDS,
  NETWORK_ATTACHMENT,
  type Operator,
  PROMETHEUS_OPERANDS,
  PROMETHEUS_RULE,
  podOf,
  SERVICE_MONITOR,
  startOperator,
} from "./sriov-bed/index.ts";

const WRITES = ["create", "update", "patch", "delete", "deletecollection"];
const FINALIZER = "operatorconfig.finalizers.sriovnetwork.openshift.io";
const WORKER = { "node-role.kubernetes.io/worker": "" };

describeWithControlPlane(
  "the SriovOperatorConfig controller",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
      await installDefinitions(plane(), [SERVICE_MONITOR, PROMETHEUS_RULE, NETWORK_ATTACHMENT].map(definitionOf));
    });
    afterAll(() => admin.close());

    /** An operator whose default config is in force; both go with the test. */
    async function started(options: { spec?: object; environment?: Record<string, string> } = {}): Promise<Operator> {
      const namespace = await createNamespace(admin);
      const operator = await startOperator(plane(), admin, { namespace, environment: options.environment ?? {} });
      await operator.createConfig(options.spec);
      await operator.ready();
      return operator;
    }

    async function ended(operator: Operator): Promise<void> {
      await admin.delete(operator.path("Config", "default"));
      await operator.gone("Config", "default");
      await operator.stop();
    }

    /** What the controller has asked the API server for, but for its Events. */
    async function requestsSince(since: number) {
      const all = await plane().requests({ user: "keelson" });
      return all.slice(since).filter(({ resource }) => resource !== "events");
    }
    const requestCount = async (): Promise<number> => (await plane().requests({ user: "keelson" })).length;

    it("applies every operand of the default, within the requests that it may take, and then rests", async () => {
      const namespace = await createNamespace(admin);
      const operator = await startOperator(plane(), admin, { namespace });
      await eventually("its watches are warm", () => operator.controller.components().every(({ ok }) => ok));
      const before = await requestCount();
      await operator.createConfig();
      await operator.ready();

      expect(await operator.missing()).toEqual([]);
      // Under load the status is told while the burst lasts, too; everything else is the same each time.
      const requests = (await requestsSince(before)).filter(({ verb }) => verb !== "watch");
      const others = requests.filter(({ subresource }) => subresource !== "status");
      expect(others.length, others.map(({ verb, uri }) => `${verb} ${uri}`).join("\n")).toBeLessThanOrEqual(29);
      for (const name of [
        "operator-webhook",
        "network-resources-injector",
        "sriov-network-config-daemon",
        "sriov-device-plugin",
      ]) {
        const { ownerReferences } = (await operator.where("DaemonSet", name)).metadata;
        expect(ownerReferences).toMatchObject([{ kind: "SriovOperatorConfig", name: "default", controller: true }]);
      }
      const quiet = await requestCount();
      await eventually("nothing for a second", async () => {
        const since = performance.now();
        while (performance.now() - since < 1_000) await new Promise((resolve) => setTimeout(resolve, 100));
        return true;
      });
      expect((await requestsSince(quiet)).filter(({ verb }) => verb !== "watch")).toEqual([]);
      await ended(operator);
    });

    it("takes the injector and the webhook away and brings them back", async () => {
      const operator = await started();
      const [injector, webhook] = [DEFAULT_OPERANDS.slice(0, 8), DEFAULT_OPERANDS.slice(8, 16)];

      for (const [field, operands] of [
        ["enableInjector", injector],
        ["enableOperatorWebhook", webhook],
      ] as const) {
        await operator.patchSpec({ [field]: false });
        for (const [kind, name] of operands) await operator.gone(kind, name);
        expect(await operator.missing()).toHaveLength(operands.length);
        await operator.patchSpec({ [field]: true });
        for (const [kind, name] of operands) await operator.where(kind, name);
      }
      await ended(operator);
    });

    it("deletes the webhook configurations and its cluster-scoped objects with the config, and the rest is collected", async () => {
      const operator = await started();
      expect((await operator.where("Config", "default")).metadata.finalizers).toEqual([FINALIZER]);

      await admin.delete(operator.path("Config", "default"));

      await operator.gone("Config", "default");
      // The garbage collector learns of new kinds every 30 seconds.
      for (const [kind, name] of DEFAULT_OPERANDS) await operator.gone(kind, name, 60_000);
      await operator.stop();
    });

    it("leaves false and 0 of the spec as they are", async () => {
      const spec = { enableInjector: false, enableOperatorWebhook: false, logLevel: 0, disableDrain: false };
      const operator = await started({ spec });

      const config = await operator.where("Config", "default", ({ metadata }) => metadata.finalizers?.length === 1);

      expect(config.spec).toEqual(spec);
      expect(config.status).toMatchObject({ injector: "Disabled", operatorWebhook: "Disabled" });
      await ended(operator);
    });

    it("follows the node selector in both directions", async () => {
      const operator = await started({ spec: { configDaemonNodeSelector: WORKER } });
      const selectorsOf = async (): Promise<readonly unknown[]> => [
        podOf(await operator.where("DaemonSet", "sriov-network-config-daemon")).nodeSelector,
        podOf(await operator.where("DaemonSet", "sriov-device-plugin")).nodeSelector,
      ];
      const plugin = { "sriovnetwork.openshift.io/device-plugin": "Enabled" };
      expect(await selectorsOf()).toEqual([WORKER, { ...WORKER, ...plugin }]);

      for (const selector of [{ a: "1", b: "yes", n: "" }, { a: "1", b: null, n: "" }, { a: "2" }]) {
        await operator.patchSpec({ configDaemonNodeSelector: selector });
        await operator.ready();
      }
      await operator.patchSpec({
        configDaemonNodeSelector: { a: "123", n: null, "node-role.kubernetes.io/worker": null },
      });
      await operator.ready();
      expect(await selectorsOf()).toEqual([{ a: "123" }, { a: "123", ...plugin }]);

      await operator.patchSpec({ configDaemonNodeSelector: null });
      await operator.ready();
      expect(await selectorsOf()).toEqual([
        { "kubernetes.io/os": "linux", ...WORKER },
        { "kubernetes.io/os": "linux", ...plugin },
      ]);
      await ended(operator);
    });

    it("follows disabled plugins and CDI in both directions", async () => {
      const operator = await started();
      const args = async (name: string): Promise<readonly string[]> =>
        podOf(await operator.where("DaemonSet", name)).containers[0].args;
      expect((await args("sriov-network-config-daemon")).join(" ")).not.toContain("disable-plugins");

      await operator.patchSpec({ disablePlugins: ["mellanox"], useCDI: true });
      await operator.ready();
      expect(await args("sriov-network-config-daemon")).toContain("--disable-plugins=mellanox");
      expect(await args("sriov-device-plugin")).toContain("--use-cdi");

      await operator.patchSpec({ disablePlugins: null, useCDI: false });
      await operator.ready();
      expect(await args("sriov-network-config-daemon")).toEqual(["start"]);
      expect(await args("sriov-device-plugin")).not.toContain("--use-cdi");
      expect(podOf(await operator.where("DaemonSet", "sriov-device-plugin")).volumes).toHaveLength(4);
      await ended(operator);
    });

    it("lets the injector fail only behind its match condition", async () => {
      const operator = await started();
      const webhook = async () => (await operator.where("Mutating", "network-resources-injector-config")).webhooks;
      for (const isOn of [true, false, true]) {
        await operator.patchSpec({ featureGates: { resourceInjectorMatchCondition: isOn, another: true } });
        await operator.ready();
        expect(await webhook()).toMatchObject([
          isOn
            ? { failurePolicy: "Fail", matchConditions: [{ name: "include-networks-annotation" }] }
            : { failurePolicy: "Ignore" },
        ]);
      }
      expect(String(operator.controller.gates)).toBe("another:true, resourceInjectorMatchCondition:true");
      await ended(operator);
    });

    it("runs the metrics exporter behind its gate, with what Prometheus needs where it is there", async () => {
      const operator = await started();
      expect(await operator.missing(METRICS_OPERANDS)).toHaveLength(METRICS_OPERANDS.length);

      const capable = { ...WORKER, "feature.node/capable": "true", n: "123" };
      await operator.patchSpec({ featureGates: { metricsExporter: true }, configDaemonNodeSelector: capable });
      await operator.ready();
      expect(await operator.missing(METRICS_OPERANDS)).toEqual([]);
      const daemonSet = await operator.where("DaemonSet", "sriov-network-metrics-exporter");
      expect(podOf(daemonSet).nodeSelector).toEqual(capable);
      expect(await operator.missing(PROMETHEUS_OPERANDS)).toHaveLength(PROMETHEUS_OPERANDS.length);

      Object.assign(operator.environment, {
        METRICS_EXPORTER_PROMETHEUS_OPERATOR_ENABLED: "true",
        METRICS_EXPORTER_PROMETHEUS_DEPLOY_RULES: "True",
      });
      await operator.trigger();
      for (const [kind, name] of PROMETHEUS_OPERANDS) await operator.where(kind, name);

      // Rendered no more, they go: the operator itself leaves them.
      operator.environment.METRICS_EXPORTER_PROMETHEUS_OPERATOR_ENABLED = "false";
      await operator.trigger();
      for (const [kind, name] of PROMETHEUS_OPERANDS) await operator.gone(kind, name);

      await operator.patchSpec({ featureGates: { metricsExporter: false } });
      for (const [kind, name] of METRICS_OPERANDS) await operator.gone(kind, name);
      await ended(operator);
    });

    it("keeps a CA bundle of others, and takes its own back", async () => {
      const operator = await started();
      const path = operator.path("Validating", "sriov-operator-webhook-config");
      const bundle = async (kind: "Mutating" | "Validating", name: string) =>
        (await operator.where(kind, name)).webhooks[0].clientConfig.caBundle;
      const ca = (text: string): string => Buffer.from(text).toString("base64");
      await admin.patch(path, [{ op: "add", path: "/webhooks/0/clientConfig/caBundle", value: ca("foreign") }], {
        type: "json",
      });
      await operator.patchSpec({ logLevel: 1 });
      await operator.ready();
      expect(await bundle("Validating", "sriov-operator-webhook-config")).toBe(ca("foreign"));

      Object.assign(operator.environment, {
        CLUSTER_TYPE: "kubernetes",
        ADMISSION_CONTROLLERS_CERTIFICATES_OPERATOR_CA_CRT: ca("ca-bundle-1\n"),
        ADMISSION_CONTROLLERS_CERTIFICATES_INJECTOR_CA_CRT: ca("ca-bundle-2\n"),
      });
      await operator.trigger();
      await operator.where(
        "Mutating",
        "sriov-operator-webhook-config",
        ({ webhooks }) => webhooks[0].clientConfig.caBundle === ca("ca-bundle-1\n"),
      );
      await operator.where(
        "Validating",
        "sriov-operator-webhook-config",
        ({ webhooks }) => webhooks[0].clientConfig.caBundle === ca("ca-bundle-1\n"),
      );
      await operator.where(
        "Mutating",
        "network-resources-injector-config",
        ({ webhooks }) => webhooks[0].clientConfig.caBundle === ca("ca-bundle-2\n"),
      );

      operator.environment.ADMISSION_CONTROLLERS_CERTIFICATES_CERT_MANAGER_ENABLED = "TRUE";
      await operator.trigger();
      const mutating = await operator.where(
        "Mutating",
        "sriov-operator-webhook-config",
        ({ webhooks }) => webhooks[0].clientConfig.caBundle === undefined,
      );
      expect(mutating.metadata.annotations["cert-manager.io/inject-ca-from"]).toBe(
        `${operator.namespace}/operator-webhook-cert`,
      );

      operator.environment.ADMISSION_CONTROLLERS_CERTIFICATES_CERT_MANAGER_ENABLED = "false";
      await operator.trigger();
      await operator.where(
        "Mutating",
        "sriov-operator-webhook-config",
        ({ metadata }) => metadata.annotations?.["cert-manager.io/inject-ca-from"] === undefined,
      );
      await ended(operator);
    });

    it("repairs what somebody deletes or edits, of any kind, and leaves what others add", async () => {
      const operator = await started();
      for (const [kind, name] of DEFAULT_OPERANDS) {
        const before = await operator.where(kind, name);
        await admin.delete(operator.path(kind, name));
        await operator.where(kind, name, ({ metadata }) => metadata.uid !== before.metadata.uid);
      }
      await operator.ready();
      const daemon = operator.path("DaemonSet", "sriov-device-plugin");
      await admin.patch(daemon, {
        metadata: { labels: { mine: "1" }, annotations: { mine: "1" }, finalizers: ["example.com/mine"] },
      });
      await admin.patch(daemon, { metadata: { labels: { "keelson.dev/set": null }, ownerReferences: null } });
      const repaired = await operator.where(
        "DaemonSet",
        "sriov-device-plugin",
        ({ metadata }) => metadata.labels["keelson.dev/set"] !== undefined && metadata.ownerReferences?.length === 1,
      );
      expect(repaired.metadata).toMatchObject({
        labels: { mine: "1" },
        annotations: { mine: "1" },
        finalizers: ["example.com/mine"],
      });
      await admin.patch(daemon, { metadata: { finalizers: null } });
      await ended(operator);
    });

    it("logs by the operator's scale, at run time", async () => {
      const operator = await started();
      expect(operator.log.some((line) => line.includes("Reconciling SriovOperatorConfig"))).toBe(true);
      expect(operator.log.some((line) => line.includes("Start to sync webhook objects"))).toBe(true);

      await operator.patchSpec({ logLevel: 0 });

      await eventually("it says so", () =>
        operator.log.some((line) => line.includes('{"new-level": 0, "current-level": 2}')),
      );
      await ended(operator);
    });

    it("writes nothing at a restart but what the stop has changed", async () => {
      const operator = await started();
      await operator.stop();
      const stopped = await operator.where("Validating", "sriov-operator-webhook-config");
      expect(stopped.webhooks[0].failurePolicy).toBe("Ignore");
      const before = await requestCount();

      const again = await startOperator(plane(), admin, { namespace: operator.namespace });
      await again.where(
        "Validating",
        "sriov-operator-webhook-config",
        ({ webhooks }) => webhooks[0].failurePolicy === "Fail",
      );
      await again.where(
        "Mutating",
        "sriov-operator-webhook-config",
        ({ webhooks }) => webhooks[0].failurePolicy === "Fail",
      );
      await again.ready();

      const writes = (await requestsSince(before)).filter(({ verb }) => WRITES.includes(verb));
      expect(writes.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`).sort()).toEqual([
        "patch mutatingwebhookconfigurations sriov-operator-webhook-config",
        "patch validatingwebhookconfigurations sriov-operator-webhook-config",
      ]);
      await ended(again);
    });

    it("keeps the finalizer while a webhook configuration cannot be deleted, and deletes the others", async () => {
      const operator = await started();
      const path = operator.path("Mutating", "sriov-operator-webhook-config");
      await admin.patch(path, { metadata: { finalizers: ["example.com/wait"] } });
      const daemonSet = await operator.where("DaemonSet", "operator-webhook");

      await admin.delete(operator.path("Config", "default"));

      await operator.gone("Validating", "sriov-operator-webhook-config");
      await operator.gone("Mutating", "network-resources-injector-config");
      expect(daemonSet.metadata.name).toBe("operator-webhook");
      await admin.patch(path, { metadata: { finalizers: null } });
      await operator.gone("Config", "default");
      await operator.stop();
    });

    it("says which image is missing, and applies the other components", async () => {
      const namespace = await createNamespace(admin);
      const operator = await startOperator(plane(), admin, {
        namespace,
        environment: { SRIOV_DEVICE_PLUGIN_IMAGE: "" },
      });
      await operator.createConfig();

      const config = await operator.where(
        "Config",
        "default",
        (each) => conditionOf(each, "Degraded")?.status === "True",
      );

      expect(conditionOf(config, "Degraded")).toMatchObject({
        reason: "ComponentFailed",
        message: expect.stringContaining("device-plugin: SRIOV_DEVICE_PLUGIN_IMAGE is not set"),
      });
      expect(conditionOf(config, "Ready").status).toBe("False");
      await operator.where("DaemonSet", "sriov-network-config-daemon");
      expect(await operator.get("DaemonSet", "sriov-device-plugin")).toBeUndefined();
      await eventually("an Event tells", async () =>
        (await operator.events()).some(({ message }) => message.includes("SRIOV_DEVICE_PLUGIN_IMAGE")),
      );
      await ended(operator);
    });

    it("ignores a config of another name", async () => {
      const operator = await started();
      await admin.create(operator.path("Config", "").slice(0, -1), {
        apiVersion: "sriovnetwork.openshift.io/v1",
        kind: "SriovOperatorConfig",
        metadata: { name: "other", namespace: operator.namespace },
        spec: { enableInjector: false },
      });
      await operator.trigger();
      await operator.ready();

      const other = await operator.where("Config", "other");
      expect([other.metadata.finalizers, other.status]).toEqual([undefined, undefined]);
      expect(await operator.missing()).toEqual([]);
      await ended(operator);
    });
  },
  // No webhook has a backend here: with the API server calling them, nothing of the operator's could be written.
  {
    auditLog: true,
    apiServerFlags: ["--disable-admission-plugins=MutatingAdmissionWebhook,ValidatingAdmissionWebhook"],
  },
);
