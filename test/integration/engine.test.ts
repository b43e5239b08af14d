import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../src/async/index.ts";
import { addonIdentity, namesOf } from "../../src/controllers/addon/identity.ts";
import { Engine, type EngineState } from "../../src/converge/index.ts";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import {
  Admin,
  clientOf,
  configMap,
  crd,
  deployment,
  ensured,
  namespace,
  object,
  PRUNE,
  pathOf,
  reconciled,
  restrictedUser,
  service,
  startEngine,
} from "./addon-bed/index.ts";

const WRITES = ["create", "update", "patch", "delete", "deletecollection"];

describeWithControlPlane(
  "the engine",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
    });
    afterAll(() => admin.close());

    const dataOf = async (name: string): Promise<unknown> => (await admin.get(pathOf(configMap(name))))?.data;

    /** What an engine has asked the API server for since there were `since` requests. */
    async function requestsSince(since: number) {
      return (await plane().requests({ user: "keelson" })).slice(since);
    }

    async function writesSince(since: number) {
      return (await requestsSince(since)).filter(({ verb, uri }) => WRITES.includes(verb) && !uri.includes("dryRun"));
    }

    const requestCount = async (): Promise<number> => (await plane().requests({ user: "keelson" })).length;

    it("creates, repairs, re-creates and prunes", async () => {
      const a = reconciled(configMap("e-a", { v: "1" }));
      const b = reconciled(configMap("e-b", { v: "1" }));
      const keep = ensured(configMap("e-keep", { v: "1" }));
      const daemon = await startEngine(plane(), { set: "e" });
      await daemon.declare(a, b, keep);
      await daemon.converged();
      expect([await dataOf("e-a"), await dataOf("e-keep")]).toEqual([{ v: "1" }, { v: "1" }]);

      await admin.patch(pathOf(a), { data: { v: "9" } });
      await eventually("the edit is reverted", async () => (await admin.find(pathOf(a))).data.v === "1");
      await eventually("the drift is explained", () =>
        daemon.changes.some(({ reason }) => reason.includes("data.v 1→9 by kubectl-edit")),
      );
      await admin.delete(pathOf(a));
      await admin.delete(pathOf(keep));
      await eventually("both are created again", async () => (await dataOf("e-a")) && (await dataOf("e-keep")));

      await daemon.declare(reconciled(configMap("e-b", { v: "2" })));
      await eventually("e-a is pruned", async () => (await dataOf("e-a")) === undefined);
      await daemon.converged();

      expect(await dataOf("e-b")).toEqual({ v: "2" });
      expect(await dataOf("e-keep")).toEqual({ v: "1" });
    });

    it("asks for nothing in steady state, and writes nothing on a restart where nothing changed", async () => {
      const objects = [
        reconciled(deployment("s-a", { resources: { limits: { cpu: "1000m" } } })),
        reconciled(service("s-a")),
        reconciled(configMap("s-b")),
        ensured(configMap("s-c")),
      ];
      const first = await startEngine(plane(), { set: "s" });
      await first.declare(...objects);
      await first.converged();
      await eventually("the Deployment has a status", async () => {
        const live = await admin.find(pathOf(deployment("s-a")));
        return live.status?.observedGeneration !== undefined;
      });
      const quiet = await requestCount();
      await first.engine.pass();
      await first.engine.whenIdle();
      expect(await requestsSince(quiet)).toEqual([]);
      const state = first.engine.state();
      first.stop();

      const before = await requestCount();
      const second = await startEngine(plane(), { set: "s", state });
      await second.declare(...objects);
      await second.converged();

      // A quantity that the server writes otherwise costs one apply that changes nothing.
      const writes = await writesSince(before);
      expect(writes.map(({ resource, verb }) => `${verb} ${resource}`)).toEqual(["patch deployments"]);
      expect(second.outcomesOf("s-a")).toEqual(["unchanged"]);
    });

    it("prunes what left while it was down", async () => {
      const first = await startEngine(plane(), { set: "d" });
      await first.declare(reconciled(configMap("d-a")), reconciled(configMap("d-b")));
      await first.converged();
      const state = first.engine.state();
      first.stop();

      const second = await startEngine(plane(), { set: "d", state });
      await second.declare(reconciled(configMap("d-b")));
      await eventually("pruned", async () => (await dataOf("d-a")) === undefined);

      expect(await dataOf("d-b")).toBeDefined();
    });

    it("deletes a pruned object with one request, and says so once", async () => {
      const daemon = await startEngine(plane(), { set: "o" });
      await daemon.declare(reconciled(configMap("o-a")), reconciled(configMap("o-b")));
      await daemon.converged();
      const before = await requestCount();

      await daemon.declare(reconciled(configMap("o-b")));
      await eventually("pruned", async () => (await dataOf("o-a")) === undefined);
      await daemon.converged();

      expect((await writesSince(before)).map(({ verb, name }) => `${verb} ${name}`)).toEqual(["delete o-a"]);
      expect(daemon.outcomesOf("o-a")).toEqual(["created", "deleted"]);
    });

    it("creates an object again once its finalizers let go of it", async () => {
      const held = reconciled(object("v1", "ConfigMap", "f-a", { data: { a: "1" } }));
      const daemon = await startEngine(plane(), { set: "f" });
      await daemon.declare(held);
      await daemon.converged();
      const { uid } = (await admin.patch(pathOf(held), { metadata: { finalizers: ["example.dev/wait"] } })).metadata;

      await admin.delete(pathOf(held));
      await eventually("it waits, and says for what", () =>
        [...daemon.engine.status().blocked.values()].some((detail) => detail.includes("example.dev/wait")),
      );
      await admin.patch(pathOf(held), { metadata: { finalizers: null } });
      await daemon.converged();

      expect((await admin.find(pathOf(held))).metadata.uid).not.toBe(uid);
    });

    it("puts a removed label back on a Reconcile object and leaves it off an EnsureExists one", async () => {
      const [a, keep] = [reconciled(configMap("l-a")), ensured(configMap("l-keep"))];
      const daemon = await startEngine(plane(), { set: "l" });
      await daemon.declare(a, keep);
      await daemon.converged();
      const unlabel = { metadata: { labels: null }, data: { extra: "x" } };

      await admin.patch(pathOf(keep), unlabel);
      await admin.patch(pathOf(a), unlabel);
      await eventually("the label is back", async () => (await admin.find(pathOf(a))).metadata.labels !== undefined);
      await daemon.converged();

      const reasons = daemon.changes.filter(({ outcome }) => outcome !== "created").map(({ reason }) => reason);
      expect(new Set(reasons)).toEqual(new Set(["was there, without the label that finds it"]));
      const live = await admin.find(pathOf(keep));
      expect(live.metadata.labels).toBeUndefined();
      expect(live.data.extra).toBe("x");
      await admin.delete(pathOf(keep));
      await eventually("it is created again", async () => (await admin.get(pathOf(keep)))?.metadata.labels);
    });

    it("goes on with everything else where an object fails, and tries it again when its file changes", async () => {
      const bad = reconciled(service("b-bad", { ports: [{ name: "http", port: 0 }] }));
      const daemon = await startEngine(plane(), { set: "b" });

      await daemon.declare(bad, reconciled(configMap("b-good")));
      await eventually("the good one is there", () => dataOf("b-good"));
      await eventually("the bad one has failed", () => daemon.engine.status().failures.size === 1);
      expect(daemon.changes.find(({ outcome }) => outcome === "failed")?.error?.code).toBe("Invalid");

      await daemon.declare(reconciled(service("b-bad")), reconciled(configMap("b-good")));
      await daemon.converged();
      expect(daemon.engine.status().failures.size).toBe(0);
    });

    it("keeps to a failed object's own retries although passes come in between", async () => {
      const lost = reconciled(object("v1", "ConfigMap", "n-a", { metadata: { namespace: "n-late" }, data: {} }));
      const daemon = await startEngine(plane(), { set: "n" });
      await daemon.declare(lost);
      await eventually("it has failed", () => daemon.engine.status().failures.size === 1);
      await daemon.engine.pass();
      await daemon.engine.whenIdle();

      await admin.create("/api/v1/namespaces", namespace("n-late"));

      await daemon.converged(5_000);
    });

    it("retries at once what waited for a namespace of its own set", async () => {
      const daemon = await startEngine(plane(), { set: "w" });
      const within = (ns: string) => reconciled(object("v1", "ConfigMap", "w-a", { metadata: { namespace: ns } }));
      await daemon.declare(within("w-new"));
      await eventually("it has failed twice", () => [...daemon.engine.status().failures.values()][0]?.count === 2);

      await daemon.declare(ensured(namespace("w-new")), within("w-new"));

      await daemon.converged(1_500);
    });

    it("converges a CRD and its custom resource in one go, and custom resources alone once their CRD comes", async () => {
      const widgets = crd("widget", { v1: { size: { type: "integer" } } });
      const widget = reconciled(object("example.dev/v1", "Widget", "c-a", { spec: { size: 3 } }));
      const daemon = await startEngine(plane(), { set: "c" });

      await daemon.declare(widget);
      await eventually("it waits", () => daemon.engine.status().blocked.size === 1);
      await daemon.declare(widget, reconciled(widgets));
      await daemon.converged();

      expect((await admin.find("/apis/example.dev/v1/namespaces/default/widgets/c-a")).spec).toEqual({ size: 3 });
      expect(daemon.changes.filter(({ outcome }) => outcome === "failed")).toEqual([]);
      await admin.patch("/apis/example.dev/v1/namespaces/default/widgets/c-a", { spec: { size: 4 } });
      await eventually("drift of the new kind is seen", () =>
        daemon.changes.some(({ reason }) => reason.includes("spec.size 3→4")),
      );
    });

    it("looks at intervals at what it may not list or watch: drift, and what is gone", async () => {
      const names = ["u-1", "u-2", "u-3", "u-4", "u-5"];
      const objects = names.map((name) => reconciled(configMap(name)));
      const rules = [
        { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch"] },
        { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "create", "patch"] },
      ];
      const kubeconfig = await restrictedUser(plane(), "u", rules);
      const daemon = await startEngine(plane(), { set: "u", kubeconfig });
      await daemon.declare(...objects, reconciled(object("v1", "Secret", "u-secret")));
      await daemon.converged();
      expect(daemon.unavailable).toContain("ConfigMap");
      expect(daemon.unavailable).not.toContain("Secret");

      await admin.patch(pathOf(configMap("u-1")), { data: { a: "9" } });
      await admin.delete(pathOf(configMap("u-2")));
      await daemon.engine.pass();
      await daemon.engine.whenIdle();

      expect(await dataOf("u-1")).toEqual({ a: "1" });
      expect(await dataOf("u-2")).toEqual({ a: "1" });
      const before = daemon.changes.length;
      await daemon.engine.pass();
      await daemon.engine.whenIdle();
      expect(daemon.changes.slice(before)).toEqual([]);
    });

    it("says what it remembers of holds before it has looked at anything", async () => {
      const state: EngineState = {
        missing: {
          broken: ["b.yaml@1"],
          wasEmpty: false,
          missing: [{ key: "ConfigMap/default/x", knownBroken: [], sinceEmpty: true }],
        },
        kinds: ["ConfigMap"],
        confirmed: ["uid-1"],
      };
      const client = await clientOf(plane());
      const listener = {
        onChange: () => {},
        onStatus: () => {},
        onAvailability: () => {},
        onReachable: () => {},
        onFight: () => {},
        onUnserved: () => {},
        onSelfCheckMiss: () => {},
      };

      const engine = new Engine(
        { client, clock: systemClock, identity: addonIdentity(namesOf("st")) },
        { prune: PRUNE, listener },
        state,
      );
      client.close();

      expect(engine.state()).toEqual(state);
    });

    it("writes nothing once its term is over, and goes on in the next", async () => {
      const a = reconciled(configMap("t-a"));
      const daemon = await startEngine(plane(), { set: "t" });
      const term = new AbortController();
      daemon.engine.lead(term.signal);
      await daemon.declare(a);
      await daemon.converged();

      term.abort();
      const before = await requestCount();
      await admin.patch(pathOf(a), { data: { a: "9" } });
      await eventually("the drift is seen", () => daemon.engine.status().converged === 0);
      await daemon.engine.pass();
      expect(await writesSince(before)).toEqual([]);

      daemon.engine.lead(new AbortController().signal);
      await daemon.converged();
      expect(await dataOf("t-a")).toEqual({ a: "1" });
    });

    it("does not confirm an object's prune for ever: one that was in the directory again is judged anew", async () => {
      const [a, b] = [reconciled(configMap("k-a")), reconciled(configMap("k-b"))];
      const daemon = await startEngine(plane(), { set: "k" });
      await daemon.declare(a, b);
      await daemon.converged();
      const { uid } = (await admin.find(pathOf(a))).metadata;
      daemon.engine.confirm([uid]);
      await daemon.declare(a, b);

      await daemon.declareFiles({});
      await eventually("both are held", () => Object.keys(daemon.kept()).length === 2);

      expect(daemon.kept()).toEqual({ "k-a": "source-was-empty", "k-b": "source-was-empty" });
    });
  },
  { auditLog: true },
);
