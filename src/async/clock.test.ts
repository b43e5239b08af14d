import { describe, expect, it } from "vitest";
import { systemClock } from "./clock.ts";

/** How late a timer rings, in milliseconds; negative where it rings early. */
function lateness(ms: number): Promise<number> {
  const due = systemClock.monotonic() + ms;
  return new Promise((resolve) => {
    systemClock.after(ms, () => resolve(systemClock.monotonic() - due));
  });
}

describe("systemClock", () => {
  it("never rings before its time, whatever the fraction of a millisecond", async () => {
    const waits = Array.from({ length: 300 }, (_, index) => 1 + (index % 30) / 7);

    const all: number[] = [];
    for (const ms of waits) all.push(await lateness(ms));

    expect(Math.min(...all)).toBeGreaterThanOrEqual(0);
  });

  it("does not ring where it was cancelled", async () => {
    const rung: string[] = [];
    const cancel = systemClock.after(1, () => rung.push("cancelled"));
    systemClock.after(2, () => rung.push("kept"));
    cancel();

    await lateness(5);

    expect(rung).toEqual(["kept"]);
  });
});
