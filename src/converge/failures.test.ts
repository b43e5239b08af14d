import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import { type ErrorCode, KeelsonError } from "../errors/index.ts";
import { Failures } from "./failures.ts";
import { requeueAfter } from "./requeue.ts";
import { digest, live } from "./samples.case.ts";

const failed = (code: ErrorCode = "Invalid"): KeelsonError => new KeelsonError(code, "no");

describe("Failures", () => {
  let clock: ManualClock;
  let failures: Failures;
  const at = { digest: digest(1), live: live({}), atLeastMs: 0 };
  beforeEach(() => {
    clock = new ManualClock();
    failures = new Failures(clock);
  });

  it("backs off from about a second, doubling, to five minutes at most", () => {
    const delays = Array.from({ length: 12 }, () => failures.note("a", failed(), at));

    // Jitter takes up to a fifth off; the manual clock's is the middle, a tenth.
    expect(delays.slice(0, 5)).toEqual([900, 1_800, 3_600, 7_200, 14_400]);
    expect(Math.max(...delays)).toBe(270_000);
  });

  it("waits at least as long as the server asks", () => {
    expect(failures.note("a", failed(), { ...at, atLeastMs: 30_000 })).toBe(30_000);
  });

  it("does not try again by itself where only a change can help", async () => {
    expect(failures.note("a", failed(), { ...at, atLeastMs: Number.POSITIVE_INFINITY })).toBe(Number.POSITIVE_INFINITY);
    await clock.advance(24 * 3_600_000);

    expect(failures.mustWait("a", at.digest, at.live)).toBe(true);
    expect(failures.waitOf("a")).toBe(Number.POSITIVE_INFINITY);
  });

  it("tries a conflict three times within moments, then backs off", () => {
    const delays = Array.from({ length: 5 }, () => failures.note("a", failed("Conflict"), { ...at, quickMs: 20 }));

    expect(delays).toEqual([20, 40, 60, 900, 1_800]);
  });

  it("tells quick tries from those that are news", () => {
    for (const isQuick of [true, true, true, false]) {
      failures.note("a", failed("Conflict"), { ...at, quickMs: 20 });
      expect(failures.isQuick("a")).toBe(isQuick);
    }
    expect(failures.isQuick("b")).toBe(false);
  });

  it("lets an object be tried when its time has come", async () => {
    failures.note("a", failed(), at);
    expect(failures.mustWait("a", at.digest, at.live)).toBe(true);
    expect(failures.waitOf("a")).toBe(900);

    await clock.advance(900);

    expect(failures.mustWait("a", at.digest, at.live)).toBe(false);
    expect(failures.waitOf("a")).toBe(0);
  });

  it.each([
    { name: "another file", desired: digest(2), record: live({}) },
    { name: "another owned value", desired: digest(1), record: live({}, { valueHash: "other" }) },
    { name: "another owned set", desired: digest(1), record: live({}, { setHash: "other" }) },
    { name: "another object", desired: digest(1), record: live({}, { uid: "other" }) },
    { name: "that it is being deleted", desired: digest(1), record: live({}, { terminating: [] }) },
    { name: "its absence", desired: digest(1), record: undefined },
  ])("lets an object be tried at once on $name", ({ desired, record }) => {
    failures.note("a", failed(), at);

    expect(failures.mustWait("a", desired, record)).toBe(false);
  });

  it("waits on although a status write moved the object", () => {
    failures.note("a", failed(), at);

    expect(failures.mustWait("a", at.digest, live({}, { resourceVersion: "99" }))).toBe(true);
  });

  it("keeps the first failure's time and starts over after a success", async () => {
    const start = clock.now();
    failures.note("a", failed(), at);
    await clock.advance(5_000);
    failures.note("a", failed(), at);
    expect(failures.get("a")).toMatchObject({ count: 2, since: start });

    expect(failures.clear("a")).toMatchObject({ count: 2 });
    expect(failures.note("a", failed(), at)).toBe(900);

    expect(failures.get("a")).toMatchObject({ count: 1, since: start + 5_000 });
  });

  it("keeps objects apart", () => {
    failures.note("a", failed(), at);

    expect(failures.mustWait("b", at.digest, at.live)).toBe(false);
    expect([...failures.all.keys()]).toEqual(["a"]);
  });
});

describe("requeueAfter", () => {
  it.each<{ codes: readonly ErrorCode[]; kind: string }>([
    { kind: "stopped", codes: ["Aborted", "NotLeader", "AnotherInstance"] },
    { kind: "when-reachable", codes: ["Unreachable"] },
    { kind: "look-again", codes: ["Conflict"] },
    { kind: "on-change", codes: ["SchemaError", "Immutable", "Refused", "InvalidManifest"] },
    {
      kind: "back-off",
      codes: [
        "Invalid",
        "BadRequest",
        "Forbidden",
        "Unauthorized",
        "NotFound",
        "NoMatch",
        "NamespaceNotFound",
        "NamespaceTerminating",
        "AlreadyExists",
        "TrackingUnreliable",
        "TooManyRequests",
        "ServerError",
        "Timeout",
        "Internal",
      ],
    },
  ])("is $kind for $codes", ({ codes, kind }) => {
    for (const code of codes) expect([code, requeueAfter(failed(code)).kind]).toEqual([code, kind]);
  });

  it("passes the server's Retry-After on", () => {
    const error = new KeelsonError("TooManyRequests", "slow down", { retryAfterMs: 7_000 });

    expect(requeueAfter(error)).toEqual({ kind: "back-off", atLeastMs: 7_000 });
  });
});
