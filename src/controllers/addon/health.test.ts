import { describe, expect, it } from "vitest";
import { type HealthInput, healthComponents } from "./health.ts";

const HEALTHY: HealthInput = {
  engine: { isReachable: true, isSynced: true },
  waitingFor: "nothing",
  isAnswering: true,
  source: { kind: "read" },
  leader: { kind: "leading", holder: "cp-1", term: "1" },
};

const failing = (change: Partial<HealthInput>): readonly string[] =>
  healthComponents({ ...HEALTHY, ...change })
    .filter(({ ok }) => !ok)
    .map(({ name, message }) => `${name}: ${message}`);

describe("health", () => {
  it("is good where everything is, and for a follower", () => {
    expect(failing({})).toEqual([]);
    expect(failing({ leader: { kind: "following", holder: "cp-2", reason: "cp-2 holds it" } })).toEqual([]);
    expect(failing({ isAnswering: undefined })).toEqual([]);
  });

  it.each([
    [
      "the start-up waits",
      { engine: undefined, waitingFor: "the account" },
      ["api: waiting for the account", "caches: not synced"],
    ],
    ["a failed write", { engine: { isReachable: false, isSynced: true } }, ["api: unreachable"]],
    ["a watch that finds no server", { isAnswering: false }, ["api: unreachable"]],
    [
      "watches that have not told everything",
      { engine: { isReachable: true, isSynced: false } },
      ["caches: not synced"],
    ],
    ["a directory not read yet", { source: undefined }, ["source: not read yet"]],
    [
      "a directory that is gone",
      { source: { kind: "missing", error: "ENOENT", message: "is missing" } },
      ["source: is missing"],
    ],
    [
      "an unknown leader",
      { leader: { kind: "unknown", reason: "the Lease cannot be read" } },
      ["leader: the Lease cannot be read"],
    ],
  ] as const)("tells %s", (_, change, expected) => {
    expect(failing(change as Partial<HealthInput>)).toEqual(expected);
  });
});
