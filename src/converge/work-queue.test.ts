import { describe, expect, it } from "vitest";
import { ManualClock, Watchdog } from "../async/index.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

/** How long a key waits for others whose time comes with its own. */

/** A queue whose work ends when told; keys read `<phase>:<name>`. */
function queueOf(options: Partial<WorkQueueOptions> = {}) {
  const clock = new ManualClock();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const queue = new WorkQueue({
    concurrency: 16,
    clock,
    work: (key) => {
      started.push(key);
      return new Promise((resolve) => ends.set(key, resolve));
    },
    phaseOf: (key) => Number(key.split(":")[0]),
    ...options,
  });
  const end = async (key: string): Promise<void> => {
    ends.get(key)?.();
    await clock.advance(0);
  };
  return { queue, clock, started, end };
}

describe("WorkQueue", () => {
  it("starts the lowest phase of a burst first, whatever the order of adding", async () => {
    const { queue, clock, started, end } = queueOf();

    for (const key of ["4:webhook", "2:deployment", "0:namespace", "0:crd"]) queue.add(key);
    await clock.advance(0);

    expect(started).toEqual(["0:namespace", "0:crd"]);
    await end("0:namespace");
    expect(started).toHaveLength(2);
    await end("0:crd");
    expect(started).toEqual(["0:namespace", "0:crd", "2:deployment"]);
    await end("2:deployment");
    expect(started.at(-1)).toBe("4:webhook");
  });

  it("lets a key of a lower phase overtake those that wait", async () => {
    const { queue, clock, started, end } = queueOf({ concurrency: 1 });
    queue.add("1:first");
    await clock.advance(0);

    queue.add("3:late");
    queue.add("0:urgent");
    await end("1:first");

    expect(started).toEqual(["1:first", "0:urgent"]);
  });

  it("works on no more keys at once than its concurrency", async () => {
    const { queue, clock, started, end } = queueOf({ concurrency: 2 });

    for (const key of ["1:a", "1:b", "1:c"]) queue.add(key);
    await clock.advance(0);

    expect(started).toEqual(["1:a", "1:b"]);
    expect(queue.depth).toBe(3);
    await end("1:a");
    expect(started).toEqual(["1:a", "1:b", "1:c"]);
  });

  it("holds higher phases back for its patience and no longer", async () => {
    const { queue, clock, started } = queueOf({ patienceMs: 3_000 });
    queue.add("0:hangs");
    await clock.advance(0);

    queue.add("2:next");
    await clock.advance(2_999);
    expect(started).toEqual(["0:hangs"]);
    await clock.advance(1);

    expect(started).toEqual(["0:hangs", "2:next"]);
  });

  it("has one place in the queue for a key that is added twice", async () => {
    const { queue, clock, started, end } = queueOf({ concurrency: 1 });
    queue.add("1:busy");
    await clock.advance(0);

    queue.add("1:a");
    queue.add("1:a");
    await end("1:busy");
    await end("1:a");

    expect(started).toEqual(["1:busy", "1:a"]);
    expect(queue.isIdle).toBe(true);
  });

  it("works again on a key that was added while at work, and never twice at once", async () => {
    const { queue, clock, started, end } = queueOf();
    queue.add("1:a");
    await clock.advance(0);

    queue.add("1:a");
    queue.add("1:a");
    await clock.advance(0);
    expect(started).toEqual(["1:a"]);
    await end("1:a");
    expect(started).toEqual(["1:a", "1:a"]);
    await end("1:a");

    expect(started).toHaveLength(2);
  });

  it("starts a delayed key when its time has come", async () => {
    const { queue, clock, started } = queueOf();

    queue.add("1:a", 500);
    await clock.advance(499);
    expect(started).toEqual([]);
    expect([...queue.delayed]).toEqual(["1:a"]);
    await clock.advance(1);

    expect(started).toEqual(["1:a"]);
  });

  it.each([
    { name: "an earlier request brings it forward", delays: [500, 100], at: 100 },
    { name: "a later request does not put it off", delays: [100, 500], at: 100 },
    { name: "a request without delay starts it at once", delays: [500, 0], at: 0 },
  ])("counts the earlier of two delays: $name", async ({ delays, at }) => {
    const { queue, clock, started } = queueOf();

    for (const delay of delays) queue.add("1:a", delay);
    if (at > 0) {
      await clock.advance(at - 1);
      expect(started).toEqual([]);
    }
    await clock.advance(at === 0 ? 0 : 1);
    expect(started).toEqual(["1:a"]);
    await clock.advance(1_000);

    expect(started).toEqual(["1:a"]);
  });

  it("starts keys whose times have come together in their phases, whatever the order of adding", async () => {
    const { queue, clock, started } = queueOf();
    const at = clock.monotonic() + 500;

    for (const key of ["9:namespace", "7:deployment", "5:webhook"]) {
      queue.add(key, at);
      await clock.advance(0.1);
    }
    await clock.advance(600);

    expect(started).toEqual(["5:webhook"]);
  });

  it("starts each of several delayed keys in its time", async () => {
    const { queue, clock, started } = queueOf();

    queue.add("1:c", 300);
    queue.add("1:a", 100);
    queue.add("1:b", 200);
    const seen: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await clock.advance(100);
      seen.push(started.length);
    }

    expect(started).toEqual(["1:a", "1:b", "1:c"]);
    expect(seen).toEqual([1, 2, 3]);
  });

  it("starts nothing while paused, and everything when resumed", async () => {
    const { queue, clock, started } = queueOf();
    queue.pause();

    queue.add("1:a");
    await clock.advance(1_000);
    expect(started).toEqual([]);
    queue.resume();

    expect(started).toEqual(["1:a"]);
  });

  it("is idle when nothing is ready or at work, delayed keys or not", async () => {
    const { queue, clock, end } = queueOf();
    let isIdle = false;
    queue.add("1:a");
    queue.add("1:later", 10_000);
    void queue.whenIdle().then(() => {
      isIdle = true;
    });

    await clock.advance(0);
    expect(isIdle).toBe(false);
    await end("1:a");

    expect(isIdle).toBe(true);
  });

  it("is not idle between adding and starting", async () => {
    const { queue, clock } = queueOf();
    let isIdle = false;

    queue.add("1:a");
    void queue.whenIdle().then(() => {
      isIdle = true;
    });
    await clock.advance(0);

    expect(isIdle).toBe(false);
  });

  it("drops what waits when cleared, also the second turn of a key at work", async () => {
    const { queue, clock, started, end } = queueOf({ concurrency: 1 });
    queue.add("1:a");
    await clock.advance(0);
    queue.add("1:a");
    queue.add("1:b");
    queue.add("1:c", 100);

    queue.clear();
    await end("1:a");
    await clock.advance(1_000);

    expect(started).toEqual(["1:a"]);
    expect(queue.isIdle).toBe(true);
  });

  it("takes work again after it was cleared, none after it was closed", async () => {
    const { queue, clock, started } = queueOf();
    queue.clear();
    queue.add("1:a");
    await clock.advance(0);
    expect(started).toEqual(["1:a"]);

    queue.close();
    queue.add("1:b");
    queue.add("1:c", 10);
    await clock.advance(1_000);

    expect(started).toEqual(["1:a"]);
    expect(clock.pending).toBe(0);
  });

  it("leaves no timer when closed while a phase is held back", async () => {
    const { queue, clock } = queueOf();
    queue.add("0:hangs");
    await clock.advance(0);
    queue.add("2:next");
    await clock.advance(0);

    queue.close();

    expect(clock.pending).toBe(0);
  });

  it("is stuck where one key is worked on for ever, whatever else goes on", async () => {
    const ticking = new ManualClock();
    const watchdog = new Watchdog(ticking);
    watchdog.run(new AbortController().signal).catch(() => {});
    const { queue, clock, end } = queueOf({ heart: watchdog.heart("worker") });
    const both = async (ms: number): Promise<void> => {
      await clock.advance(ms);
      await ticking.advance(ms);
    };
    queue.add("0:hangs");
    for (let minute = 0; minute < 14; minute++) {
      queue.add(`0:fine-${minute}`);
      await both(60_000);
      await end(`0:fine-${minute}`);
    }
    expect(watchdog.loops()).toEqual([{ name: "worker", stuck: undefined }]);

    await both(2 * 60_000);

    expect(watchdog.loops()).toEqual([{ name: "worker", stuck: "0:hangs, for too long" }]);
    await end("0:hangs");
    expect(watchdog.loops()).toEqual([{ name: "worker", stuck: undefined }]);
  });
});
