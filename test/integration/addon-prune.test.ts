import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/object/index.ts";
import { eventually } from "../control-plane/index.ts";
import {
  Admin,
  annotated,
  CLUSTER_SERVICE,
  clusterObject,
  configMap,
  deployment,
  describeWithApiServer,
  file,
  gvk,
  labelled,
  MODE,
  namespace,
  object,
  PRUNE,
  pathOf,
  reconciled,
  service,
  skipWhereEmbedded,
  startEngine,
  type TestEngine,
} from "./addon-bed/index.ts";

// The rows of the prune table that need a cluster to show (the order of the rows is a unit test).

describeWithApiServer(
  "prune",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
    });
    afterAll(() => admin.close());

    const isThere = async (of: KubeObject): Promise<boolean> => (await admin.get(pathOf(of))) !== undefined;
    const gone = (of: KubeObject) => eventually(`${of.metadata.name} is gone`, async () => !(await isThere(of)));
    /** Held or kept for this reason, and looked at again: still there. */
    async function stays(daemon: TestEngine, of: KubeObject, filter: string | undefined): Promise<void> {
      const name = of.metadata.name ?? "";
      await eventually(`${name} is kept by ${filter}`, () => {
        expect(daemon.kept()[name]).toBe(filter);
        return true;
      });
      await daemon.engine.pass();
      await daemon.engine.whenIdle();
      expect(await isThere(of)).toBe(true);
    }

    it("prunes the last object of a namespace", async () => {
      await admin.create("/api/v1/namespaces", namespace("last"));
      const last = reconciled(object("v1", "ConfigMap", "last-a", { metadata: { namespace: "last" } }));
      const daemon = await startEngine(plane(), { set: "last" });
      await daemon.declare(last, reconciled(configMap("last-b")));
      await daemon.converged();

      await daemon.declare(reconciled(configMap("last-b")));

      await gone(last);
    });

    it("leaves dependents to the garbage collector, which takes them in the background", async (context) => {
      skipWhereEmbedded(context, plane(), "makes no ReplicaSets");
      const web = reconciled(deployment("bg"));
      const daemon = await startEngine(plane(), { set: "bg" });
      await daemon.declare(web, reconciled(configMap("bg-b")));
      await daemon.converged();
      const sets = "/apis/apps/v1/namespaces/default/replicasets?labelSelector=app%3Dbg";
      await eventually("its ReplicaSet is there", async () => (await admin.list(sets)).length === 1);

      await daemon.declare(reconciled(configMap("bg-b")));
      await gone(web);

      await eventually("its ReplicaSet goes, too", async () => (await admin.list(sets)).length === 0);
    });

    it("row 3: holds an object whose document is there without a usable label", async () => {
      const a = configMap("r3-a");
      const daemon = await startEngine(plane(), { set: "r3" });
      await daemon.declare(reconciled(a), reconciled(configMap("r3-b")));
      await daemon.converged();

      await daemon.declare(labelled(a, { [MODE]: "Reconcil" }), reconciled(configMap("r3-b")));
      await stays(daemon, a, "mentioned");
      await daemon.declare(a, reconciled(configMap("r3-b")));
      await stays(daemon, a, "mentioned");
      daemon.engine.confirm([(await admin.find(pathOf(a))).metadata.uid]);
      await stays(daemon, a, "mentioned");

      await daemon.declare(reconciled(configMap("r3-b")));
      await gone(a);
    });

    it("row 5: keeps what asks for it, what a controller owns, and what the prune list does not name", async () => {
      const [asks, owned] = [configMap("r5-asks"), configMap("r5-owned")];
      const rest = [reconciled(configMap("r5-b"))];
      const account = object("v1", "ServiceAccount", "r5-account");
      const daemon = await startEngine(plane(), { set: "r5" });
      await daemon.declare(reconciled(asks), reconciled(owned), reconciled(account), ...rest);
      await daemon.converged();
      const owner = await admin.find(pathOf(rest[0] as KubeObject));
      await admin.patch(pathOf(asks), { metadata: { annotations: { "keelson.dev/prune": "disabled" } } });
      const reference = {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "r5-b",
        uid: owner.metadata.uid,
        controller: true,
      };
      await admin.patch(pathOf(owned), { metadata: { ownerReferences: [reference] } });
      await daemon.converged();

      await daemon.declare(...rest);

      await stays(daemon, asks, "prune-disabled");
      await stays(daemon, owned, "controlled");
      // Not even watched once nobody desires it.
      expect(await isThere(account)).toBe(true);
    });

    it("row 5: prunes every kind that was ever applied where all kinds may be pruned, after a restart too", async () => {
      const account = reconciled(object("v1", "ServiceAccount", "all-account"));
      const prune = { allKinds: true };
      const first = await startEngine(plane(), { set: "all", prune });
      await first.declare(account, reconciled(configMap("all-b")));
      await first.converged();
      first.stop();

      const second = await startEngine(plane(), { set: "all", prune, state: first.engine.state() });
      await second.declare(reconciled(configMap("all-b")));

      await gone(account);
    });

    describe("rows 6 and 7: look-alikes that were not applied by this set", () => {
      /** A left-over of the original: labels and last-applied, as `kubectl apply` leaves them. */
      async function leftOver(name: string): Promise<KubeObject> {
        const object = labelled(configMap(name), { [MODE]: "Reconcile", [CLUSTER_SERVICE]: "true" });
        await plane().kubectl("apply", "-f", "-", { input: file(object) });
        return object;
      }

      it("holds left-overs of the original until they are confirmed", async () => {
        const old = await leftOver("r6-old");
        const daemon = await startEngine(plane(), { set: "r6" });
        await daemon.declare(reconciled(configMap("r6-b")));
        await stays(daemon, old, "unproven");

        daemon.engine.confirm([(await admin.find(pathOf(old))).metadata.uid]);

        await gone(old);
      });

      it("ignores labels alone, whoever asks", async () => {
        const mine = reconciled(configMap("r7-user"));
        await admin.create("/api/v1/namespaces/default/configmaps", mine);
        const daemon = await startEngine(plane(), { set: "r7", prune: { legacy: "auto" } });
        await daemon.declare(reconciled(configMap("r7-b")));
        await daemon.converged();
        await eventually("it is seen", () => daemon.engine.records.has("ConfigMap/default/r7-user"));

        await stays(daemon, mine, undefined);
      });

      it("prunes left-overs with --legacy-prune=auto", async () => {
        const old = await leftOver("r6-auto");
        const daemon = await startEngine(plane(), { set: "r6-auto", prune: { legacy: "auto" } });

        await daemon.declare(reconciled(configMap("r6-auto-b")));

        await gone(old);
      });

      it("adopts a left-over that is in the directory", async () => {
        const old = await leftOver("r6-dir");
        const { uid } = (await admin.find(pathOf(old))).metadata;
        const daemon = await startEngine(plane(), { set: "r6-dir", prune: { legacy: "auto" } });

        await daemon.declare(old);
        await daemon.converged();

        expect((await admin.find(pathOf(old))).metadata.uid).toBe(uid);
      });

      it("leaves another set's objects alone", async () => {
        const theirs = reconciled(configMap("sets-a"));
        const one = await startEngine(plane(), { set: "sets-one" });
        await one.declare(theirs);
        await one.converged();
        const two = await startEngine(plane(), { set: "sets-two", prune: { legacy: "auto" } });
        await two.declare(reconciled(configMap("sets-b")));
        await two.converged();

        await stays(two, theirs, undefined);
        expect(one.outcomesOf("sets-a")).toEqual(["created"]);
      });
    });

    it("row 8: holds what may stand in a document that cannot be read, until it reads or is gone", async () => {
      const [a, b] = [reconciled(configMap("r8-a")), reconciled(configMap("r8-b"))];
      const daemon = await startEngine(plane(), { set: "r8" });
      await daemon.declareFiles({ "a.yaml": file(a), "b.yaml": file(b) });
      await daemon.converged();

      await daemon.declareFiles({ "a.yaml": "a: [", "b.yaml": file(b) });
      await stays(daemon, a, "behind-a-problem");
      await daemon.declareFiles({ "a.yaml": file(a), "b.yaml": file(b) });
      await daemon.converged();
      expect(daemon.outcomesOf("r8-a")).not.toContain("deleted");

      await daemon.declareFiles({ "a.yaml": "a: [", "b.yaml": file(b) });
      await stays(daemon, a, "behind-a-problem");
      await daemon.declareFiles({ "b.yaml": file(b) });
      await gone(a);
    });

    it("row 8: is not held up by a file that was broken all along, over a restart too", async () => {
      const [a, b, c] = ["r8c-a", "r8c-b", "r8c-c"].map((name) => reconciled(configMap(name)));
      if (a === undefined || b === undefined || c === undefined) throw new TypeError("three");
      const broken = { "x.yaml": "x: [" };
      const first = await startEngine(plane(), { set: "r8c" });
      await first.declareFiles({ ...broken, "a.yaml": file(a), "b.yaml": file(b), "c.yaml": file(c) });
      await first.converged();
      await first.declareFiles({ ...broken, "b.yaml": file(b), "c.yaml": file(c) });
      await gone(a);
      const state = first.engine.state();
      first.stop();

      const second = await startEngine(plane(), { set: "r8c", state });
      await second.declareFiles({ ...broken, "c.yaml": file(c) });

      await gone(b);
      expect(await isThere(c)).toBe(true);
    });

    it("row 8: still holds after a restart", async () => {
      const [a, b] = [reconciled(configMap("r8r-a")), reconciled(configMap("r8r-b"))];
      const files = { "a.yaml": "a: [", "b.yaml": file(b) };
      const first = await startEngine(plane(), { set: "r8r" });
      await first.declareFiles({ "a.yaml": file(a), "b.yaml": file(b) });
      await first.converged();
      await first.declareFiles(files);
      await stays(first, a, "behind-a-problem");
      const state = first.engine.state();
      first.stop();

      const second = await startEngine(plane(), { set: "r8r", state });
      await second.declareFiles(files);

      await stays(second, a, "behind-a-problem");
    });

    it("row 9: prunes nothing for an empty or a missing directory, nor while it fills again", async () => {
      const [a, b] = [reconciled(configMap("r9-a")), reconciled(configMap("r9-b"))];
      const missing = { state: { kind: "missing", error: "ENOENT", message: "gone" } } as const;
      const first = await startEngine(plane(), { set: "r9" });
      await first.declare(a, b);
      await first.converged();

      await first.declareFiles({}, missing);
      await stays(first, a, "source-was-empty");
      await first.declareFiles({});
      await stays(first, b, "source-was-empty");
      const state = first.engine.state();
      first.stop();

      const second = await startEngine(plane(), { set: "r9", state });
      await second.declare(b);
      await second.converged();
      await stays(second, a, "source-was-empty");
      await second.declare(a, b);
      await second.converged();
      // One of them was seen before it was desired again: an apply without effect tells that it is as it was.
      expect(second.changes.filter(({ outcome }) => outcome !== "unchanged")).toEqual([]);

      // Once it has been there, it may go.
      await second.declare(b);
      await gone(a);
    });

    it("row 10: waits until the file has been gone for the prune settle time", async () => {
      const [a, b] = [reconciled(configMap("r10-a")), reconciled(configMap("r10-b"))];
      const daemon = await startEngine(plane(), { set: "r10", prune: { settleMs: 1_500 } });
      await daemon.declareFiles({ "a.yaml": file(a), "b.yaml": file(b) });
      await daemon.converged();

      const left = performance.now();
      await daemon.declareFiles({ "b.yaml": file(b) });
      expect(daemon.engine.status().waiting.map(({ live }) => live.ref.name)).toEqual(["r10-a"]);
      await daemon.declareFiles({ "a.yaml": file(a), "b.yaml": file(b) });
      await daemon.converged();
      expect(daemon.outcomesOf("r10-a")).not.toContain("deleted");

      await daemon.declareFiles({ "b.yaml": file(b) });
      await gone(a);
      expect(performance.now() - left).toBeGreaterThan(1_500);
    });

    it("row 11: keeps everything while prune is off", async () => {
      const a = reconciled(configMap("r11-a"));
      const daemon = await startEngine(plane(), { set: "r11", prune: { isOff: true } });
      await daemon.declare(a, reconciled(configMap("r11-b")));
      await daemon.converged();

      await daemon.declare(reconciled(configMap("r11-b")));

      await stays(daemon, a, "switched-off");
    });

    it("row 12: holds a prune that is larger than the limit as a whole, until it is confirmed", async () => {
      const left = ["r12-1", "r12-2", "r12-3"].map((name) => reconciled(configMap(name)));
      const rest = reconciled(configMap("r12-b"));
      const limit = { kind: "count", count: 2 } as const;
      const daemon = await startEngine(plane(), { set: "r12", prune: { limit } });
      await daemon.declare(...left, rest);
      await daemon.converged();

      await daemon.declare(rest);
      for (const each of left) await stays(daemon, each, "prune-limit");
      const uids = daemon.engine.status().kept.map(({ live }) => live.uid);
      daemon.engine.confirm(uids);

      for (const each of left) await gone(each);
    });

    describe("row 13: the delete", () => {
      beforeEach((context) => skipWhereEmbedded(context, plane(), "has no fault proxy"));

      it("spares an object that took the place of the one that was judged", async () => {
        const proxy = await plane().startFaultProxy();
        const a = reconciled(configMap("r13-a"));
        const kubeconfig = plane().kubeconfigThrough(proxy, "keelson");
        const daemon = await startEngine(plane(), { set: "r13", kubeconfig });
        await daemon.declare(a, reconciled(configMap("r13-b")));
        await daemon.converged();
        const before = await admin.find(pathOf(a));
        const fault = proxy.addFault({ method: "DELETE", path: /r13-a/, times: 1 }, { kind: "delay", ms: 1_000 });

        await daemon.declare(reconciled(configMap("r13-b")));
        await eventually("the delete is on its way", () => fault.hits > 0);
        await admin.delete(pathOf(a));
        const { uid } = (await admin.create("/api/v1/namespaces/default/configmaps", a)).metadata;
        expect(uid).not.toBe(before.metadata.uid);
        await eventually(
          "the delete was refused",
          () => daemon.engine.status().pending === 0 && proxy.requests().length,
        );
        await daemon.engine.whenIdle();
        await daemon.engine.pass();
        await daemon.engine.whenIdle();

        expect((await admin.find(pathOf(a))).metadata.uid).toBe(uid);
        expect(daemon.engine.status().failures.size).toBe(0);
        expect(daemon.outcomesOf("r13-a")).not.toContain("failed");
      });

      it("proves anew where somebody changed the object meanwhile, and goes through", async () => {
        const proxy = await plane().startFaultProxy();
        const a = reconciled(configMap("r13c-a"));
        const daemon = await startEngine(plane(), {
          set: "r13c",
          kubeconfig: plane().kubeconfigThrough(proxy, "keelson"),
        });
        await daemon.declare(a, reconciled(configMap("r13c-b")));
        await daemon.converged();
        const fault = proxy.addFault({ method: "DELETE", path: /r13c-a/, times: 1 }, { kind: "delay", ms: 500 });

        await daemon.declare(reconciled(configMap("r13c-b")));
        await eventually("the delete is on its way", () => fault.hits > 0);
        await admin.patch(pathOf(a), { data: { theirs: "1" } });

        await gone(a);
        await eventually("it is told", () => daemon.outcomesOf("r13c-a").includes("deleted"));
        expect(daemon.outcomesOf("r13c-a")).not.toContain("failed");
      });

      it("is not made where somebody asked to keep the object meanwhile", async () => {
        const proxy = await plane().startFaultProxy();
        const a = reconciled(configMap("r13k-a"));
        const daemon = await startEngine(plane(), {
          set: "r13k",
          kubeconfig: plane().kubeconfigThrough(proxy, "keelson"),
        });
        await daemon.declare(a, reconciled(configMap("r13k-b")));
        await daemon.converged();
        const fault = proxy.addFault({ method: "DELETE", path: /r13k-a/, times: 1 }, { kind: "delay", ms: 500 });

        await daemon.declare(reconciled(configMap("r13k-b")));
        await eventually("the delete is on its way", () => fault.hits > 0);
        await admin.patch(pathOf(a), { metadata: { annotations: { "keelson.dev/prune": "disabled" } } });

        await stays(daemon, a, "prune-disabled");
      });

      it("is over when the object went by itself: no failure stays behind", async () => {
        const proxy = await plane().startFaultProxy();
        const a = reconciled(configMap("r13g-a"));
        const daemon = await startEngine(plane(), {
          set: "r13g",
          kubeconfig: plane().kubeconfigThrough(proxy, "keelson"),
        });
        await daemon.declare(a, reconciled(configMap("r13g-b")));
        await daemon.converged();
        proxy.addFault(
          { method: "DELETE", path: /r13g-a/, times: 1 },
          { kind: "respond", status: 409, body: CONFLICT },
        );
        const looks = proxy.addFault({ method: "GET", path: /r13g-a/, times: 1 }, { kind: "delay", ms: 500 });

        await daemon.declare(reconciled(configMap("r13g-b")));
        await eventually("it is looked at again", () => looks.hits > 0);
        await admin.delete(pathOf(a));

        await daemon.engine.whenIdle();

        await eventually("its failure is forgotten", () => daemon.engine.status().failures.size === 0);
        expect(daemon.engine.records.has("ConfigMap/default/r13g-a")).toBe(false);
      });

      it("waits for finalizers without asking twice", async () => {
        const a = reconciled(object("v1", "ConfigMap", "r13f-a", { metadata: { finalizers: ["example.dev/wait"] } }));
        const daemon = await startEngine(plane(), { set: "r13f" });
        await daemon.declare(a, reconciled(configMap("r13f-b")));
        await daemon.converged();
        const before = (await plane().requests({ user: "keelson" })).length;

        await daemon.declare(reconciled(configMap("r13f-b")));
        await eventually("it is terminating", async () => (await admin.find(pathOf(a))).metadata.deletionTimestamp);
        await daemon.engine.pass();
        await daemon.engine.whenIdle();

        const deletes = (await plane().requests({ user: "keelson" }))
          .slice(before)
          .filter(({ verb }) => verb === "delete");
        expect(deletes.map(({ name }) => name)).toEqual(["r13f-a"]);
        await admin.patch(pathOf(a), { metadata: { finalizers: null } });
        await gone(a);
      });
    });

    it.each([
      { what: "clusterIP", spec: { clusterIP: "10.96.77.7" } },
      { what: "nodePort", spec: { type: "NodePort", ports: [{ name: "http", port: 80, nodePort: 30_777 }] } },
    ])("lets a Service and its successor with the same $what converge", async ({ what, spec }) => {
      const id = `succ-${what.toLowerCase()}`;
      const range = await serviceRange();
      const fixed = "clusterIP" in spec ? { clusterIP: `${range}.77` } : spec;
      const before = reconciled(service(`${id}-old`, fixed));
      const after = reconciled(service(`${id}-new`, fixed));
      const daemon = await startEngine(plane(), { set: id });
      await daemon.declare(before, reconciled(configMap(`${id}-b`)));
      await daemon.converged();

      await daemon.declare(after, reconciled(configMap(`${id}-b`)));
      await daemon.converged(10_000);

      expect(await isThere(before)).toBe(false);
      expect(await isThere(after)).toBe(true);
    });

    it("matches by uid: an object that is desired through another API group is not pruned", async () => {
      const regarding = { kind: "ConfigMap", namespace: "default", name: "x", apiVersion: "v1" };
      const core = object("v1", "Event", "moved", { involvedObject: regarding, reason: "R", message: "m" });
      const modern = object("events.k8s.io/v1", "Event", "moved", {
        regarding,
        reason: "R",
        action: "A",
        reportingController: "example.dev/c",
        reportingInstance: "i",
        eventTime: "2030-01-01T00:00:00.000000Z",
        type: "Normal",
      });
      const prune = { kinds: [gvk("v1", "Event")] };
      const daemon = await startEngine(plane(), { set: "moved", prune });
      await daemon.declare(reconciled(core), reconciled(configMap("moved-b")));
      await daemon.converged();
      const { uid } = (await admin.find(pathOf(core))).metadata;

      await daemon.declare(reconciled(modern), reconciled(configMap("moved-b")));
      await eventually("it was tried under its other name", () => daemon.changes.length > 2);
      await daemon.engine.whenIdle();
      await daemon.engine.pass();
      await daemon.engine.whenIdle();

      expect((await admin.find(pathOf(core))).metadata.uid).toBe(uid);
      expect(daemon.outcomesOf("moved")).not.toContain("deleted");
    });

    it("deletes in reverse: registrations, workloads, configuration and Services, namespaces", async () => {
      const ns = { metadata: { namespace: "rev" } };
      const rules = [{ apiGroups: ["example.dev"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["never"] }];
      const left = [
        namespace("rev"),
        object("v1", "ConfigMap", "rev", { ...ns, data: {} }),
        clusterObject("rbac.authorization.k8s.io/v1", "ClusterRole", "rev", { rules: [] }),
        deployment("rev"),
        service("rev"),
        clusterObject("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "rev", {
          webhooks: [
            {
              name: "rev.example.dev",
              admissionReviewVersions: ["v1"],
              sideEffects: "None",
              clientConfig: { service: { name: "rev", namespace: "default" } },
              rules,
            },
          ],
        }),
      ].map(reconciled);
      const kinds = [
        ...PRUNE.kinds,
        gvk("rbac.authorization.k8s.io/v1", "ClusterRole"),
        gvk("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
      ];
      const daemon = await startEngine(plane(), { set: "rev", prune: { kinds } });
      await daemon.declare(...left, reconciled(configMap("rev-b")));
      await daemon.converged();
      const created = daemon.changes.filter(({ ref }) => ref.name === "rev").map(({ ref }) => ref.kind);

      await daemon.declare(reconciled(configMap("rev-b")));
      const deleted = await eventually("all are deleted", () => {
        const kindsDeleted = daemon.changes.filter(({ outcome }) => outcome === "deleted").map(({ ref }) => ref.kind);
        return kindsDeleted.length === left.length && kindsDeleted;
      });

      const CONFIGURATION = new Set(["ConfigMap", "ClusterRole", "Service"]);
      const inOrder = ["ValidatingWebhookConfiguration", "Deployment", "configuration", "Namespace"];
      const phases = (order: readonly string[]): readonly string[] => [
        ...new Set(order.map((kind) => (CONFIGURATION.has(kind) ? "configuration" : kind))),
      ];
      expect(phases(deleted)).toEqual(inOrder);
      expect(phases(created)).toEqual([...inOrder].reverse());
    });

    it("keeps an annotation in the manifest in force after the manifest has gone", async () => {
      const a = annotated(reconciled(configMap("ann-a")), { "keelson.dev/prune": "disabled" });
      const daemon = await startEngine(plane(), { set: "ann" });
      await daemon.declare(a, reconciled(configMap("ann-b")));
      await daemon.converged();

      await daemon.declare(reconciled(configMap("ann-b")));

      await stays(daemon, a, "prune-disabled");
    });

    /** First three numbers of the range that Services get their addresses from. */
    async function serviceRange(): Promise<string> {
      const { spec } = await admin.find("/api/v1/namespaces/default/services/kubernetes");
      return spec.clusterIP.split(".").slice(0, 3).join(".");
    }
  },
  { auditLog: true },
);

const CONFLICT = JSON.stringify({
  apiVersion: "v1",
  kind: "Status",
  status: "Failure",
  code: 409,
  reason: "Conflict",
  message: "the object has been modified",
});
