import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeConfirmation } from "../../src/controllers/addon/index.ts";
import type { KubeObject } from "../../src/object/index.ts";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import {
  Admin,
  clientOf,
  clusterObject,
  configMap,
  crd,
  deployment,
  ensured,
  file,
  gvk,
  HandElector,
  namespace,
  object,
  PRUNE,
  pathOf,
  reconciled,
  restrictedUser,
  service,
  startDaemon,
  startEngine,
} from "./addon-bed/index.ts";

// What users of add-on managers have reported, and what is right instead. Further reports are tests of the suites they
// belong to: objects that moved to another API group, replaced under a delete, look-alikes (addon-prune), two writers
// and Events (addon-daemon), the plan that is carried out (addon-pass), retries (failures.test.ts).

const WRITES = ["create", "update", "patch", "delete"];

describeWithControlPlane(
  "public reports",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
      await eventually("kube-system has its account", () =>
        admin.get("/api/v1/namespaces/kube-system/serviceaccounts/default"),
      );
    });
    afterAll(() => admin.close());

    const isThere = async (of: KubeObject): Promise<boolean> => (await admin.get(pathOf(of))) !== undefined;
    const gone = (of: KubeObject) => eventually(`${of.metadata.name} is gone`, async () => !(await isThere(of)));
    const there = (of: KubeObject) => eventually(`${of.metadata.name} is there`, () => isThere(of));
    const requests = async () => plane().requests({ user: "keelson" });
    const writesSince = async (count: number) =>
      (await requests()).slice(count).filter(({ verb, uri }) => WRITES.includes(verb) && !uri.includes("dryRun"));

    // kubernetes/kubernetes#40635, k0sproject/k0s#8214
    describe("a directory that empties", () => {
      const [a, b] = [reconciled(configMap("wipe-a")), reconciled(configMap("wipe-b"))];

      it("loses its objects one by one, the last one once it is confirmed", async () => {
        const daemon = await startDaemon(plane(), { set: "wipe", files: { "a.yaml": file(a), "b.yaml": file(b) } });
        await daemon.converged();

        daemon.remove("a.yaml");
        await gone(a);
        daemon.remove("b.yaml");
        const { held } = await daemon.statusWhere("the last is held", ({ summary }) => summary.held === 1);
        expect(await isThere(b)).toBe(true);
        const client = await clientOf(plane(), "admin");
        const at = new Date().toISOString();
        await writeConfirmation(client, daemon.names, {
          by: "alice",
          digest: held.digest ?? "",
          at,
          signal: new AbortController().signal,
        });
        client.close();

        await gone(b);
      });

      it.each(["empty", "missing"])(
        "deletes nothing where it is %s at a start, nor when its files return",
        async (how) => {
          const objects = [1, 2].map((n) => reconciled(configMap(`start-${how}-${n}`)));
          const files = Object.fromEntries(objects.map((of, at) => [`${at}.yaml`, file(of)]));
          const set = `start-${how}`;
          const first = await startDaemon(plane(), { set, files });
          await first.converged();
          await first.stop();
          for (const name of Object.keys(files)) first.remove(name);
          if (how === "missing") rmSync(first.path, { recursive: true });

          const second = await startDaemon(plane(), { set, directory: first.path });
          const blocked = await second.statusWhere("all is held", ({ summary }) => summary.held === 2);
          expect(blocked.phase).toBe("degraded");
          second.write("0.yaml", files["0.yaml"] ?? "");
          await second.statusWhere("half has come", ({ summary }) => summary.converged === 1 && summary.held === 1);
          second.write("1.yaml", files["1.yaml"] ?? "");
          await second.converged();

          expect(second.log.filter((line) => / (deleted|created|configured)/.test(line))).toEqual([]);
        },
      );
    });

    // kubernetes/kubernetes#98966: the leader is stopped in the middle of an apply, and another one has taken over.
    it("writes nothing more once the lead is lost, requests under way included", async () => {
      const proxy = await plane().startFaultProxy();
      const elector = new HandElector();
      const kubeconfig = plane().kubeconfigThrough(proxy, "keelson");
      const a = reconciled(configMap("lost-a"));
      const daemon = await startDaemon(plane(), { set: "lost", elector, kubeconfig, files: { "a.yaml": file(a) } });
      const fault = proxy.addFault({ method: "PATCH", path: /lost-a/ }, { kind: "delay", ms: 1_000 });
      elector.set({ kind: "leading", holder: "us", term: "1" });
      await eventually("the apply is on its way", () => fault.hits > 0);

      elector.set({ kind: "following", holder: "them", reason: "they lead" });
      fault.remove();
      daemon.write("b.yaml", file(reconciled(configMap("lost-b"))));
      await eventually("the new file is known", async () => daemon.controller.components().every(({ ok }) => ok));
      const end = performance.now() + 1_500;
      await eventually("the delay is over", () => performance.now() > end);

      expect(await isThere(a)).toBe(false);
      expect(await isThere(configMap("lost-b"))).toBe(false);
    });

    // kubernetes/kubernetes#108313: since 1.24 no account has a token secret.
    it("starts with a service account that has no secret", async () => {
      const account = await admin.find("/api/v1/namespaces/kube-system/serviceaccounts/default");
      expect(account.secrets).toBeUndefined();

      const daemon = await startDaemon(plane(), {
        set: "sa",
        files: { "a.yaml": file(reconciled(configMap("sa-a"))) },
      });

      await daemon.converged();
      expect(daemon.log.filter((line) => line.startsWith("WRN:"))).toEqual([]);
    });

    // kubernetes/kubernetes#67743, gardener#358: the backend went, its webhook stayed, and nothing could be created.
    it("deletes a webhook before its backend, where all kinds may be pruned", async () => {
      const rules = [{ apiGroups: ["example.dev"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["never"] }];
      const webhook = clusterObject("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", {
        webhooks: [
          {
            name: "hook.example.dev",
            failurePolicy: "Fail",
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
            clientConfig: { service: { name: "hook", namespace: "default" } },
            rules,
          },
        ],
      });
      const addon = [deployment("hook"), service("hook"), webhook].map(reconciled);
      const daemon = await startDaemon(plane(), {
        set: "hook",
        prune: { allKinds: true },
        files: { "hook.yaml": file(...addon), "rest.yaml": file(reconciled(configMap("hook-rest"))) },
      });
      await daemon.converged();
      const before = (await requests()).length;

      daemon.remove("hook.yaml");
      for (const each of addon) await gone(each);

      const deletes = (await writesSince(before))
        .filter(({ verb }) => verb === "delete")
        .map(({ resource }) => resource);
      expect(deletes).toEqual(["validatingwebhookconfigurations", "deployments", "services"]);
    });

    // kubernetes/kubernetes#110893: prune overlooked what server-side apply had made.
    it("prunes what it made by server-side apply", async () => {
      const a = reconciled(configMap("ssa-a"));
      const daemon = await startEngine(plane(), { set: "ssa" });
      await daemon.declare(a, reconciled(configMap("ssa-b")));
      await daemon.converged();
      const live = await admin.find(pathOf(a));
      expect(live.metadata.managedFields).toMatchObject([{ operation: "Apply" }]);
      expect(live.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]).toBeUndefined();

      await daemon.declare(reconciled(configMap("ssa-b")));

      await gone(a);
    });

    // k0sproject/k0s#295: what had not changed was skipped, not marked as kept, and so pruned.
    it("deletes nothing on a run in which nothing has changed", async () => {
      const files = { "a.yaml": file(reconciled(configMap("again-a")), reconciled(deployment("again-d"))) };
      const first = await startDaemon(plane(), { set: "again", files });
      await first.converged();
      await first.stop();
      const before = (await requests()).length;

      const second = await startDaemon(plane(), { set: "again", directory: first.path });
      await eventually("it has looked at all", () => second.controller.components().every(({ ok }) => ok));
      second.write("b.yaml", file(reconciled(configMap("again-b"))));
      await there(configMap("again-b"));

      const own = (await writesSince(before)).filter(
        ({ namespace: ns, resource }) => ns !== "kube-system" && resource !== "events",
      );
      expect(own.map(({ verb, name }) => `${verb} ${name}`)).toEqual(["patch again-b"]);
    });

    // k0sproject/k0s#262
    it("prunes a file that went while the daemon was down", async () => {
      const [a, b] = [reconciled(configMap("down-a")), reconciled(configMap("down-b"))];
      const first = await startDaemon(plane(), { set: "down", files: { "a.yaml": file(a), "b.yaml": file(b) } });
      await first.converged();
      await first.stop();
      first.remove("a.yaml");

      await startDaemon(plane(), { set: "down", directory: first.path });

      await gone(a);
      expect(await isThere(b)).toBe(true);
    });

    // k3s-io/k3s#1971, kubernetes/kops#6656: roles and definitions stayed behind when an add-on was switched off.
    it("leaves nothing of an add-on behind whose file goes, where all kinds may be pruned", async () => {
      const account = object("v1", "ServiceAccount", "whole");
      const role = clusterObject("rbac.authorization.k8s.io/v1", "ClusterRole", "whole", { rules: [] });
      const definition = crd("spoke", { v1: {} });
      const spokes = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/spokes.example.dev";
      const addon = [deployment("whole"), service("whole"), account, role, definition].map(reconciled);
      const daemon = await startDaemon(plane(), {
        set: "whole",
        prune: { allKinds: true },
        files: { "whole.yaml": file(...addon), "rest.yaml": file(reconciled(configMap("whole-rest"))) },
      });
      await daemon.converged();

      daemon.remove("whole.yaml");

      for (const each of [deployment("whole"), service("whole"), account, role]) await gone(each);
      await eventually("the definition is gone", async () => (await admin.get(spokes)) === undefined);
    });

    // rancher/rke2#6830: commenting out a namespace deleted it, deleting the file did not.
    it.each(["comments it out", "deletes its file"])("deletes a namespace whoever %s", async (how) => {
      const ns = reconciled(namespace(how === "comments it out" ? "gone-1" : "gone-2"));
      const daemon = await startDaemon(plane(), {
        set: String(ns.metadata.name),
        files: { "ns.yaml": file(ns), "rest.yaml": file(reconciled(configMap(`${ns.metadata.name}-rest`))) },
      });
      await daemon.converged();

      if (how === "deletes its file") daemon.remove("ns.yaml");
      else daemon.write("ns.yaml", file(ns).replaceAll(/^/gm, "# "));

      await eventually("it is deleted", async () => {
        const live = await admin.get(pathOf(ns));
        return live === undefined || live.metadata.deletionTimestamp !== undefined;
      });
    });

    // k3s-io/k3s#3711, rancher/rke2#5481: a deleted object stayed away until its file changed.
    it("puts a deleted object back within a second", async () => {
      const a = reconciled(configMap("back-a"));
      const daemon = await startDaemon(plane(), { set: "back", files: { "a.yaml": file(a) }, intervalMs: 3_600_000 });
      await daemon.converged();

      await admin.delete(pathOf(a));

      await eventually("it is back", () => isThere(a), { timeoutMs: 1_000 });
    });

    // kubernetes/kubernetes#89539: a Pod that stood before its namespace stopped the rest.
    it("creates a namespace before what is in it, whatever the order of the files", async () => {
      const within = { metadata: { namespace: "order" } };
      const pod = object("v1", "Pod", "order", {
        ...within,
        spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "registry.example/app:1" }] },
      });
      const before = (await requests()).length;
      const daemon = await startDaemon(plane(), {
        set: "order",
        files: {
          "a.yaml": file(
            reconciled(pod),
            reconciled(object("v1", "ConfigMap", "order", { ...within, data: { a: "1" } })),
          ),
          "b.yaml": file(reconciled(namespace("order"))),
        },
      });
      await daemon.converged();

      const writes = (await writesSince(before)).filter(({ name }) => name === "order");
      expect(writes[0]).toMatchObject({ resource: "namespaces", code: 201 });
      expect(writes.filter(({ code }) => code === 404)).toEqual([]);
    });

    // Azure/aks-engine#275, kubernetes/kubernetes#36411: two managers pulled at one field, and Pods restarted for ever.
    it("backs off from a field that another manager keeps changing, and names both", async () => {
      const web = reconciled(deployment("fight", { resources: { limits: { cpu: "1" } } }));
      const daemon = await startDaemon(plane(), { set: "fight", files: { "a.yaml": file(web) } });
      await daemon.converged();
      const cpuOf = async () => (await admin.find(pathOf(web))).spec.template.spec.containers[0].resources.limits.cpu;
      const resize = (cpu: string) =>
        admin.patch(
          pathOf(web),
          { spec: { template: { spec: { containers: [{ name: "c", resources: { limits: { cpu } } }] } } } },
          { type: "strategic", manager: "addon-resizer" },
        );

      for (let round = 2; round <= 6; round += 1) {
        await resize(String(round));
        await eventually("it is put back", async () => (await cpuOf()) === "1");
      }
      await resize("7");

      const warning = await eventually("it is told", () => daemon.log.find((line) => line.includes("keeps changing")));
      expect(warning).toMatch(/^WRN: .*addon-resizer keeps changing .*resources\.limits\.cpu/);
      const { objects, phase } = await daemon.statusWhere("it is in the status", (status) => status.objects.length > 0);
      expect([phase, objects[0]?.state]).toEqual(["degraded", "fighting"]);
      expect(daemon.log.filter((line) => line.includes("keeps changing"))).toHaveLength(1);
    });

    it("leaves a field that the manifest does not name to whoever sets it", async () => {
      const { spec, ...rest } = deployment("hpa");
      const { replicas: _none, ...open } = spec as { replicas: number };
      const daemon = await startDaemon(plane(), {
        set: "hpa",
        files: { "a.yaml": file(reconciled({ ...rest, spec: open })), "b.yaml": file(reconciled(configMap("hpa-b"))) },
      });
      await daemon.converged();

      await admin.patch(pathOf(deployment("hpa")), { spec: { replicas: 0 } }, { manager: "horizontal-pod-autoscaler" });
      daemon.write("b.yaml", file(reconciled(configMap("hpa-b", { a: "2" }))));
      await eventually("it goes on", async () => (await admin.find(pathOf(configMap("hpa-b")))).data.a === "2");

      expect((await admin.find(pathOf(deployment("hpa")))).spec.replicas).toBe(0);
    });

    // kubernetes/minikube#4010: "error: no objects passed to apply" was what a healthy cluster logged.
    it.each([
      { name: "no EnsureExists object", files: { "a.yaml": file(reconciled(configMap("calm-a"))) } },
      { name: "no Reconcile object", files: { "a.yaml": file(ensured(configMap("calm-b"))) } },
      { name: "no object at all", files: { "readme.yaml": "# nothing yet\n" } },
    ])("logs no error and no warning where there is $name", async ({ name, files }) => {
      const daemon = await startDaemon(plane(), { set: `calm${name.length}`, files });

      await eventually("it has looked at all", () => daemon.controller.components().every(({ ok }) => ok));
      await eventually("it has written its status", () => daemon.status());

      expect(daemon.log.filter((line) => !line.startsWith("INFO:"))).toEqual([]);
    });

    // kubernetes/kubectl#1376: one kind that must not be listed stopped the prune of all others.
    it("prunes the rest where one kind may not be listed, and warns once", async () => {
      const all = ["get", "list", "watch", "create", "patch", "delete"];
      const kubeconfig = await restrictedUser(plane(), "limited", [
        { apiGroups: [""], resources: ["configmaps", "events"], verbs: all },
        { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"] },
      ]);
      const a = reconciled(configMap("deny-a"));
      const daemon = await startDaemon(plane(), {
        set: "deny",
        kubeconfig,
        prune: { kinds: [gvk("v1", "ConfigMap"), gvk("v1", "PersistentVolume")] },
        files: { "a.yaml": file(a), "b.yaml": file(reconciled(configMap("deny-b"))) },
      });
      await there(configMap("deny-b"));

      daemon.remove("a.yaml");
      await gone(a);

      const warnings = daemon.log.filter((line) => line.startsWith("WRN:"));
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(/PersistentVolume cannot be listed/);
    });

    it("names an entry of the prune list that is not served, once, and prunes the rest", async () => {
      const a = reconciled(configMap("unserved-a"));
      const daemon = await startDaemon(plane(), {
        set: "unserved",
        prune: { kinds: [...PRUNE.kinds, gvk("extensions/v1beta1", "Ingress")] },
        files: { "a.yaml": file(a), "b.yaml": file(reconciled(configMap("unserved-b"))) },
      });
      await daemon.converged();

      daemon.remove("a.yaml");
      await gone(a);

      const warnings = daemon.log.filter((line) => line.startsWith("WRN:"));
      expect(warnings).toEqual([expect.stringMatching(/does not serve extensions\/v1beta1 Ingress/)]);
    });

    // kubernetes/kops#11933, #15192: one failing add-on stopped the others, and prune.
    it("goes on with every other add-on and with prune where one fails", async () => {
      const [a, b] = [reconciled(configMap("iso-a")), reconciled(configMap("iso-b"))];
      const daemon = await startDaemon(plane(), {
        set: "iso",
        files: {
          "0-broken.yaml": "a: [",
          "1-refused.yaml": file(reconciled(service("iso-bad", { ports: [{ port: 0 }] }))),
          "2-unknown.yaml": file(reconciled(object("example.dev/v1", "Nowhere", "iso"))),
          "3-unknown-field.yaml": file(reconciled({ ...configMap("iso-field"), wrong: 1 })),
          "a.yaml": file(a),
          "b.yaml": file(b),
        },
      });
      await there(a);
      await there(b);

      daemon.remove("a.yaml");
      await gone(a);

      const { summary, phase } = await daemon.statusWhere("all is told", (status) => status.summary.failed === 2);
      expect(phase).toBe("degraded");
      expect(summary).toMatchObject({ desired: 4, converged: 1, blocked: 1 });
      expect(daemon.log.some((line) => line.includes("3-unknown-field.yaml") && line.includes("wrong"))).toBe(true);
    });
  },
  { auditLog: true },
);
