import { describe, expect, it } from "vitest";
import { ManualClock } from "../../async/index.ts";
import type { PausedUntil } from "../../converge/index.ts";
import { silentLogger } from "../../log/index.ts";
import type { Pause, PauseTarget } from "./control.ts";
import { Pauses, pausedUntil } from "./pauses.ts";

const ref = { group: "", kind: "ConfigMap", namespace: "default", name: "a" };
const OBJECT: PauseTarget = { kind: "object", ref };
const FILE: PauseTarget = { kind: "file", file: "a.yaml" };

function bed() {
  const clock = new ManualClock();
  const told: (PausedUntil | undefined)[] = [];
  const changes: string[] = [];
  const pauses = new Pauses({
    engine: { setPauses: (until) => told.push(until) },
    clock,
    log: silentLogger,
    onChange: ({ kind, pause }) => changes.push(`${kind} ${pause.target.kind}`),
  });
  const pause = (target: PauseTarget, forMs: number): Pause => ({
    target,
    until: clock.now() + forMs,
    by: "alice",
    at: clock.now(),
    reason: undefined,
  });
  return { clock, told, changes, pauses, pause };
}

describe("Pauses", () => {
  it("end with their time, without anybody's word", async () => {
    const { clock, told, changes, pauses, pause } = bed();

    pauses.set([pause(OBJECT, 1_000), pause(FILE, 5_000)]);
    await clock.advance(1_000);
    expect(pauses.current.map(({ target }) => target)).toEqual([FILE]);
    await clock.advance(4_000);

    expect(changes).toEqual(["began object", "began file", "over object", "over file"]);
    expect(told.at(-1)).toBeUndefined();
  });

  it("end where they are taken back, and count for nothing where they are over", () => {
    const { changes, pauses, pause } = bed();

    pauses.set([pause(OBJECT, 1_000), pause(FILE, -1)]);
    pauses.set([]);

    expect(changes).toEqual(["began object", "ended object"]);
  });

  it("say nothing again for what is unchanged", () => {
    const { changes, pauses, pause } = bed();
    const same = pause(OBJECT, 1_000);

    pauses.set([same]);
    pauses.set([same]);

    expect(changes).toEqual(["began object"]);
  });
});

describe("pausedUntil", () => {
  it("finds an object by itself and by its file; the later end counts", () => {
    const { pause } = bed();
    const [short, long] = [pause(OBJECT, 1_000), pause(FILE, 2_000)];
    const until = pausedUntil([short, long]);

    expect(until(ref, undefined)).toBe(short.until);
    expect(until(ref, "a.yaml")).toBe(long.until);
    expect(until({ ...ref, name: "b" }, "a.yaml")).toBe(long.until);
    expect(until({ ...ref, name: "b" }, "b.yaml")).toBeUndefined();
  });
});
