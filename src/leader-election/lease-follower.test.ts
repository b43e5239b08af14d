import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { createLogger } from "../log/index.ts";
import type { LeaderState } from "./leader-elector.ts";
import { LeaseFollower } from "./lease-follower.ts";
import { MemoryLease } from "./memory-lease.case.ts";

let clock: ManualClock;
let lease: MemoryLease;
let lines: string[];
let stop: AbortController;
let states: LeaderState[];

beforeEach(() => {
  clock = new ManualClock();
  lease = new MemoryLease();
  lines = [];
  stop = new AbortController();
  states = [];
});

async function follow(): Promise<{ readonly elector: LeaseFollower; readonly ended: Promise<void> }> {
  const sink = { write: (line: string) => lines.push(line) > 0, close: () => {} };
  const elector = new LeaseFollower({
    watch: lease,
    store: lease,
    hostname: "cp-1",
    clock,
    log: createLogger({ sink }),
  });
  elector.onChange((state) => states.push(state));
  const ended = elector.run(stop.signal);
  await clock.advance(0);
  return { elector, ended };
}

describe("LeaseFollower", () => {
  it("does not know before the Lease was read", () => {
    const options = { watch: lease, store: lease, hostname: "cp-1", clock };

    const elector = new LeaseFollower({
      ...options,
      log: createLogger({ sink: { write: () => true, close: () => {} } }),
    });

    expect(elector.state.kind).toBe("unknown");
  });

  it("leads while this host holds the Lease, and says so once", async () => {
    lease.put({ holderIdentity: "cp-1_a", leaseTransitions: 3 });

    const { elector } = await follow();
    lease.put({ renewTime: "2030-01-01T00:00:02.000000Z" });

    expect(elector.state).toEqual({ kind: "leading", holder: "cp-1_a", term: "cp-1_a/3" });
    expect(lines).toEqual(["INFO: == Elected leader hostname=cp-1 holder=cp-1_a ==\n"]);
  });

  it("follows another host, with the original's line once per change", async () => {
    lease.put({ holderIdentity: "cp-2_a" });
    const { elector } = await follow();
    for (let renewal = 0; renewal < 5; renewal += 1) lease.put({ renewTime: `2030-01-01T00:00:0${renewal}.000000Z` });

    expect(elector.state).toMatchObject({ kind: "following", holder: "cp-2_a" });
    expect(lines).toEqual(["INFO: Not elected leader, going back to sleep.\n"]);
  });

  it("loses the lead in the very event that names another holder", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    const { elector } = await follow();

    lease.put({ holderIdentity: "cp-2_a", leaseTransitions: 1 });

    expect(elector.state.kind).toBe("following");
    expect(states.map(({ kind }) => kind)).toEqual(["leading", "following"]);
  });

  it("starts a new term where the host's controller manager was restarted", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    await follow();

    lease.put({ holderIdentity: "cp-1_b", leaseTransitions: 1 });

    expect(states).toMatchObject([{ term: "cp-1_a/0" }, { term: "cp-1_b/1" }]);
  });

  it.each([
    ["is missing", (): void => lease.remove(), "there is no Lease kube-system/kube-controller-manager"],
    ["is held by nobody", (): void => void lease.put({ holderIdentity: "" }), "nobody holds the Lease"],
  ])("does not lead, with one error, where the Lease %s", async (_, arrange, reason) => {
    lease.put({ holderIdentity: "cp-1_a" });
    const { elector } = await follow();
    lines.length = 0;

    arrange();
    arrange();

    expect(elector.state).toMatchObject({ kind: "following", holder: undefined });
    expect(lines.filter((line) => line.startsWith("ERR:"))).toHaveLength(1);
    expect(lines[0]).toContain(reason);
    expect(lines).toContain("INFO: Not elected leader, going back to sleep.\n");
  });

  it("leads once the Lease appears", async () => {
    const { elector } = await follow();
    expect(elector.state.kind).toBe("following");

    lease.put({ holderIdentity: "cp-1_a" });

    expect(elector.state.kind).toBe("leading");
  });

  it("keeps leading where the holder no longer renews, and asks once a minute at most", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    const { elector } = await follow();

    await clock.advance(10 * 60_000);

    expect(elector.state.kind).toBe("leading");
    expect(lease.requests.get).toBeLessThanOrEqual(11);
  });

  it("asks nothing while the holder renews", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    await follow();

    for (let renewal = 0; renewal < 60; renewal += 1) {
      await clock.advance(2000);
      lease.put({});
    }

    expect(lease.requests).toEqual({ get: 0, create: 0, update: 0 });
  });

  it("is out before anybody can take the Lease where watch and API server are silent", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    const { elector } = await follow();
    lease.failure = new KeelsonError("Unreachable", "connection refused");
    lease.tell({ kind: "unavailable", why: "connection refused" });
    expect(elector.state.kind).toBe("leading");

    await clock.advance(14_000);

    expect(elector.state.kind).toBe("unknown");
    expect(lines.at(-1)).toContain("WRN: == Not the leader: the Lease");
  });

  it("finds out by asking where the watch hangs", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    const { elector } = await follow();
    lease.stored = { ...lease.stored!, holderIdentity: "cp-2_b", resourceVersion: "99" };

    await clock.advance(10_000);

    expect(elector.state).toMatchObject({ kind: "following", holder: "cp-2_b" });
  });

  it("leads again once the Lease can be read again", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    const { elector } = await follow();
    lease.failure = new KeelsonError("Unreachable", "connection refused");
    await clock.advance(20_000);
    expect(elector.state.kind).toBe("unknown");

    lease.failure = undefined;
    await clock.advance(10_000);

    expect(elector.state.kind).toBe("leading");
  });

  it("prefers what the watch told to the answer of an earlier question", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    const answers: ((value: undefined) => void)[] = [];
    const late = lease.stored;
    lease.get = () => new Promise((resolve) => answers.push(() => resolve(late)));
    const { elector } = await follow();
    await clock.advance(10_000);
    expect(answers).toHaveLength(1);

    lease.put({ holderIdentity: "cp-2_a" });
    answers[0]?.(undefined);
    await clock.advance(0);

    expect(elector.state).toMatchObject({ kind: "following", holder: "cp-2_a" });
  });

  it("stops without waiting, and no longer leads", async () => {
    lease.put({ holderIdentity: "cp-1_a" });
    const { elector, ended } = await follow();

    stop.abort();
    await ended;

    expect(elector.state).toEqual({ kind: "unknown", reason: "stopped" });
    expect(clock.pending).toBe(0);
  });
});
