import { describe, expect, it } from "vitest";
import { KeelsonError } from "../errors/index.ts";
import { abortError, Backoff, linkedController, ManualClock, Signal, waitFor } from "./index.ts";

describe("back-off", () => {
  it("doubles up to its limit, less the jitter, and starts over when reset", () => {
    const backoff = new Backoff({ baseMs: 100, maxMs: 350, jitter: 0 }, new ManualClock());

    const delays = [backoff.next(), backoff.next(), backoff.next(), backoff.next()];
    backoff.reset();

    expect([...delays, backoff.next()]).toEqual([100, 200, 350, 350, 100]);
  });

  it("takes off at most the jitter's share", () => {
    // The manual clock's random number is always one half.
    const backoff = new Backoff({ baseMs: 100, maxMs: 100, jitter: 0.2 }, new ManualClock());

    expect(backoff.next()).toBe(90);
  });
});

describe("the manual clock", () => {
  it("fires timers in the order of their time, and only when moved", async () => {
    const clock = new ManualClock();
    const fired: string[] = [];
    clock.after(20, () => fired.push("b"));
    clock.after(10, () => fired.push("a"));
    const cancel = clock.after(15, () => fired.push("never"));
    cancel();

    await clock.advance(19);
    expect(fired).toEqual(["a"]);
    await clock.advance(1);

    expect(fired).toEqual(["a", "b"]);
  });

  it("lets the wall clock jump without touching durations", () => {
    const clock = new ManualClock(1_000);

    clock.jump(-500);

    expect([clock.now(), clock.monotonic()]).toEqual([500, 0]);
  });

  it("ends a sleep with the reason of the abort, and leaves no timer", async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const asleep = clock.sleep(1_000, stop.signal);

    stop.abort(new KeelsonError("NotLeader", "leadership lost"));

    await expect(asleep).rejects.toMatchObject({ code: "NotLeader" });
    expect(clock.pending).toBe(0);
  });
});

describe("a signal", () => {
  it("ends the next wait where it was notified before, once", async () => {
    const signal = new Signal();
    signal.notify();
    signal.notify();
    await signal.wait();

    let isOver = false;
    void signal.wait().then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
  });
});

describe("aborts", () => {
  it("keep a reason of ours and wrap any other", () => {
    const ours = new KeelsonError("NotLeader", "x");

    expect(abortError(AbortSignal.abort(ours))).toBe(ours);
    expect(abortError(AbortSignal.abort("why"))).toMatchObject({ code: "Aborted", cause: "why" });
  });

  it("end a wait at once while the work goes on", async () => {
    const stop = new AbortController();
    const waiting = waitFor(new Promise(() => {}), stop.signal);

    stop.abort();

    await expect(waiting).rejects.toMatchObject({ code: "Aborted" });
  });

  it("pass from a parent to a linked controller until it is unlinked", () => {
    const parent = new AbortController();
    const linked = linkedController(parent.signal);
    const unlinked = linkedController(parent.signal);
    unlinked.unlink();

    parent.abort();

    expect([linked.controller.signal.aborted, unlinked.controller.signal.aborted]).toEqual([true, false]);
  });
});
