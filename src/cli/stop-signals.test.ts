import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { stopSignals } from "./stop-signals.ts";

class Exit {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
}

/** A process that throws where it would exit. */
class FakeProcess extends EventEmitter {
  exit(code: number): never {
    throw new Exit(code);
  }
}

describe("stopSignals", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("stops in good order on the first %s", (name) => {
    const source = new FakeProcess();
    const signals = stopSignals(source);
    expect(signals.received).toBeUndefined();

    source.emit(name);

    expect(signals.signal.aborted).toBe(true);
    expect(signals.signal.reason).toMatchObject({ code: "Aborted", message: `stopped by ${name}` });
    expect(signals.received).toBe(name);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ])("ends at once on a second signal: %s", (name, code) => {
    const source = new FakeProcess();
    stopSignals(source);
    source.emit("SIGTERM");

    expect(() => source.emit(name)).toThrow(expect.objectContaining({ code }));
  });

  it("leaves SIGHUP its usual meaning until somebody listens, and afterwards", () => {
    const source = new FakeProcess();
    const signals = stopSignals(source);
    expect(source.listenerCount("SIGHUP")).toBe(0);
    let scans = 0;

    const end = signals.onRescan(() => (scans += 1));
    source.emit("SIGHUP");
    source.emit("SIGHUP");
    end();

    expect(scans).toBe(2);
    expect(source.listenerCount("SIGHUP")).toBe(0);
  });

  it("stops without a signal", () => {
    const signals = stopSignals(new FakeProcess());

    signals.stop();

    expect(signals.signal.aborted).toBe(true);
    expect(signals.received).toBeUndefined();
  });
});
