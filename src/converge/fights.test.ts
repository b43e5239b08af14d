import { describe, expect, it } from "vitest";
import type { DriftedField } from "../object/index.ts";
import { FIGHT_MEMORY_MS, FightDetector } from "./fights.ts";

const MINUTE = 60_000;

function changed(path: string, manager?: string): DriftedField {
  const owner = manager === undefined ? {} : { owner: { manager, operation: "Update", subresource: "" } as const };
  return { path, kind: "changed", desired: 1, live: 2, ...owner };
}

/** Notes `times` repairs of one field, a minute apart, and returns the last answer. */
function noteOften(detector: FightDetector, fields: readonly DriftedField[], times: number) {
  let last: ReturnType<FightDetector["note"]>;
  for (let n = 0; n < times; n += 1) last = detector.note("a", fields, n * MINUTE);
  return last;
}

describe("FightDetector", () => {
  it.each([
    { repairs: 4, delayMs: 0 },
    { repairs: 5, delayMs: 1_000 },
    { repairs: 6, delayMs: 2_000 },
    { repairs: 9, delayMs: 16_000 },
  ])("backs off $delayMs ms after $repairs repairs against one manager", ({ repairs, delayMs }) => {
    const fight = noteOften(new FightDetector(), [changed("spec.replicas", "hpa")], repairs);

    expect(fight).toMatchObject({ manager: "hpa", path: "spec.replicas", count: repairs, delayMs });
  });

  it("backs off ten minutes at most, and stays there", () => {
    const detector = new FightDetector();
    let now = 0;
    let longest = 0;

    for (let n = 0; n < 30; n += 1) {
      const delayMs = detector.note("a", [changed("spec.replicas", "hpa")], now)?.delayMs ?? 0;
      longest = Math.max(longest, delayMs);
      // The other manager answers at once, and the repair after that comes as late as it may.
      now += delayMs + 5;
    }

    expect(longest).toBe(10 * MINUTE);
    expect(detector.note("a", [changed("spec.replicas", "hpa")], now)?.delayMs).toBe(10 * MINUTE);
  });

  it("begins anew where a field was left alone for ten minutes", () => {
    const detector = new FightDetector();
    noteOften(detector, [changed("spec.replicas", "hpa")], 4);

    const later = 3 * MINUTE + FIGHT_MEMORY_MS;

    expect(detector.note("a", [changed("spec.replicas", "hpa")], later)?.count).toBe(5);
    expect(detector.note("a", [changed("spec.replicas", "hpa")], later + 1_000 + FIGHT_MEMORY_MS + 1)?.count).toBe(1);
  });

  it.each([
    { name: "another manager", next: changed("spec.replicas", "kubectl-edit") },
    { name: "another field", next: changed("spec.paused", "hpa") },
  ])("does not count $name in", ({ next }) => {
    const detector = new FightDetector();
    noteOften(detector, [changed("spec.replicas", "hpa")], 4);

    expect(detector.note("a", [next], 4 * MINUTE)).toMatchObject({ count: 1, delayMs: 0 });
  });

  it("needs the repairs of a field in a row", () => {
    const detector = new FightDetector();
    noteOften(detector, [changed("spec.replicas", "hpa")], 4);
    detector.note("a", [changed("spec.paused", "hpa")], 4 * MINUTE);

    expect(detector.note("a", [changed("spec.replicas", "hpa")], 5 * MINUTE)?.count).toBe(1);
  });

  it("names the worst of several fields", () => {
    const detector = new FightDetector();
    noteOften(detector, [changed("spec.replicas", "hpa")], 5);

    const fight = detector.note("a", [changed("spec.new", "x"), changed("spec.replicas", "hpa")], 5 * MINUTE);

    expect(fight).toMatchObject({ manager: "hpa", path: "spec.replicas", count: 6 });
  });

  it("calls an object noisy that moves three times without a field or a manager to show for it", () => {
    expect(noteOften(new FightDetector(), [], 2)?.delayMs).toBe(0);
    expect(noteOften(new FightDetector(), [], 3)).toMatchObject({ manager: "unknown", delayMs: 1_000 });
    expect(noteOften(new FightDetector(), [changed("spec.a")], 3)).toMatchObject({ path: "spec.a", delayMs: 1_000 });
  });

  it("keeps objects apart and forgets one that is told to be over", () => {
    const detector = new FightDetector();
    noteOften(detector, [changed("spec.replicas", "hpa")], 4);

    expect(detector.note("b", [changed("spec.replicas", "hpa")], 4 * MINUTE)?.count).toBe(1);
    detector.forget("a");
    expect(detector.note("a", [changed("spec.replicas", "hpa")], 4 * MINUTE)?.count).toBe(1);
  });
});
