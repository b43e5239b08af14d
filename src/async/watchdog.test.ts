import { describe, expect, it } from "vitest";
import { ManualClock } from "./manual-clock.ts";
import { type LoopState, Watchdog } from "./watchdog.ts";

async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) await clock.advance(1_000);
}

function start(): { clock: ManualClock; watchdog: Watchdog; told: LoopState[] } {
  const clock = new ManualClock();
  const told: LoopState[] = [];
  const watchdog = new Watchdog(clock, (loop) => told.push(loop));
  watchdog.run(new AbortController().signal).catch(() => {});
  return { clock, watchdog, told };
}

describe("Watchdog", () => {
  it("finds a loop that does not go on within its time, and tells it once", async () => {
    const { clock, watchdog, told } = start();
    const heart = watchdog.heart("source");
    heart.expect("reading", 20_000);
    await pass(clock, 19_000);
    expect(watchdog.loops()).toEqual([{ name: "source", stuck: undefined }]);

    await pass(clock, 40_000);

    const stuck = { name: "source", stuck: "reading, for too long" };
    expect(watchdog.loops()).toEqual([stuck]);
    expect(told).toEqual([stuck]);
  });

  it("is content with a loop that goes on again and again", async () => {
    const { clock, watchdog, told } = start();
    const heart = watchdog.heart("passes");
    for (let turn = 0; turn < 20; turn++) {
      heart.expect("a pass", 10_000);
      await pass(clock, 9_000);
    }

    expect(watchdog.loops()).toEqual([{ name: "passes", stuck: undefined }]);
    expect(told).toEqual([]);
  });

  it("lets a loop rest for ever", async () => {
    const { clock, watchdog } = start();
    const heart = watchdog.heart("passes");
    heart.expect("a pass", 1_000);
    heart.rest("not leading");

    await pass(clock, 600_000);

    expect(watchdog.loops()[0]?.stuck).toBeUndefined();
  });

  it("counts a loop that has ended against its will as stuck at once", () => {
    const { watchdog } = start();
    watchdog.heart("watches", "Pod").fail("ended: boom");
    watchdog.heart("watches", "Service").expect("watching", 60_000);

    expect(watchdog.loops()).toEqual([{ name: "watches", stuck: "Pod: ended: boom" }]);
  });

  it("forgets a loop that has ended as it should", () => {
    const { watchdog } = start();
    const heart = watchdog.heart("watches");
    heart.fail("boom");

    heart.stop();

    expect(watchdog.loops()).toEqual([]);
  });

  it("gives a process that was stopped for an hour the time to go on", async () => {
    const wakes: (() => void)[] = [];
    let now = 0;
    const clock = Object.assign(new ManualClock(), {
      monotonic: () => now,
      sleep: () => new Promise<void>((resolve) => wakes.push(resolve)),
    });
    const watchdog = new Watchdog(clock);
    watchdog.run(new AbortController().signal).catch(() => {});
    watchdog.heart("source").expect("waiting", 30_000);

    now = 3_600_000;
    wakes.shift()?.();
    await Promise.resolve();

    expect(watchdog.loops()[0]?.stuck).toBeUndefined();
  });
});
