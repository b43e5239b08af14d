import { hostname } from "node:os";
import { afterEach, expect, it } from "vitest";
import { systemClock } from "../../src/async/index.ts";
import { createClient, type KubeClient, loadKubeconfig } from "../../src/kube/index.ts";
import {
  CONTROLLER_MANAGER_LEASE,
  kubeLease,
  type LeaderElector,
  type LeaderState,
  LeaseFollower,
  LeaseHolder,
  ownLeaseName,
} from "../../src/leader-election/index.ts";
import { createLogger } from "../../src/log/index.ts";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";

// Elections against the real API server: its validation of Leases, its conflicts, its watches.

interface Participant {
  readonly elector: LeaderElector;
  /** Every state, with the time at which it was told. */
  readonly states: { readonly at: number; readonly state: LeaderState }[];
  readonly lines: string[];
  readonly stop: () => Promise<void>;
}

const participants: Participant[] = [];

afterEach(async () => {
  await Promise.all(participants.splice(0).map(({ stop }) => stop()));
});

async function clientOf(kubeconfig: string): Promise<KubeClient> {
  const config = await loadKubeconfig({ flags: { kubeconfig }, env: {}, home: "/" });
  return createClient({ config, clock: systemClock });
}

function takePart(elector: LeaderElector, client: KubeClient, lines: string[]): Participant {
  const states: { at: number; state: LeaderState }[] = [];
  elector.onChange((state) => states.push({ at: performance.now(), state }));
  const controller = new AbortController();
  const ended = elector.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
    client.close();
  };
  const participant = { elector, states, lines, stop };
  participants.push(participant);
  return participant;
}

function logTo(lines: string[]): ReturnType<typeof createLogger> {
  return createLogger({ sink: { write: (line) => lines.push(line) > 0, close: () => {} } });
}

async function hold(kubeconfig: string, identity: string): Promise<Participant> {
  const client = await clientOf(kubeconfig);
  const lines: string[] = [];
  const store = kubeLease({ client, clock: systemClock, name: ownLeaseName("") });
  const name = "kube-system/keelson-addon";
  return takePart(new LeaseHolder({ store, identity, clock: systemClock, log: logTo(lines), name }), client, lines);
}

async function follow(kubeconfig: string, host: string): Promise<Participant> {
  const client = await clientOf(kubeconfig);
  const lines: string[] = [];
  const lease = kubeLease({ client, clock: systemClock, name: CONTROLLER_MANAGER_LEASE });
  const options = { watch: lease, store: lease, hostname: host, clock: systemClock, log: logTo(lines) };
  return takePart(new LeaseFollower(options), client, lines);
}

const isLeading = ({ elector }: Participant): boolean => elector.state.kind === "leading";
const untilLeading = (one: Participant, timeoutMs = 10_000): Promise<true> =>
  eventually("it leads", () => isLeading(one), { timeoutMs });
const changed = ({ states }: Participant, kind: LeaderState["kind"]): number =>
  states.findLast(({ state }) => state.kind === kind)?.at ?? Number.NaN;

interface LeaseObject {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly holderIdentity?: string; readonly leaseTransitions: number };
}

