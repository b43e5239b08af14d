import { describe, expect, test } from "vitest";
import { ManualClock } from "../async/index.ts";
import { TokenBuckets } from "./token-bucket.ts";

describe("TokenBuckets", () => {
  test("allows a burst and then one per refill, for each key", async () => {
    const clock = new ManualClock();
    const buckets = new TokenBuckets({ burst: 2, refillMs: 1_000, maxKeys: 10, clock });

    const burst = [buckets.take("a"), buckets.take("a"), buckets.take("a"), buckets.take("b")];
    await clock.advance(1_000);
    const later = [buckets.take("a"), buckets.take("a")];

    expect(burst).toEqual([true, true, false, true]);
    expect(later).toEqual([true, false]);
  });

  test("remembers a bounded number of keys, the most recently used ones", () => {
    const buckets = new TokenBuckets({ burst: 1, refillMs: 1_000, maxKeys: 2, clock: new ManualClock() });
    buckets.take("a");
    buckets.take("b");
    buckets.take("a");
    buckets.take("c");

    expect(buckets.take("a")).toBe(false);
    expect(buckets.take("b")).toBe(true);
  });
});
