import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { describeWithControlPlane, eventually, type FaultProxy, type User } from "../control-plane/index.ts";
import {
  type Admin,
  adminOf,
  configMap,
  configMapPath,
  file,
  fresh,
  type KeelsonProcess,
  ledgerOf,
  numbered,
  PATIENT,
  type ProcessOptions,
  startKeelson,
} from "./bed/index.ts";

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const FOLLOWED = `${LEASES}/kube-controller-manager`;
const COUNT = 300;
/** Longer than a Lease lasts, and than a follower goes without a look. */
const PAUSE_MS = 20_000;

describeWithControlPlane(
  "daemons that take turns",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await adminOf(plane());
    });
    afterAll(() => admin?.close());

    const start = (context: TestContext, user: User, options: Omit<ProcessOptions, "kubeconfig">): KeelsonProcess =>
      startKeelson(context, { kubeconfig: plane().kubeconfigFor(user), ...options });

    /** What a controller manager of this host does: takes the Lease, or renews it. */
    async function hold(holderIdentity: string | null): Promise<void> {
      const spec = { holderIdentity, renewTime: microTime(), leaseDurationSeconds: 15, leaseTransitions: 0 };
      const metadata = { name: "kube-controller-manager", namespace: "kube-system" };
      await admin.create(LEASES, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
      await admin.patch(FOLLOWED, { spec });
    }

    async function makeNamespace(name: string): Promise<void> {
      await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }

    const isReady = (keelson: KeelsonProcess): Promise<true> =>
      eventually("it is ready", async () => (await keelson.health("/readyz")).status === 200, PATIENT);

    it("writes nothing once it sees in mid-apply that another holds the Lease; who takes over lists nothing", async (context) => {
      const set = fresh("handed");
      await makeNamespace(set);
      await hold("cp-1_a");
      const files = { "a.yaml": file(...numbered("cm", COUNT, set)) };
      const both = { set, files, env: { ADDON_MANAGER_LEADER_ELECTION: "true" } };
      const second = start(context, "controller-manager", { ...both, env: { ...both.env, HOSTNAME: "cp-2" } });
      await second.says(/^INFO: Not elected leader, going back to sleep\.$/);
      await isReady(second);
      const first = start(context, "keelson", { ...both, env: { ...both.env, KEELSON_LOG_FORMAT: "json" } });
      await eventually("the first is in mid-apply", () => first.said(CREATED) >= COUNT / 6, QUICK);

      const before = (await requestsOf("controller-manager")).length;
      await hold("cp-2_b");
      await first.says(/"msg":"Not elected leader, going back to sleep\."/);
      await second.converged(admin, COUNT);

      const lost = lineTime(first.log(), "Not elected leader");
      const mine = (await ledgerOf(plane(), { user: "keelson", namespace: set })).writes;
      const theirs = (await ledgerOf(plane(), { user: "controller-manager", namespace: set })).writes;
      expect(mine.length).toBeLessThan(COUNT);
      expect(theirs.length).toBeGreaterThan(0);
      // What was on its way in that moment may be seen by the server a little later.
      expect(mine.filter(({ receivedAt }) => Date.parse(receivedAt) > lost + 500)).toEqual([]);
      const since = (await requestsOf("controller-manager")).slice(before);
      const lists = since.filter(({ verb, uri }) => verb === "list" || uri.includes("sendInitialEvents"));
      // Who acts watches its own status ConfigMap, for challenges, and reads its own revisions.
      expect(lists.filter(({ uri }) => !uri.includes("keelson"))).toEqual([]);
      expect([...mine, ...theirs].filter(({ verb }) => verb === "delete")).toEqual([]);
      expect(first.isRunning).toBe(true);
    });

    it.for<readonly [string, () => Promise<void>]>([
      ["is deleted", () => admin.delete(FOLLOWED)],
      ["loses its holder", () => hold(null)],
    ])(
      "stops writing when the Lease %s, says so as an error, and goes on when it is held again",
      async ([, lose], context) => {
        const set = fresh("nobody");
        await hold("cp-1_a");
        const env = { ADDON_MANAGER_LEADER_ELECTION: "true" };
        const keelson = start(context, "keelson", { set, files: { "a.yaml": file(configMap(set)) }, env });
        await keelson.converged(admin, 1);

        await lose();
        await keelson.says(/^ERR: == Not the leader: /);
        await admin.delete(configMapPath(set));
        // What it sees of the directory now is what it has seen of the cluster long before.
        keelson.write("b.yaml", "this: [is, no, object");
        await keelson.says(/^ERR: .*b\.yaml/);
        expect(await admin.get(configMapPath(set))).toBeUndefined();
        await hold("cp-1_c");

        await eventually("it is made again", () => admin.get(configMapPath(set)), PATIENT);
      },
    );

    it.concurrent("writes nothing after it was stopped for a while and another took over, be it its own Lease or that which it follows", async (context) => {
      const modes = ["lease", "true"] as const;
      await hold("cp-1_a");
      // A controller manager renews every two seconds; it is stopped together with the daemon beside it.
      let renewing = true;
      const renewal = (async () => {
        while (renewing) {
          await hold("cp-1_a");
          await new Promise((resolve) => setTimeout(resolve, 1_000));
        }
      })();
      const pairs = await Promise.all(modes.map((mode) => startPair(context, mode)));
      for (const { first } of pairs) first.signal("SIGSTOP");
      const stopped = performance.now();
      renewing = false;
      await renewal;
      await hold("cp-2_b");
      for (const { second } of pairs) await second.converged(admin, COUNT);
      await eventually("the stop has lasted", () => performance.now() - stopped > PAUSE_MS, PATIENT);
      const before = pairs.map(({ through }) => writesThrough(through));

      for (const { first } of pairs) first.signal("SIGCONT");
      for (const { first } of pairs) {
        await eventually(
          "it follows",
          async () => /\[\+\]leader ok: following/.test((await first.health("/readyz")).body),
          PATIENT,
        );
        await isReady(first);
      }
      // Something to repair, for whoever thinks that he leads.
      for (const { set } of pairs) await admin.delete(configMapPath("take-1", set));
      for (const { set } of pairs)
        await eventually("it is repaired", () => admin.get(configMapPath("take-1", set)), PATIENT);

      expect(pairs.map(({ through }) => writesThrough(through))).toEqual(before);
      for (const count of before) expect(count).toBeLessThan(COUNT * 2);
    });

    /** Two daemons of one set; the first, through a slow proxy, in the midst of its apply. */
    async function startPair(
      context: TestContext,
      mode: "lease" | "true",
    ): Promise<{
      readonly set: string;
      readonly first: KeelsonProcess;
      readonly second: KeelsonProcess;
      readonly through: FaultProxy;
    }> {
      const set = fresh(`paused-${mode}`);
      await makeNamespace(set);
      // Objects that kubectl apply has made: each takes several requests, one after the other.
      const objects = numbered("take", COUNT, set);
      for (let at = 0; at < COUNT; at += 8) {
        await Promise.all(
          objects.slice(at, at + 8).map((object) => clientSideApplied(admin, object.metadata.name, set)),
        );
      }
      const through = await plane().startFaultProxy();
      through.addFault({ path: new RegExp(`/${set}/configmaps`) }, { kind: "delay", ms: 250 });
      const env = { ADDON_MANAGER_LEADER_ELECTION: mode };
      const files = { "a.yaml": file(...objects) };
      const kubeconfig = plane().kubeconfigThrough(through, "keelson");
      const first = startKeelson(context, { set, files, env, kubeconfig });
      await eventually("it is in mid-apply", () => first.said(/ConfigMap \S+ configured: /) >= 20, QUICK);
      const second = start(context, "controller-manager", { set, files, env: { ...env, HOSTNAME: "cp-2" } });
      expect(first.said(/ConfigMap \S+ configured: /)).toBeLessThan(COUNT);
      return { set, first, second, through };
    }

    it.concurrent("refuses to act beside a live daemon without an election, and takes over from a dead one", async (context) => {
      const set = fresh("guard");
      const first = start(context, "keelson", { set, files: { "a.yaml": file(configMap(`${set}-a`)) } });
      await first.converged(admin, 1);

      const second = start(context, "keelson", {
        set,
        files: { "a.yaml": file(configMap(`${set}-b`)) },
        env: { HOSTNAME: "cp-2" },
      });
      expect(await second.ended()).toEqual({ code: 5, signal: null });

      expect(second.log()).toMatch(/^ERR: == instance cp-1_\S+ acts on this set and answers: this one refuses/m);
      expect(await admin.get(configMapPath(`${set}-b`))).toBeUndefined();
      expect(first.isRunning).toBe(true);
      await first.end("SIGKILL");
      second.start();
      await eventually("the second acts", () => admin.get(configMapPath(`${set}-b`)), PATIENT);
    });

    it.concurrent("ends, having touched nothing, at a SIGTERM while it asks whether another one is alive", async (context) => {
      const set = fresh("goodbye");
      const first = start(context, "keelson", { set, files: { "a.yaml": file(configMap(`${set}-a`)) } });
      await first.converged(admin, 1);
      const status = `/api/v1/namespaces/kube-system/configmaps/keelson-status-${set}`;
      const before = (await admin.find(status)).data;
      first.signal("SIGSTOP");

      const second = start(context, "keelson", {
        set,
        files: { "a.yaml": file(configMap(`${set}-b`)) },
        env: { HOSTNAME: "cp-2" },
      });
      await eventually(
        "it asks",
        async () => (await admin.find(status)).metadata.annotations?.["keelson.dev/challenge"]?.startsWith("cp-2"),
        PATIENT,
      );
      expect(await second.end("SIGTERM")).toEqual({ code: 0, signal: null });

      expect((await admin.find(status)).data).toEqual(before);
      first.signal("SIGCONT");
      await first.converged(admin, 1);
    });

    async function requestsOf(user: User): ReturnType<ReturnType<typeof plane>["requests"]> {
      return (await plane().requests({ user })).filter(({ userAgent }) => userAgent === "keelson");
    }
  },
  { controllerManager: false, auditLog: true },
);

const CREATED = /ConfigMap \S+ created: /;
const QUICK = { ...PATIENT, intervalMs: 5 };

function writesThrough(proxy: FaultProxy): number {
  return proxy.requests().filter(({ method, path }) => method !== "GET" && path.includes("/configmaps/take-")).length;
}

async function clientSideApplied(admin: Admin, name: string, namespace: string): Promise<void> {
  const plain = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { a: "0", b: "0" } };
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(plain) };
  const applied = { ...plain, metadata: { ...plain.metadata, annotations } };
  await admin.create(`/api/v1/namespaces/${namespace}/configmaps`, applied, "kubectl-client-side-apply");
}

/** Milliseconds of the last line of a JSON log that holds `text`. */
function lineTime(log: string, text: string): number {
  const line = log.split("\n").findLast((each) => each.includes(text)) ?? "{}";
  return Date.parse((JSON.parse(line) as { readonly time: string }).time);
}

function microTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}
