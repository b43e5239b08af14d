import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { silentLogger } from "../log/index.ts";
import type { LeaseStore } from "./lease.ts";
import { LeaseHolder } from "./lease-holder.ts";
import { MemoryLease } from "./memory-lease.case.ts";

interface Instance {
  readonly elector: LeaseHolder;
  readonly stop: () => Promise<void>;
}

let clock: ManualClock;
let lease: MemoryLease;

beforeEach(() => {
  clock = new ManualClock();
  lease = new MemoryLease();
});

async function start(identity: string, own: ManualClock = clock): Promise<Instance> {
  const name = "kube-system/keelson-addon";
  const elector = new LeaseHolder({ store: lease, identity, clock: own, log: silentLogger, name });
  const controller = new AbortController();
  const ended = elector.run(controller.signal);
  await own.advance(0);
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  return { elector, stop };
}

const unreachable = new KeelsonError("Unreachable", "connection refused");

describe("LeaseHolder", () => {
  it("creates the Lease and leads", async () => {
    const { elector } = await start("a");

    expect(elector.state).toMatchObject({ kind: "leading", holder: "a" });
    expect(lease.stored).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 });
  });

  it("renews with one request every two seconds", async () => {
    const { elector } = await start("a");

    await clock.advance(20_000);

    expect(lease.requests).toEqual({ get: 1, create: 1, update: 10 });
    expect(elector.state.kind).toBe("leading");
    expect(lease.stored).toMatchObject({ renewTime: "2030-01-01T00:00:20.000000Z", leaseTransitions: 0 });
  });

  it("follows a holder that renews", async () => {
    const a = await start("a");
    const b = await start("b");

    await clock.advance(60_000);

    expect(a.elector.state.kind).toBe("leading");
    expect(b.elector.state).toMatchObject({ kind: "following", holder: "a" });
  });

  it("takes over within seconds from one that released it", async () => {
    const a = await start("a");
    const b = await start("b");

    await a.stop();
    expect(lease.stored?.holderIdentity).toBe("");
    await clock.advance(4000);

    expect(b.elector.state).toMatchObject({ kind: "leading", holder: "b" });
    expect(lease.stored?.leaseTransitions).toBe(1);
  });

  it("takes over from one that died, once the Lease has not moved for its duration", async () => {
    lease.put({ holderIdentity: "dead", leaseDurationSeconds: 15 });
    const { elector } = await start("b");

    await clock.advance(14_900);
    expect(elector.state.kind).toBe("following");
    await clock.advance(4200);

    expect(elector.state.kind).toBe("leading");
  });

  it("waits out a record with an old renewTime: clocks may differ", async () => {
    lease.put({ holderIdentity: "other", renewTime: "2001-01-01T00:00:00.000000Z" });

    const { elector } = await start("b");
    await clock.advance(10_000);

    expect(elector.state.kind).toBe("following");
  });

  it("is out after ten seconds without a renewal, before another one may take the Lease", async () => {
    const { elector } = await start("a");
    const changes: [string, number][] = [];
    elector.onChange(({ kind }) => changes.push([kind, clock.monotonic()]));

    lease.failure = unreachable;
    await clock.advance(15_000);

    expect(elector.state.kind).toBe("unknown");
    expect(changes[0]).toEqual(["unknown", 10_000]);
  });

  it("stays in the lead through a short failure", async () => {
    const { elector } = await start("a");
    const states: string[] = [];
    elector.onChange(({ kind }) => states.push(kind));

    lease.failure = unreachable;
    await clock.advance(7000);
    lease.failure = undefined;
    await clock.advance(30_000);

    expect(elector.state.kind).toBe("leading");
    expect(states).toEqual([]);
  });

  it("counts a renewal from when its request was sent", async () => {
    const { elector } = await start("a");
    const update = lease.update.bind(lease);
    lease.update = async (...parameters) => {
      const answer = await update(...parameters);
      await clock.sleep(3000);
      lease.failure = unreachable;
      return answer;
    };

    // Sent at 2 s, answered at 5 s; the next ones fail.
    await clock.advance(11_999);
    expect(elector.state.kind).toBe("leading");
    await clock.advance(1);

    expect(elector.state.kind).toBe("unknown");
  });

  it("does not lead after a long stop of the process, although no timer has fired yet", async () => {
    let stoppedFor = 0;
    const sleepy = new ManualClock();
    sleepy.monotonic = () => ManualClock.prototype.monotonic.call(sleepy) + stoppedFor;
    const { elector } = await start("a", sleepy);
    expect(elector.state.kind).toBe("leading");

    stoppedFor = 20_000;

    expect(elector.state.kind).toBe("unknown");
  });

  it("neither loses nor keeps the lead by a jump of the wall clock", async () => {
    const a = await start("a");
    const b = await start("b");
    for (const jump of [3_600_000, -7_200_000, 86_400_000]) {
      clock.jump(jump);
      await clock.advance(5000);

      expect(a.elector.state.kind).toBe("leading");
      expect(b.elector.state.kind).toBe("following");
    }
  });

  it("is out at once where another one holds the Lease", async () => {
    const { elector } = await start("a");

    lease.put({ holderIdentity: "thief", leaseTransitions: 1 });
    await clock.advance(2000);

    expect(elector.state).toMatchObject({ kind: "following", holder: "thief" });
  });

  it("stays in the lead where somebody edits the Lease without taking it", async () => {
    const { elector } = await start("a");
    const states: string[] = [];
    elector.onChange(({ kind }) => states.push(kind));

    lease.put({});
    await clock.advance(2000);

    expect(elector.state.kind).toBe("leading");
    expect(states).toEqual([]);
  });

  it("begins another term where the Lease was deleted", async () => {
    const { elector } = await start("a");
    const before = elector.state;

    lease.remove();
    await clock.advance(2000);

    expect(elector.state.kind).toBe("leading");
    expect(elector.state).not.toEqual(before);
  });

  it("finds its own renewal where the answer was lost", async () => {
    const { elector } = await start("a");
    const states: string[] = [];
    elector.onChange(({ kind }) => states.push(kind));

    lease.losesAnswers = true;
    await clock.advance(5000);
    lease.losesAnswers = false;
    await clock.advance(30_000);

    expect(states).toEqual([]);
  });

  it("releases the Lease although the stop cut off a renewal", async () => {
    const { stop } = await start("a");
    lease.put({ renewTime: "2030-01-01T00:00:09.000000Z" });

    await stop();

    expect(lease.stored).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  });

  it("does not release what another one holds", async () => {
    const { stop } = await start("a");
    lease.put({ holderIdentity: "b" });

    await stop();

    expect(lease.stored?.holderIdentity).toBe("b");
  });

  it("never has two leaders, whoever is cut off for however long", async () => {
    const parties = [0, 1, 2].map((index) => new Party(`i${index}`, lease));
    await Promise.all(parties.map(({ own }) => own.advance(0)));
    const random = randomFrom(7);
    const led = new Set<string>();
    for (let step = 0; step < 1500; step += 1) {
      for (const party of parties) {
        if (random() < 0.03) party.cut = !party.cut;
        party.losesAnswers = random() < 0.2;
        if (random() < 0.1) party.own.jump((random() - 0.5) * 1e8);
        await party.own.advance(500);
      }
      const leaders = parties.filter(({ elector }) => elector.state.kind === "leading");

      expect(leaders.length).toBeLessThanOrEqual(1);
      for (const { elector } of leaders) if (elector.state.kind === "leading") led.add(elector.state.term);
    }
    expect(led.size).toBeGreaterThan(5);
  });
});

/** An instance with a clock and a network of its own. */
class Party {
  readonly own: ManualClock = new ManualClock();
  readonly elector: LeaseHolder;
  cut = false;
  losesAnswers = false;

  constructor(identity: string, shared: MemoryLease) {
    const through = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.cut) throw unreachable;
      const answer = await work();
      if (this.losesAnswers) throw unreachable;
      return answer;
    };
    const store: LeaseStore = {
      get: (signal) => through(() => shared.get(signal)),
      create: (created, signal) => through(() => shared.create(created, signal)),
      update: (updated, version, signal) => through(() => shared.update(updated, version, signal)),
    };
    this.elector = new LeaseHolder({ store, identity, clock: this.own, log: silentLogger, name: "l" });
    void this.elector.run(new AbortController().signal);
  }
}

function randomFrom(first: number): () => number {
  let seed = first;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}
