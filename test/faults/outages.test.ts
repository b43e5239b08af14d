import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { type ControlPlane, describeWithControlPlane, eventually } from "../control-plane/index.ts";
import { TEST_SEED } from "../seed.ts";
import {
  type Admin,
  adminOf,
  configMapPath,
  expectEachOnce,
  file,
  fresh,
  type KeelsonProcess,
  ledgerOf,
  numbered,
  PATIENT,
  type ProcessOptions,
  startKeelson,
} from "./bed/index.ts";

const COUNT = 300;

describeWithControlPlane(
  "a control plane and a daemon that are killed",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await adminOf(plane());
    });
    afterAll(() => admin?.close());

    const start = (context: TestContext, options: Omit<ProcessOptions, "kubeconfig">): KeelsonProcess =>
      startKeelson(context, { kubeconfig: plane().kubeconfigFor("keelson"), ...options });

    /** One that is to apply so many ConfigMaps, in a namespace of their own, and is in the midst of it. */
    async function inMidApply(
      context: TestContext,
      namespace: string,
      options: Partial<ProcessOptions> = {},
    ): Promise<KeelsonProcess> {
      await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const files = { "a.yaml": file(...numbered("cm", COUNT, namespace)) };
      const keelson = start(context, { set: namespace, files, ...options });
      await created(keelson, COUNT / 6);
      return keelson;
    }

    it("waits for an API server that is down at the start: says so, is alive and not ready; then converges", async (context) => {
      const set = fresh("down");
      await plane().stopApiServer();
      const keelson = start(context, { set, files: { "a.yaml": file(...numbered(set, 3)) } });

      // Asked and told every half second, as the original does.
      await keelson.saysTimes(/^WRN: == Error getting default service account, retry in 0.5 second error=/, 4);
      await eventually("it is alive", async () => (await keelson.health("/livez")).status === 200, PATIENT);
      const { status, body } = await keelson.health("/readyz");
      expect({ status, body }).toEqual({ status: 503, body: expect.stringContaining("[-]api failed: waiting for") });
      await plane().startApiServer();
      await keelson.converged(admin, 3);
      expect((await keelson.health("/readyz")).status).toBe(200);
    });

    it("goes on where it was when the API server is killed in mid-apply and comes back", async (context) => {
      const set = fresh("killed");
      const keelson = await inMidApply(context, set, { kubectlOptions: "--request-timeout=5s" });

      await plane().stopApiServer("SIGKILL");
      await keelson.says(/^WRN: == The API server cannot be reached: waiting for it error=/);
      expect((await keelson.health("/readyz")).status).toBe(503);
      await plane().startApiServer();
      await keelson.converged(admin, COUNT);

      expectEachOnce(await ledgerOf(plane(), { namespace: set }), COUNT);
      expect((await keelson.health("/readyz")).status).toBe(200);
      expect(keelson.said(/^ERR/)).toBe(0);
    });

    it("goes on where it was when etcd is killed in mid-apply and comes back", async (context) => {
      const set = fresh("etcd");
      const keelson = await inMidApply(context, set, { kubectlOptions: "--request-timeout=5s" });

      await plane().stopEtcd("SIGKILL");
      await keelson.says(/^WRN: /);
      await plane().startEtcd();
      await keelson.converged(admin, COUNT);

      expectEachOnce(await ledgerOf(plane(), { namespace: set }), COUNT);
    });

    it("goes on where it was when the API server hangs in mid-apply and awakes", async (context) => {
      const set = fresh("hangs");
      const keelson = await inMidApply(context, set, { kubectlOptions: "--request-timeout=3s" });

      plane().signalApiServer("SIGSTOP");
      try {
        await keelson.says(/^WRN: /);
      } finally {
        plane().signalApiServer("SIGCONT");
      }
      await keelson.converged(admin, COUNT);

      expectEachOnce(await ledgerOf(plane(), { namespace: set }), COUNT);
    });

    it("is not ready while the API server is gone, though it has nothing to do, and finds what happened meanwhile", async (context) => {
      const set = fresh("idle");
      const keelson = start(context, { set, files: { "a.yaml": file(...numbered(set, 2)) } });
      await keelson.converged(admin, 2);

      await plane().stopApiServer("SIGKILL");
      await eventually("it is not ready", async () => (await keelson.health("/readyz")).status === 503, PATIENT);
      await plane().startApiServer();
      await admin.delete(configMapPath(`${set}-1`));

      await eventually("what was deleted is made again", () => admin.get(configMapPath(`${set}-1`)), PATIENT);
      await eventually("it is ready", async () => (await keelson.health("/readyz")).status === 200, PATIENT);
    });

    it("converges after being killed at random points of an apply, deleting nothing, creating nothing twice", async (context) => {
      const set = fresh("crash");
      const total = 500;
      const random = generator(TEST_SEED);
      const namespace = set;
      await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const files = Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [
          `${index}.yaml`,
          file(...numbered(`f${index}`, total / 10, namespace)),
        ]),
      );
      // By the controller manager's Lease, as on most clusters: no instance has to be asked whether it is alive.
      await admin.create("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "kube-controller-manager", namespace: "kube-system" },
        spec: { holderIdentity: "cp-1_a" },
      });
      const env = { ADDON_MANAGER_LEADER_ELECTION: "true" };
      const keelson = start(context, { set: namespace, files, env });

      const points: number[] = [];
      for (let done = 0, run = 1; run <= 5; run += 1) {
        const point = Math.floor(random() * (total - done) * 0.25);
        await created(keelson, done + point);
        await keelson.end("SIGKILL");
        points.push(point);
        done = keelson.said(CREATED);
        keelson.start();
      }
      await keelson.converged(admin, total);

      const ledger = await ledgerOf(plane(), { namespace });
      const run = { seed: TEST_SEED, points };
      expect({ ...run, deleted: ledger.deleted }).toEqual({ ...run, deleted: [] });
      expectEachOnce(ledger, total);
      const live = await admin.list(`/api/v1/namespaces/${namespace}/configmaps`);
      expect(live.filter(({ metadata }) => metadata.labels?.["addonmanager.kubernetes.io/mode"])).toHaveLength(total);
    });

    it("ends within five seconds at SIGTERM in mid-apply, when what is under way is done", async (context) => {
      const set = fresh("term");
      const keelson = await inMidApply(context, set);

      const { end, ms } = await timed(keelson);

      expect(end).toEqual({ code: 0, signal: null });
      expect(ms).toBeLessThan(5_000 + SLACK_MS);
      const { created: made, writes } = await ledgerOf(plane(), { namespace: set });
      expect(made.size).toBeLessThan(COUNT);
      // Each write that the server carried out was answered, and told.
      expect(writes.filter(({ code }) => code !== 201)).toEqual([]);
      expect(keelson.said(CREATED)).toBe(made.size);
    });

    it("ends within five seconds at SIGTERM though the API server answers nothing any more", async (context) => {
      const set = fresh("term-hung");
      const keelson = await inMidApply(context, set);

      plane().signalApiServer("SIGSTOP");
      try {
        const { end, ms } = await timed(keelson);
        expect(end).toEqual({ code: 0, signal: null });
        expect(ms).toBeLessThan(5_000 + SLACK_MS);
      } finally {
        plane().signalApiServer("SIGCONT");
      }
    });

    it("ends at once at SIGTERM while it waits for an API server that is down", async (context) => {
      const set = fresh("term-down");
      await plane().stopApiServer();
      try {
        const keelson = start(context, { set });
        await keelson.says(/^WRN: == Error getting default service account/);
        const { end, ms } = await timed(keelson);
        expect(end).toEqual({ code: 0, signal: null });
        expect(ms).toBeLessThan(1_000 + SLACK_MS);
      } finally {
        await restart(plane());
      }
    });
  },
  { controllerManager: false, auditLog: true },
);

const CREATED = /ConfigMap \S+ created: /;
/** What a loaded machine may take for the start and the end of a process. */
const SLACK_MS = 2_000;

function created(keelson: KeelsonProcess, count: number): Promise<true> {
  return eventually(`${count} are created`, () => keelson.said(CREATED) >= count, { ...PATIENT, intervalMs: 5 });
}

async function timed(keelson: KeelsonProcess): Promise<{ readonly end: unknown; readonly ms: number }> {
  const start = performance.now();
  const end = await keelson.end("SIGTERM");
  return { end, ms: performance.now() - start };
}

function restart(plane: ControlPlane): Promise<void> {
  return plane.startApiServer();
}

/** A generator of numbers in [0, 1) that a seed determines (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
