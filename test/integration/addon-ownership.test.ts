import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  ensured,
  file,
  gvk,
  labelled,
  MODE,
  PRUNE,
  pathOf,
  reconciled,
  service,
  skipWhereEmbedded,
  startEngine,
} from "./addon-bed/index.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

// Whose an object is: adopted, taken over, moved between the modes, let go of.

describeWithApiServer(
  "ownership of add-ons",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
    });
    afterAll(() => admin.close());

    const kubectlApply = (...objects: readonly KubeObject[]) =>
      plane().kubectl("apply", "-f", "-", { input: file(...objects) });

    /** Requests of Keelson that delete something of these resources. */
    async function deletesOf(...resources: readonly string[]) {
      const requests = await plane().requests({ user: "keelson" });
      return requests.filter(({ verb, resource }) => verb.startsWith("delete") && resources.includes(resource));
    }

    describe("taking over from kubectl apply", () => {
      it("drops what the file dropped and the annotation, and keeps what others set", async () => {
        await kubectlApply(reconciled(configMap("t-a", { kept: "1", dropped: "2" })));
        await plane().kubectl("-n", "default", "label", "configmap", "t-a", "team=dns");
        await admin.patch(pathOf(configMap("t-a")), { data: { theirs: "3" } });
        const { uid } = (await admin.find(pathOf(configMap("t-a")))).metadata;

        const daemon = await startEngine(plane(), { set: "t" });
        await daemon.declare(reconciled(configMap("t-a", { kept: "1" })));
        await daemon.converged();

        const live = await admin.find(pathOf(configMap("t-a")));
        expect(live.data).toEqual({ kept: "1", theirs: "3" });
        expect(live.metadata.uid).toBe(uid);
        expect(live.metadata.annotations[LAST_APPLIED]).toBeUndefined();
        expect(live.metadata.labels).toEqual({ [MODE]: "Reconcile", team: "dns" });
        expect(managersOf(live)).not.toContain("kubectl-client-side-apply Update");
      });

      it("drops list items and fields of a workload, too", async () => {
        const env = [
          { name: "KEPT", value: "1" },
          { name: "DROPPED", value: "2" },
        ];
        await kubectlApply(reconciled(deployment("t-d", { env }, { spec: { minReadySeconds: 7 } })));
        await plane().kubectl("-n", "default", "set", "env", "deployment/t-d", "THEIRS=3");

        const daemon = await startEngine(plane(), { set: "t2" });
        await daemon.declare(reconciled(deployment("t-d", { env: env.slice(0, 1) })));
        await daemon.converged();

        const { spec } = await admin.find(pathOf(deployment("t-d")));
        expect(spec.minReadySeconds).toBeUndefined();
        expect(spec.template.spec.containers[0].env).toEqual([
          { name: "KEPT", value: "1" },
          { name: "THEIRS", value: "3" },
        ]);
      });

      it("happens once: a restart finds all converged", async () => {
        await kubectlApply(reconciled(configMap("t-once", { a: "1" })));
        const first = await startEngine(plane(), { set: "t3" });
        await first.declare(reconciled(configMap("t-once", { a: "1" })));
        await first.converged();
        first.stop();

        const second = await startEngine(plane(), { set: "t3" });
        await second.declare(reconciled(configMap("t-once", { a: "1" })));
        await second.converged();

        expect(second.changes).toEqual([]);
      });
    });

    it("adopts an unlabelled object: its fields become the file's, what it has more stays", async () => {
      const before = await admin.create("/api/v1/namespaces/default/configmaps", configMap("a-a", { a: "9", b: "2" }));

      const daemon = await startEngine(plane(), { set: "a" });
      await daemon.declare(reconciled(configMap("a-a", { a: "1" })));
      await daemon.converged();

      const live = await admin.find(pathOf(configMap("a-a")));
      expect(live.metadata.uid).toBe(before.metadata.uid);
      expect(live.metadata.labels).toEqual({ [MODE]: "Reconcile" });
      expect(live.data).toEqual({ a: "1", b: "2" });
      expect(daemon.changes.map(({ reason, outcome }) => [outcome, reason])).toEqual([
        ["configured", "in the cluster, not yet kept by this set"],
      ]);
    });

    it("adopts many unlabelled objects alike", async () => {
      const names = ["m-1", "m-2", "m-3", "m-4", "m-5", "m-6"];
      for (const name of names)
        await admin.create("/api/v1/namespaces/default/configmaps", configMap(name, { a: "9" }));

      const daemon = await startEngine(plane(), { set: "m" });
      await daemon.declare(...names.map((name) => reconciled(configMap(name, { a: "1" }))));
      await daemon.converged();

      for (const name of names) {
        expect(await admin.find(pathOf(configMap(name)))).toMatchObject({
          data: { a: "1" },
          metadata: { labels: { [MODE]: "Reconcile" } },
        });
      }
    });

    describe("EnsureExists", () => {
      it("leaves an object alone that was there before, unlabelled, and creates it after a delete", async () => {
        const theirs = await admin.create("/api/v1/namespaces/default/configmaps", configMap("n-a", { a: "theirs" }));
        const daemon = await startEngine(plane(), { set: "n" });
        await daemon.declare(ensured(configMap("n-a")));
        await daemon.converged();
        await daemon.engine.pass();
        const live = await admin.find(pathOf(configMap("n-a")));
        expect(live.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);

        await admin.delete(pathOf(configMap("n-a")));

        await eventually("it is created", async () => {
          const now = await admin.get(pathOf(configMap("n-a")));
          return now?.data.a === "1" && now.metadata.labels?.[MODE] === "EnsureExists";
        });
        // One look at the start, and one POST only once it was gone.
        const posts = (await plane().requests({ user: "keelson" })).filter(
          ({ verb, uri }) => verb === "create" && /fieldManager=keelson\.n(&|$)/.test(uri),
        );
        expect(posts.map(({ code }) => code)).toEqual([201]);
      });

      it("keeps every edit, ignores file changes, survives leaving the directory", async () => {
        const daemon = await startEngine(plane(), { set: "k" });
        await daemon.declare(ensured(configMap("k-a", { a: "1" })), reconciled(configMap("k-b")));
        await daemon.converged();
        const { uid } = (await admin.find(pathOf(configMap("k-a")))).metadata;

        await admin.patch(pathOf(configMap("k-a")), { data: { a: "9" } });
        await daemon.declare(ensured(configMap("k-a", { a: "2", new: "x" })), reconciled(configMap("k-b")));
        await daemon.converged();
        await daemon.declare(reconciled(configMap("k-b", { a: "2" })));
        await daemon.converged();

        const live = await admin.find(pathOf(configMap("k-a")));
        expect([live.metadata.uid, live.data]).toEqual([uid, { a: "9" }]);
        expect(daemon.outcomesOf("k-a")).toEqual(["created"]);
      });

      it("reports a refusal of its own, whatever its neighbours do", async () => {
        const daemon = await startEngine(plane(), { set: "r" });

        await daemon.declare(ensured(service("r-bad", { ports: [{ port: 0 }] })), ensured(configMap("r-good")));
        await eventually("the neighbour is there", () => admin.get(pathOf(configMap("r-good"))));
        await eventually("the failure is told", () => daemon.engine.status().failures.size === 1);

        expect([...daemon.engine.status().failures.keys()]).toEqual(["Service/default/r-bad"]);
      });
    });

    describe("a change of the mode", () => {
      it("to EnsureExists keeps the object and all its data, and lets later edits be", async () => {
        const daemon = await startEngine(plane(), { set: "x" });
        await daemon.declare(reconciled(configMap("x-a", { a: "1", b: "2" })), reconciled(configMap("x-b")));
        await daemon.converged();
        const { uid } = (await admin.find(pathOf(configMap("x-a")))).metadata;

        await daemon.declare(ensured(configMap("x-a", {})), reconciled(configMap("x-b")));
        await daemon.converged();
        const changed = await admin.find(pathOf(configMap("x-a")));
        expect(changed.metadata).toMatchObject({ uid, labels: { [MODE]: "EnsureExists" } });
        expect(changed.data).toEqual({ a: "1", b: "2" });

        await admin.patch(pathOf(configMap("x-a")), { data: { a: "9" } });
        await daemon.declare(reconciled(configMap("x-b", { a: "2" })));
        await daemon.converged();
        const left = await admin.find(pathOf(configMap("x-a")));
        expect([left.metadata.uid, left.data]).toEqual([uid, { a: "9", b: "2" }]);
      });

      it("to Reconcile and back keeps the uid, and puts the file's fields back", async () => {
        const daemon = await startEngine(plane(), { set: "y" });
        await daemon.declare(ensured(configMap("y-a", { a: "1", old: "2" })));
        await daemon.converged();
        const { uid } = (await admin.find(pathOf(configMap("y-a")))).metadata;
        await admin.patch(pathOf(configMap("y-a")), { data: { a: "9" } });

        await daemon.declare(reconciled(configMap("y-a", { a: "1" })));
        await daemon.converged();
        const live = await admin.find(pathOf(configMap("y-a")));
        expect(live.metadata).toMatchObject({ uid, labels: { [MODE]: "Reconcile" } });
        // What we created and the file no longer has goes: the Update entry was taken over first.
        expect(live.data).toEqual({ a: "1" });
        expect(managersOf(live)).toContain("keelson.y Apply");

        await daemon.declare(ensured(configMap("y-a", { a: "5" })));
        await daemon.converged();
        await daemon.declare(reconciled(configMap("y-a", { a: "6" })));
        await daemon.converged();
        const back = await admin.find(pathOf(configMap("y-a")));
        expect([back.metadata.uid, back.data]).toEqual([uid, { a: "6" }]);
        await daemon.declare(reconciled(configMap("y-other")));
        await eventually("it is prunable again", async () => (await admin.get(pathOf(configMap("y-a")))) === undefined);
      });

      it("while the daemon was down is seen at the start", async () => {
        const first = await startEngine(plane(), { set: "z" });
        await first.declare(reconciled(configMap("z-a", { a: "1" })));
        await first.converged();
        const { uid } = (await admin.find(pathOf(configMap("z-a")))).metadata;
        first.stop();

        const second = await startEngine(plane(), { set: "z", state: first.engine.state() });
        await second.declare(ensured(configMap("z-a", {})));
        await second.converged();

        expect(await admin.find(pathOf(configMap("z-a")))).toMatchObject({
          metadata: { uid, labels: { [MODE]: "EnsureExists" } },
          data: { a: "1" },
        });
        expect(second.outcomesOf("z-a")).toEqual(["configured"]);
      });

      it("of an object by the older label works the same", async () => {
        const old = (mode: object) => labelled(configMap("o-a"), { [CLUSTER_SERVICE]: "true", ...mode });
        const daemon = await startEngine(plane(), { set: "o" });
        await daemon.declare(old({}), reconciled(configMap("o-b")));
        await daemon.converged();
        const { uid } = (await admin.find(pathOf(configMap("o-a")))).metadata;

        await daemon.declare(old({ [MODE]: "EnsureExists" }), reconciled(configMap("o-b")));
        await daemon.converged();
        await daemon.declare(reconciled(configMap("o-b", { a: "2" })));
        await daemon.converged();

        const live = await admin.find(pathOf(configMap("o-a")));
        expect(live.metadata).toMatchObject({ uid, labels: { [MODE]: "EnsureExists" } });
      });
    });

    it("drops cluster-service=true in place", async () => {
      const daemon = await startEngine(plane(), { set: "c" });
      await daemon.declare(labelled(configMap("c-a"), { [CLUSTER_SERVICE]: "true", [MODE]: "Reconcile" }));
      await daemon.converged();
      const { uid } = (await admin.find(pathOf(configMap("c-a")))).metadata;

      await daemon.declare(reconciled(configMap("c-a")));
      await daemon.converged();

      expect((await admin.find(pathOf(configMap("c-a")))).metadata).toMatchObject({
        uid,
        labels: { [MODE]: "Reconcile" },
      });
      expect((await admin.find(pathOf(configMap("c-a")))).metadata.labels[CLUSTER_SERVICE]).toBeUndefined();
    });

    it("lets go of a system namespace instead of deleting it", async () => {
      const labels = { [MODE]: "Reconcile", [CLUSTER_SERVICE]: "true", purpose: "system" };
      const system = labelled(clusterObject("v1", "Namespace", "kube-public"), labels);
      const mine = annotated(system, { "example.dev/note": "ours" });
      const daemon = await startEngine(plane(), { set: "s" });
      await daemon.declare(mine, reconciled(configMap("s-b")));
      await daemon.converged();
      const before = await admin.find("/api/v1/namespaces/kube-public");
      await admin.patch("/api/v1/namespaces/kube-public", { metadata: { labels: { theirs: "1" } } });

      await daemon.declare(reconciled(configMap("s-b")));
      await eventually("it is released", () => daemon.outcomesOf("kube-public").includes("released"));
      await daemon.converged();

      const live = await admin.find("/api/v1/namespaces/kube-public");
      expect(live.metadata.uid).toBe(before.metadata.uid);
      expect(live.metadata.deletionTimestamp).toBeUndefined();
      expect(live.metadata.labels).toEqual({ "kubernetes.io/metadata.name": "kube-public", theirs: "1" });
      expect(live.metadata.annotations).toBeUndefined();
      expect(managersOf(live).filter((name) => name.startsWith("keelson"))).toEqual([]);
      expect(daemon.outcomesOf("kube-public").filter((outcome) => outcome === "released")).toHaveLength(1);
    });

    it("releases Keelson's own objects, too", async () => {
      const own = reconciled(labelled(configMap("p-own"), { "app.kubernetes.io/part-of": "keelson" }));
      const daemon = await startEngine(plane(), { set: "p" });
      await daemon.declare(own, reconciled(configMap("p-b")));
      await daemon.converged();

      await daemon.declare(reconciled(configMap("p-b")));
      await eventually("it is released", () => daemon.outcomesOf("p-own").includes("released"));

      const live = await admin.find(pathOf(own));
      expect(live.data).toEqual({ a: "1" });
      expect(live.metadata.labels?.[MODE]).toBeUndefined();
    });

    it("spares what controllers made with copied labels: Endpoints, EndpointSlices, ReplicaSets", async (context) => {
      skipWhereEmbedded(context, plane(), "makes no Endpoints and ReplicaSets");
      const web = deployment("copy", {});
      const spec = web.spec as { template: { metadata: object } };
      const template = { ...spec.template, metadata: { labels: { app: "copy", [MODE]: "Reconcile" } } };
      const labelledPods = reconciled({ ...web, spec: { ...spec, template } });
      const prune = {
        kinds: [...PRUNE.kinds, gvk("discovery.k8s.io/v1", "EndpointSlice"), gvk("v1", "Pod")],
      };
      const daemon = await startEngine(plane(), { set: "copy", prune });
      await daemon.declare(reconciled(service("copy")), labelledPods);
      await daemon.converged();
      await eventually("the copies are there", async () => {
        const endpoints = await admin.get("/api/v1/namespaces/default/endpoints/copy");
        const sets = await admin.list("/apis/apps/v1/namespaces/default/replicasets?labelSelector=app%3Dcopy");
        return endpoints?.metadata.labels[MODE] === "Reconcile" && sets[0]?.metadata.labels[MODE] === "Reconcile";
      });
      const setUid = (await admin.list("/apis/apps/v1/namespaces/default/replicasets?labelSelector=app%3Dcopy"))[0];

      // In the cluster, in the class, and not in the directory: seen, judged, and left alone.
      await eventually("they are seen", () => {
        const seen = [...daemon.engine.records.values()].map(({ ref }) => ref.kind);
        return seen.includes("Endpoints") && seen.includes("ReplicaSet") && seen.includes("EndpointSlice");
      });
      await daemon.engine.pass();
      await daemon.engine.whenIdle();

      expect(await deletesOf("endpoints", "endpointslices", "replicasets")).toEqual([]);
      const still = await admin.list("/apis/apps/v1/namespaces/default/replicasets?labelSelector=app%3Dcopy");
      expect(still[0]?.metadata.uid).toBe(setUid?.metadata.uid);
      expect(Object.values(daemon.kept())).not.toContain("unproven");
    });
  },
  { auditLog: true },
);

function managersOf(live: { readonly metadata: Record<string, unknown> }): readonly string[] {
  const entries = live.metadata.managedFields as { manager: string; operation: string; subresource?: string }[];
  return entries.filter(({ subresource }) => subresource === undefined).map((e) => `${e.manager} ${e.operation}`);
}
