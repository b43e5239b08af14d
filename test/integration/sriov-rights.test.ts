import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithControlPlane, eventually, repositoryRoot } from "../control-plane/index.ts";
import { Admin, type Live } from "./addon-bed/index.ts";
import {
  BOTH_WEBHOOKS,
  conditionOf,
  DEFAULT_OPERANDS,
  installDefinitions,
  METRICS_OPERANDS,
  startOperator,
} from "./sriov-bed/index.ts";

const NAMESPACE = "sriov-network-operator";

describeWithControlPlane(
  "the SriovOperatorConfig controller with the rights of deploy/sriov",
  (plane) => {
    let admin: Admin;
    let token: string;
    beforeAll(async () => {
      admin = await Admin.of(plane());
      await installDefinitions(plane());
      await plane().kubectl("create", "namespace", NAMESPACE);
      await plane().kubectl("apply", "-f", join(repositoryRoot, "deploy/sriov/rbac.yaml"));
      token = (await plane().kubectl("create", "token", "-n", NAMESPACE, "keelson-sriov")).stdout.trim();
    });
    afterAll(() => admin.close());

    it("can do all that it has to, and says which right is missing", async () => {
      const kubeconfig = plane().kubeconfigFor(token);
      const operator = await startOperator(plane(), admin, { namespace: NAMESPACE, kubeconfig });
      await operator.createConfig({ ...BOTH_WEBHOOKS, featureGates: { metricsExporter: true } });
      const config = await operator.ready();

      expect(conditionOf(config, "Degraded")).toMatchObject({ status: "False" });
      expect(await operator.missing([...DEFAULT_OPERANDS, ...METRICS_OPERANDS])).toEqual([]);
      await operator.patchSpec({ enableInjector: false });
      await operator.gone("DaemonSet", "network-resources-injector");

      const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/roles/keelson-sriov`;
      const { rules } = await admin.find(role);
      const left = rules.filter(({ resources }: { resources: string[] }) => !resources.includes("daemonsets"));
      await admin.patch(role, { rules: left });
      await operator.patchSpec({ useCDI: true });
      const degraded = await operator.where(
        "Config",
        "default",
        (each) => conditionOf(each, "Degraded")?.reason === "MissingRights",
        30_000,
      );
      expect(conditionOf(degraded, "Degraded").message).toContain("device-plugin");

      await admin.patch(role, { rules });
      await eventually("it goes on", async () => (await operator.ready()) !== undefined, { timeoutMs: 30_000 });
      await admin.delete(operator.path("Config", "default"));
      await operator.gone("Config", "default");
      await operator.stop();
    });

    it("looks at the resync at what it may read but not watch, puts it right, and names a write that is refused", async () => {
      const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/roles/keelson-sriov`;
      const { rules } = await admin.find(role);
      const withoutVerbs = (resource: string, verbs: readonly string[]): unknown =>
        rules.map((rule: { resources: string[]; verbs: string[] }) =>
          rule.resources.includes(resource)
            ? { ...rule, verbs: rule.verbs.filter((verb) => !verbs.includes(verb)) }
            : rule,
        );
      await admin.patch(role, { rules: withoutVerbs("networkpolicies", ["list", "watch"]) });
      const kubeconfig = plane().kubeconfigFor(token);
      const settings = { resyncMs: 1_000 };
      const operator = await startOperator(plane(), admin, { namespace: NAMESPACE, kubeconfig, settings });
      await operator.createConfig(BOTH_WEBHOOKS);
      const name = "operator-webhook-allow-traffic-api-server";
      await operator.where("NetworkPolicy", name, () => true, 30_000);

      const told = await operator.where(
        "Config",
        "default",
        (each) => /networkpolicies|NetworkPolicy/.test(conditionOf(each, "Degraded")?.message ?? ""),
        30_000,
      );
      expect(conditionOf(told, "Degraded").status).toBe("True");
      await admin.patch(operator.path("NetworkPolicy", name), { spec: { podSelector: { matchLabels: { app: "x" } } } });
      await operator.where(
        "NetworkPolicy",
        name,
        ({ spec }) => spec.podSelector.matchLabels.app === "operator-webhook",
        30_000,
      );
      await admin.delete(operator.path("NetworkPolicy", name));
      await operator.where("NetworkPolicy", name, () => true, 30_000);

      await admin.patch(role, { rules: withoutVerbs("services", ["patch"]) });
      await admin.patch(operator.path("Service", "operator-webhook-service"), { spec: { selector: { app: "x" } } });
      const components = (each: Live): string => JSON.stringify(each.status?.components ?? []);
      const degraded = await operator.where(
        "Config",
        "default",
        (each) => /cannot patch/.test(components(each)),
        30_000,
      );
      expect(components(degraded)).toMatch(/operator-webhook-service.*cannot patch resource/);
      expect(conditionOf(degraded, "Degraded")).toMatchObject({ status: "True", reason: "MissingRights" });

      await admin.patch(role, { rules });
      await operator.where(
        "Service",
        "operator-webhook-service",
        ({ spec }) => spec.selector.app === "operator-webhook",
        60_000,
      );
      await admin.delete(operator.path("Config", "default"));
      await operator.gone("Config", "default");
      await operator.stop();
    });
  },
  {
    apiServerFlags: ["--disable-admission-plugins=MutatingAdmissionWebhook,ValidatingAdmissionWebhook"],
  },
);
