import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/async/index.ts";
import { kubeLease, LeaseHolder } from "../../src/leader-election/index.ts";
import { silentLogger } from "../../src/log/index.ts";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import { Admin, clientOf } from "./addon-bed/index.ts";
import {
  BOTH_WEBHOOKS,
  collection,
  conditionOf,
  createNamespace,
  DEFAULT_OPERANDS,
  definitionOf,
  INFRASTRUCTURE,
  installDefinitions,
  MACHINE_CONFIG,
  type Operator,
  PROMETHEUS_OPERANDS,
  PROMETHEUS_RULE,
  SERVICE_MONITOR,
  startOperator,
} from "./sriov-bed/index.ts";

const OPENSHIFT = { CLUSTER_TYPE: "openshift" };
const MACHINE = "sriov-config-service";

describeWithControlPlane(
  "the SriovOperatorConfig controller on other platforms",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
      await installDefinitions(plane(), [definitionOf(INFRASTRUCTURE)]);
    });
    afterAll(() => admin.close());

    const requests = async () =>
      (await plane().requests({ user: "keelson" })).filter(({ resource }) => !["events", "leases"].includes(resource));

    async function started(environment: Record<string, string> = {}, spec: object = BOTH_WEBHOOKS): Promise<Operator> {
      const namespace = await createNamespace(admin);
      const operator = await startOperator(plane(), admin, { namespace, environment });
      await operator.createConfig(spec);
      return operator;
    }

    async function ended(operator: Operator): Promise<void> {
      await admin.delete(operator.path("Config", "default"));
      await operator.gone("Config", "default");
      await operator.stop();
    }

    async function setTopology(controlPlaneTopology: string): Promise<void> {
      const path = `${collection("Infrastructure", "")}/cluster`;
      const object = { apiVersion: "config.openshift.io/v1", kind: "Infrastructure", metadata: { name: "cluster" } };
      if ((await admin.get(path)) === undefined) await admin.create(collection("Infrastructure", ""), object);
      await admin.patch(`${path}/status`, { status: { controlPlaneTopology } });
    }

    it("refuses to start on OpenShift without its Infrastructure", async () => {
      const namespace = await createNamespace(admin);
      const operator = await startOperator(plane(), admin, { namespace, environment: OPENSHIFT });

      await expect(operator.ended).rejects.toThrow("Infrastructure cluster cannot be read");
    });

    it("runs in daemon mode on HyperShift, where there is no MachineConfig", async () => {
      await setTopology("External");
      const operator = await started(OPENSHIFT);
      await operator.ready();

      expect(await operator.missing()).toEqual([]);
      const server = await operator.where("DaemonSet", "operator-webhook");
      expect(server.spec.template.spec.affinity).toBeUndefined();
      await ended(operator);
    });

    it("says that systemd mode is not supported on HyperShift, applies the rest, and does not hammer", async () => {
      await setTopology("External");
      const operator = await started(OPENSHIFT, { ...BOTH_WEBHOOKS, configurationMode: "systemd" });

      const config = await operator.where(
        "Config",
        "default",
        (each) => conditionOf(each, "Degraded")?.status === "True",
      );

      expect(conditionOf(config, "Degraded")).toMatchObject({
        reason: "UnsupportedConfiguration",
        message: expect.stringContaining("systemd mode is not supported on hypershift"),
      });
      expect(await operator.missing()).toEqual(["DaemonSet sriov-network-config-daemon"]);
      await eventually("an Event tells", async () =>
        (await operator.events()).some(({ reason }) => reason === "UnsupportedConfiguration"),
      );
      const before = (await requests()).length;
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect((await requests()).slice(before).filter(({ verb }) => verb !== "watch")).toEqual([]);

      await operator.patchSpec({ configurationMode: "daemon" });
      await operator.ready();
      expect(await operator.missing()).toEqual([]);
      await ended(operator);
    });

    it("makes the MachineConfig in systemd mode, takes it away, and never lists or watches the kind", async () => {
      await setTopology("HighlyAvailable");
      await installDefinitions(plane(), [definitionOf(MACHINE_CONFIG)]);
      const operator = await started(OPENSHIFT, {
        ...BOTH_WEBHOOKS,
        configurationMode: "systemd",
        configDaemonNodeSelector: { zone: "a" },
      });

      const machineConfig = await operator.where("MachineConfig", MACHINE);
      expect(machineConfig.metadata.labels).toMatchObject({
        zone: "a",
        "machineconfiguration.openshift.io/role": "worker",
      });
      expect(machineConfig.metadata.ownerReferences).toBeUndefined();

      await operator.patchSpec({ configurationMode: "daemon" });
      await operator.gone("MachineConfig", MACHINE);

      await operator.patchSpec({ configurationMode: "systemd" });
      await operator.where("MachineConfig", MACHINE);
      await ended(operator);
      expect(await admin.get(operator.path("MachineConfig", MACHINE))).toBeDefined();
      expect((await operator.events()).some(({ reason }) => reason === "MachineConfigKept")).toBe(true);
      const verbs = (await requests()).filter(({ resource }) => resource === "machineconfigs").map(({ verb }) => verb);
      expect([...new Set(verbs)].sort()).toEqual(["delete", "get", "patch"]);
      await admin.delete(operator.path("MachineConfig", MACHINE));
    });

    it("applies all but what has no definition, and that as soon as it has one", async () => {
      const operator = await started(
        {
          METRICS_EXPORTER_PROMETHEUS_OPERATOR_ENABLED: "true",
          METRICS_EXPORTER_PROMETHEUS_DEPLOY_RULES: "true",
        },
        { ...BOTH_WEBHOOKS, featureGates: { metricsExporter: true } },
      );
      const config = await operator.where(
        "Config",
        "default",
        (each) => conditionOf(each, "Progressing")?.reason === "Waiting",
      );
      expect(conditionOf(config, "Progressing").message).toContain("ServiceMonitor");
      expect(conditionOf(config, "Degraded").status).toBe("False");
      expect(await operator.missing(PROMETHEUS_OPERANDS)).toHaveLength(2);
      await eventually("an Event tells", async () =>
        (await operator.events()).some(({ reason }) => reason === "KindNotServed"),
      );

      await installDefinitions(plane(), [SERVICE_MONITOR, PROMETHEUS_RULE].map(definitionOf));

      await operator.ready();
      expect(await operator.missing(PROMETHEUS_OPERANDS)).toEqual([]);
      await ended(operator);
    });

    it("#849: lets one of two replicas act, and the other take over as soon as it ends", async () => {
      const namespace = await createNamespace(admin);
      const replica = async (identity: string): Promise<Operator> => {
        const client = await clientOf(plane(), "keelson");
        onTestFinished(() => client.close());
        const store = kubeLease({ client, clock: systemClock, name: "keelson-sriov", namespace });
        const name = `${namespace}/keelson-sriov`;
        const elector = new LeaseHolder({ store, identity, clock: systemClock, log: silentLogger, name });
        return startOperator(plane(), admin, { namespace, elector });
      };
      const first = await replica("a");
      await first.createConfig();
      await first.ready();
      const second = await replica("b");
      await eventually("it follows", () => second.controller.components().every(({ ok }) => ok));
      await admin.delete(first.path("DaemonSet", "operator-webhook"));
      await first.where("DaemonSet", "operator-webhook");
      expect(second.log.filter((line) => line.includes("created"))).toEqual([]);

      await first.stop();
      await eventually("the other leads", () => second.log.some((line) => line.includes("Leading")), {
        timeoutMs: 5_000,
      });
      await second.where(
        "Mutating",
        "sriov-operator-webhook-config",
        ({ webhooks }) => webhooks[0].failurePolicy === "Fail",
      );
      await ended(second);
    });

    it("goes on where the API server restarts in the middle", async () => {
      const operator = await started();
      await operator.where("ServiceAccount", "operator-webhook-sa");
      await plane().stopApiServer();
      await plane().startApiServer();

      await operator.ready(30_000);

      expect(await operator.missing()).toEqual([]);
      await ended(operator);
    });

    it("follows a config that is deleted and created again in the middle", async () => {
      const operator = await started();
      await operator.where("ServiceAccount", "operator-webhook-sa");
      await admin.delete(operator.path("Config", "default"));
      await operator.gone("Config", "default");
      const { metadata } = await operator.createConfig();

      await operator.ready();

      expect(await operator.missing()).toEqual([]);
      for (const [kind, name] of DEFAULT_OPERANDS) {
        if (kind.startsWith("Cluster") || kind === "Mutating" || kind === "Validating") continue;
        await operator.where(kind, name, (object) => object.metadata.ownerReferences?.[0]?.uid === metadata.uid);
      }
      await ended(operator);
    });

    it("deletes what a switched-off component renders, whoever made it, and takes over from the operator", async () => {
      const namespace = await createNamespace(admin);
      const service = {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "network-resources-injector-service", namespace },
        spec: { ports: [{ port: 443 }] },
      };
      await admin.create(collection("Service", namespace), service, "sriov-network-operator");
      const plugin = {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "sriov-device-plugin", namespace, labels: { old: "1" } },
      };
      await admin.create(collection("ServiceAccount", namespace), plugin, "sriov-network-operator");
      const operator = await startOperator(plane(), admin, { namespace });
      await operator.createConfig({ enableInjector: false, enableOperatorWebhook: true });

      await operator.ready();

      expect(await operator.get("Service", "network-resources-injector-service")).toBeUndefined();
      expect((await operator.where("ServiceAccount", "sriov-device-plugin")).metadata.labels.old).toBeUndefined();
      await ended(operator);
    });

    it("takes 20 changes in a second together", async () => {
      const operator = await started();
      await operator.ready();
      const before = (await requests()).length;
      for (let change = 1; change <= 20; change += 1) {
        await operator.patchSpec({ disablePlugins: change % 2 === 0 ? ["mellanox"] : [] });
        await new Promise((resolve) => setTimeout(resolve, 45));
      }
      await operator.ready();

      const sent = (await requests()).slice(before).filter(({ verb }) => verb !== "watch");
      expect(sent.length, sent.map(({ verb, uri }) => `${verb} ${uri}`).join("\n")).toBeLessThanOrEqual(60);
      await ended(operator);
    });

    it("writes what a narrower definition has room for, and tells the rest by Events", async () => {
      const path =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/sriovoperatorconfigs.sriovnetwork.openshift.io";
      const remove = ["conditions", "components", "observedGeneration"].map((field) => ({
        op: "remove",
        path: `/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/${field}`,
      }));
      await admin.patch(path, remove, { type: "json" });
      await eventually(
        "the schema is in force",
        async () => {
          const { definitions } = JSON.parse((await plane().kubectl("get", "--raw", "/openapi/v2")).stdout);
          const names = Object.keys(definitions).filter((name) => name.endsWith("SriovOperatorConfig"));
          return names.every((name) => definitions[name].properties.status.properties.conditions === undefined);
        },
        { timeoutMs: 30_000 },
      );
      const operator = await started({ SRIOV_DEVICE_PLUGIN_IMAGE: "" });

      const config = await operator.where("Config", "default", ({ status }) => status?.injector === "Enabled");

      expect(config.status).toEqual({ injector: "Enabled", operatorWebhook: "Enabled" });
      await eventually("an Event tells", async () =>
        (await operator.events()).some(({ message }) => message.includes("SRIOV_DEVICE_PLUGIN_IMAGE is not set")),
      );
      await ended(operator);
    });
  },
  {
    auditLog: true,
    apiServerFlags: ["--disable-admission-plugins=MutatingAdmissionWebhook,ValidatingAdmissionWebhook"],
  },
);
