import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Clock, ManualClock, Watchdog } from "../async/index.ts";
import { DirectorySource } from "./directory-source.ts";
import { useSourceBed } from "./source-bed.case.ts";

const bed = useSourceBed();

/** A clock that loses timers once it is told to: what waits then waits for ever. */
class LossyClock extends ManualClock implements Clock {
  isLossy = false;

  override after(ms: number, callback: () => void): () => void {
    return super.after(ms, () => {
      if (!this.isLossy) callback();
    });
  }
}

describe("a directory's reader", () => {
  it("is stuck once its loop no longer goes round, and was not before", async () => {
    const clock = new LossyClock();
    const ticking = new ManualClock();
    const watchdog = new Watchdog(ticking);
    watchdog.run(bed.signal).catch(() => {});
    const both = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 5_000) {
        await clock.advance(5_000);
        await ticking.advance(5_000);
      }
    };
    writeFileSync(join(bed.path, "a.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n");
    const source = new DirectorySource({ root: bed.path, clock, heart: watchdog.heart("source") });
    const snapshots: number[] = [];
    const listener = { onSnapshot: () => snapshots.push(1), onWarning: () => {} };
    const watching = source.watch(listener, bed.signal);
    await both(15 * 60_000);
    expect(snapshots).toHaveLength(1);
    expect(watchdog.loops()).toEqual([{ name: "source", stuck: undefined }]);

    clock.isLossy = true;
    await both(5 * 60_000);

    expect(watchdog.loops()).toEqual([{ name: "source", stuck: "waiting for changes, for too long" }]);
    bed.abort();
    await watching;
    expect(watchdog.loops()).toEqual([]);
  });
});
