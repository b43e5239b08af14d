import { describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import { BoundedCache } from "./bounded-cache.ts";

describe("BoundedCache", () => {
  it("forgets when the time is over", async () => {
    const clock = new ManualClock();
    const cache = new BoundedCache<string>(clock, 10);
    cache.set("a", "x", 1_000);
    await clock.advance(999);
    expect(cache.get("a")).toBe("x");

    await clock.advance(1);

    expect(cache.get("a")).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it("holds so many and drops the oldest", () => {
    const cache = new BoundedCache<number>(new ManualClock(), 2);
    for (const [index, key] of ["a", "b", "c"].entries()) cache.set(key, index, 1_000);

    expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.size]).toEqual([undefined, 1, 2, 2]);
  });
});
