import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "../../http/index.ts";
import { Timeline } from "./timeline.ts";

function entry(key: string, reason: string = "drift"): Omit<TimelineEntry, "id"> {
  const at = "2026-11-30T08:00:00.000Z";
  return { at, key, kind: "drift", outcome: "configured", reason, authors: [], changes: [] };
}

describe("Timeline", () => {
  it("tells the newest first, of one object or of all", () => {
    const timeline = new Timeline();
    for (const key of ["a", "b", "a"]) timeline.add(entry(key));

    expect(timeline.newest(10).map(({ id }) => id)).toEqual([3, 2, 1]);
    expect(timeline.newest(10, "a").map(({ id }) => id)).toEqual([3, 1]);
    expect(timeline.newest(1, "a").map(({ id }) => id)).toEqual([3]);
  });

  it("keeps two thousand entries", () => {
    const timeline = new Timeline();
    for (let at = 0; at < 2500; at += 1) timeline.add(entry("a"));

    const kept = timeline.newest(5000);

    expect(kept).toHaveLength(2000);
    expect(kept.at(-1)?.id).toBe(501);
  });

  it("keeps two megabytes, however large an entry is", () => {
    const timeline = new Timeline();
    for (let at = 0; at < 100; at += 1) timeline.add(entry("a", "x".repeat(100_000)));

    const kept = timeline.newest(5000);

    expect(kept.length).toBeLessThan(22);
    expect(kept[0]?.id).toBe(100);
  });
});
