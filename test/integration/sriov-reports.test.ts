import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeWithControlPlane, eventually, repositoryRoot } from "../control-plane/index.ts";
import { Admin, type Live } from "./addon-bed/index.ts";
import {
  BOTH_WEBHOOKS,
  collection,
  createNamespace,
  DEFAULT_OPERANDS,
  installDefinitions,
  type Operator,
  podOf,
  startOperator,
} from "./sriov-bed/index.ts";

const ca = (text: string): string => Buffer.from(text).toString("base64");

/**
 * What users of the operator have reported, one test each, named by the reports; numbers are issues and pull requests of
 * k8snetworkplumbingwg/sriov-network-operator. #1030 (InfiniBand with vfio-pci, and DELETE) and #464 (disableDrain while a
 * node is at work) are about the admission webhook: src/controllers/sriov-operator-config/admission.test.ts. #849 (a Lease
 * that is handed over slowly) is in sriov-platforms.test.ts.
 */
describeWithControlPlane(
  "what users of the SR-IOV operator have reported",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
      await installDefinitions(plane());
    });
    afterAll(() => admin.close());

    async function started(
      options: { spec?: object; environment?: Record<string, string>; templates?: string } = {},
    ): Promise<Operator> {
      const { spec = BOTH_WEBHOOKS, environment = {}, templates } = options;
      const namespace = await createNamespace(admin);
      const given = templates === undefined ? {} : { templates };
      const operator = await startOperator(plane(), admin, { namespace, environment, ...given });
      onTestFinished(async () => {
        await admin.delete(operator.path("Config", "default"));
        await operator.gone("Config", "default");
      });
      await operator.createConfig(spec);
      await operator.ready();
      return operator;
    }

    it("#878: the finalizer does not take explicit false and 0 out of the spec", async () => {
      const spec = { enableInjector: false, enableOperatorWebhook: false, logLevel: 0, disableDrain: false };

      const operator = await started({ spec });

      const config = await operator.where("Config", "default", ({ metadata }) => metadata.finalizers?.length === 1);
      expect(config.spec).toEqual(spec);
    });

    it("#3, #711: a CA bundle that somebody else has put in stays, whatever the order of the webhooks", async () => {
      const operator = await started();
      const path = operator.path("Validating", "sriov-operator-webhook-config");
      const { webhooks } = await admin.find(path);
      const foreign = { ...webhooks[0], name: "another.example.com" };
      const ours = { ...webhooks[0], clientConfig: { ...webhooks[0].clientConfig, caBundle: ca("service-ca") } };
      await admin.patch(path, { webhooks: [foreign, ours] });

      await operator.patchSpec({ logLevel: 1 });
      await operator.ready();
      await operator.trigger();

      const after: Live = await operator.where("Validating", "sriov-operator-webhook-config");
      const named = after.webhooks.find(({ name }: { name: string }) => name === webhooks[0].name);
      expect(named.clientConfig.caBundle).toBe(ca("service-ca"));
    });

    it("#766, #770: a selector's values and keys are texts, also where they look like something else", async () => {
      const selector = { "feature/capable": "true", number: "123", nothing: "null", agreed: "yes", n: "y" };

      const operator = await started({
        spec: { configDaemonNodeSelector: selector, featureGates: { metricsExporter: true } },
      });

      for (const name of ["sriov-network-metrics-exporter", "sriov-network-config-daemon"]) {
        expect(podOf(await operator.where("DaemonSet", name)).nodeSelector).toEqual(selector);
      }
      expect(podOf(await operator.where("DaemonSet", "sriov-device-plugin")).nodeSelector).toMatchObject(selector);
    });

    it("#776: annotations and labels of others stay where the template has none", async () => {
      const operator = await started();
      const path = operator.path("ServiceAccount", "sriov-device-plugin");
      await admin.patch(path, { metadata: { annotations: { theirs: "1" }, labels: { theirs: "1" } } });

      await operator.patchSpec({ useCDI: true });
      await operator.ready();

      expect((await admin.find(path)).metadata).toMatchObject({
        annotations: { theirs: "1" },
        labels: { theirs: "1" },
      });
    });

    it("#560: a document that renders to nothing is no object, with and without its flag", async () => {
      const templates = mkdtempSync(join(tmpdir(), "keelson-templates-"));
      onTestFinished(() => rmSync(templates, { recursive: true }));
      cpSync(join(repositoryRoot, "templates/sriov"), templates, { recursive: true });
      const text = `\n{{ if .ParallelNicConfig }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: parallel\n  namespace: {{ .Namespace }}\n{{ end }}\n---\n`;
      writeFileSync(join(templates, "daemon/extra.yaml"), text);
      const operator = await started({ templates });
      expect(await operator.get("ConfigMap", "parallel")).toBeUndefined();

      await operator.patchSpec({ featureGates: { parallelNicConfig: true } });
      await operator.where("ConfigMap", "parallel");
      await operator.patchSpec({ featureGates: { parallelNicConfig: false } });

      await operator.gone("ConfigMap", "parallel");
    });

    it("#804, #740, #721: policies of one priority do not make the device plugin's DaemonSet change", async () => {
      const operator = await started();
      for (const name of ["zulu", "alpha"]) {
        await admin.create(collection("Policy", operator.namespace), {
          apiVersion: "sriovnetwork.openshift.io/v1",
          kind: "SriovNetworkNodePolicy",
          metadata: { name, namespace: operator.namespace },
          spec: { resourceName: name, nodeSelector: {}, numVfs: 2, priority: 5, nicSelector: { vendor: "8086" } },
        });
      }
      const before = await operator.where("DaemonSet", "sriov-device-plugin");

      for (let times = 0; times < 10; times += 1) await operator.trigger();
      await operator.patchSpec({ logLevel: 1 });
      await operator.ready();

      const after = await operator.where("DaemonSet", "sriov-device-plugin");
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });

    it("#617, #624: without a config nothing is made, and nothing is wrong", async () => {
      const namespace = await createNamespace(admin);

      const operator = await startOperator(plane(), admin, { namespace });
      await eventually("it has looked", () => operator.controller.components().every(({ ok }) => ok));

      expect(await admin.get(operator.path("Config", "default"))).toBeUndefined();
      expect(await operator.missing()).toHaveLength(DEFAULT_OPERANDS.length);
      expect(operator.log.filter((line) => /^(WRN|ERR)/.test(line))).toEqual([]);
    });

    it("#131, #658: the injector ignores failures, but where its match condition limits what it sees", async () => {
      const operator = await started();
      const policies: string[] = [];
      for (const isOn of [true, false, true]) {
        await operator.patchSpec({ featureGates: { resourceInjectorMatchCondition: isOn } });
        await operator.ready();
        const [webhook] = (await operator.where("Mutating", "network-resources-injector-config")).webhooks;
        policies.push(`${webhook.failurePolicy} ${webhook.matchConditions?.length ?? 0}`);
      }

      expect(policies).toEqual(["Fail 1", "Ignore 0", "Fail 1"]);
    });

    it("#926, #950, #898: network policies for the webhooks are there while they are on, and go with them", async () => {
      const operator = await started();
      const names = [
        "network-resources-injector-allow-traffic-api-server",
        "operator-webhook-allow-traffic-api-server",
      ];
      for (const name of names) {
        const { spec } = await operator.where("NetworkPolicy", name);
        expect([spec.ingress[0].ports[0].port, spec.egress[0].ports[0].port]).toEqual([6443, 6443]);
      }

      await operator.patchSpec({ enableInjector: false, enableOperatorWebhook: false });

      for (const name of names) await operator.gone("NetworkPolicy", name);
    });

    it("#217, #561: cert-manager's annotation names the certificate, and there is no CA bundle beside it", async () => {
      const environment = {
        CLUSTER_TYPE: "kubernetes",
        ADMISSION_CONTROLLERS_CERTIFICATES_CERT_MANAGER_ENABLED: "true",
        ADMISSION_CONTROLLERS_CERTIFICATES_OPERATOR_CA_CRT: ca("unused"),
      };
      const operator = await started({ environment });
      const config = await operator.where("Validating", "sriov-operator-webhook-config");
      expect(config.metadata.annotations["cert-manager.io/inject-ca-from"]).toBe(
        `${operator.namespace}/operator-webhook-cert`,
      );
      expect(config.webhooks[0].clientConfig.caBundle).toBeUndefined();

      operator.environment.CLUSTER_TYPE = "";
      await operator.trigger();

      await operator.where(
        "Validating",
        "sriov-operator-webhook-config",
        ({ metadata }) => metadata.annotations?.["cert-manager.io/inject-ca-from"] === undefined,
      );
    });

    it("#1132, #507, #417, #544: the exporter follows the selector, and the log its level, at run time", async () => {
      const operator = await started({ spec: { ...BOTH_WEBHOOKS, featureGates: { metricsExporter: true } } });

      await operator.patchSpec({ configDaemonNodeSelector: { zone: "a" }, logLevel: 0 });
      await operator.ready();

      const pod = podOf(await operator.where("DaemonSet", "sriov-network-metrics-exporter"));
      expect(pod.nodeSelector).toEqual({ zone: "a" });
      expect(pod.tolerations).toBeUndefined();
      expect(operator.log.some((line) => line.includes('{"new-level": 0, "current-level": 2}'))).toBe(true);
    });
  },
  { apiServerFlags: ["--disable-admission-plugins=MutatingAdmissionWebhook,ValidatingAdmissionWebhook"] },
);