describeWithControlPlane(
  "an election by a Lease of our own",
  (plane) => {
    const readLease = (): Promise<LeaseObject> =>
      plane().kubectlJson<LeaseObject>("get", "lease", "keelson-addon", "-n", "kube-system");

    it("has one leader, and passes the lead on when it is released", async () => {
      const kubeconfig = plane().kubeconfigFor("keelson");
      const a = await hold(kubeconfig, "a");
      await untilLeading(a);
      const b = await hold(kubeconfig, "b");
      await eventually("b follows", () => b.elector.state.kind === "following");
      expect(b.elector.state).toMatchObject({ holder: "a" });

      const released = performance.now();
      await a.stop();
      await untilLeading(b);

      expect(changed(b, "leading") - released).toBeLessThan(6000);
      const lease = await readLease();
      expect(lease.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
      expect(lease.metadata.labels).toEqual({ "app.kubernetes.io/part-of": "keelson" });
      await b.stop();
      expect((await readLease()).spec.holderIdentity).toBeUndefined();
    });

    it("ends the lead of one that is cut off before another one takes it", async () => {
      const proxy = await plane().startFaultProxy();
      const a = await hold(plane().kubeconfigThrough(proxy, "keelson"), "a");
      await untilLeading(a);
      const b = await hold(plane().kubeconfigFor("keelson"), "b");
      await eventually("b follows", () => b.elector.state.kind === "following");

      const cutAt = performance.now();
      proxy.dropAll();
      await untilLeading(b, 30_000);

      expect(isLeading(a)).toBe(false);
      const lost = a.states.find(({ at, state }) => at > cutAt && state.kind !== "leading")?.at ?? Number.NaN;
      expect(lost - cutAt).toBeLessThan(10_500);
      expect(changed(b, "leading") - lost).toBeGreaterThan(2000);
      proxy.restore();
      await eventually("a follows", () => a.elector.state.kind === "following");
    });

    it("keeps the lead through edits by others and a restart of the API server", async () => {
      const a = await hold(plane().kubeconfigFor("keelson"), "a");
      await untilLeading(a, 30_000);
      const before = a.states.length;

      await plane().kubectl("annotate", "lease", "keelson-addon", "-n", "kube-system", "edited=yes");
      const stopped = performance.now();
      await plane().stopApiServer();
      await plane().startApiServer();
      const { renewTime } = (await readLease()).spec as unknown as { renewTime: string };
      await eventually("a renews again", async () => {
        const spec = (await readLease()).spec as unknown as { renewTime: string };
        return spec.renewTime !== renewTime;
      });

      // On a busy machine the restart may take longer than the 10 s after which a lead has to end.
      const lost = a.states.slice(before).filter(({ state }) => state.kind !== "leading");
      if (performance.now() - stopped < 8000) expect(lost).toEqual([]);
      for (const { at } of lost) expect(at - stopped).toBeGreaterThan(7000);
    });

    it("begins another term where the Lease was deleted", async () => {
      const a = await hold(plane().kubeconfigFor("keelson"), "a");
      await untilLeading(a, 30_000);
      const before = a.elector.state;

      await plane().kubectl("delete", "lease", "keelson-addon", "-n", "kube-system");

      await eventually("another term", () => isLeading(a) && a.elector.state !== before);
    });
  },
  { controllerManager: false },
);

describeWithControlPlane(
  "an election by the controller manager's Lease",
  (plane) => {
    const lease = ["lease", "kube-controller-manager", "-n", "kube-system"] as const;
    const holdBy = (holder: string): Promise<unknown> =>
      plane().kubectl("patch", ...lease, "--type=merge", "-p", JSON.stringify({ spec: { holderIdentity: holder } }));

    it("leads on the controller manager's host, without any request but the watch", async () => {
      const one = await follow(plane().kubeconfigFor("keelson"), hostname());
      await untilLeading(one, 30_000);
      const other = await follow(plane().kubeconfigFor("admin"), `not-${hostname()}`);
      await eventually("the other one follows", () => other.elector.state.kind === "following");
      expect(other.lines).toEqual(["INFO: Not elected leader, going back to sleep.\n"]);

      const { length } = await plane().requests({ user: "keelson" });
      const { resourceVersion } = (await plane().kubectlJson("get", ...lease)).metadata;
      await eventually("the Lease is renewed", async () => {
        const { metadata } = await plane().kubectlJson("get", ...lease);
        return Number(metadata.resourceVersion) > Number(resourceVersion) + 3;
      });

      const made = (await plane().requests({ user: "keelson" })).slice(length);
      expect(made.filter(({ verb }) => verb !== "watch")).toEqual([]);
      expect(one.states).toHaveLength(1);
    });

    it("follows the Lease wherever it goes", async () => {
      await plane().stopControllerManager();
      const one = await follow(plane().kubeconfigFor("keelson"), "cp-1");
      await eventually("it follows", () => one.elector.state.kind === "following");

      await holdBy("cp-1_a");
      await untilLeading(one);
      const before = performance.now();
      await holdBy("cp-10_b");
      await eventually("it follows", () => one.elector.state.kind === "following");
      expect(changed(one, "following") - before).toBeLessThan(2000);

      await holdBy("cp-1.example.com_c");
      await untilLeading(one);
      await plane().kubectl("delete", ...lease);
      await eventually("nobody leads", () => one.elector.state.kind === "following");

      expect(one.elector.state).toMatchObject({ holder: undefined });
      expect(one.lines.filter((line) => line.startsWith("ERR:"))).toHaveLength(1);
    });
  },
  { auditLog: true },
);
