import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { createLogger } from "../log/index.ts";
import { crashGuard } from "./crash-guard.ts";

class FakeProcess extends EventEmitter {
  readonly codes: number[] = [];
  exit(code: number): never {
    this.codes.push(code);
    // The real one does not return.
    return undefined as never;
  }
}

function guarded(graceMs = 10_000) {
  const source = new FakeProcess();
  const seen = { err: "", stops: 0 };
  const write = (text: string): void => {
    seen.err += text;
  };
  const stderr = { isTerminal: false, write };
  const guard = crashGuard({ process: source, stop: () => (seen.stops += 1), stderr, graceMs });
  return { source, seen, guard };
}

describe("crashGuard", () => {
  it.each(["uncaughtException", "unhandledRejection"])("ends a command on %s with 70 and the stack", (event) => {
    const { source, seen } = guarded();

    source.emit(event, new TypeError("x is undefined"));

    expect(source.codes).toEqual([70]);
    expect(seen.err).toContain("keelson: unforeseen error: x is undefined\n");
    expect(seen.err).toContain("crash-guard.test.ts");
  });

  it("takes anything that was thrown", () => {
    const { source, seen } = guarded();

    source.emit("unhandledRejection", "just text");

    expect(seen.err).toContain("unforeseen error: just text");
  });

  it("logs in the daemon, and stops it in good order", () => {
    const { source, seen, guard } = guarded();
    const lines: string[] = [];
    guard.becomeDaemon(createLogger({ sink: { write: (line) => lines.push(line) > 0, close: () => {} } }));
    expect(guard.crashed).toBe(false);

    source.emit("uncaughtException", new TypeError("first"));
    source.emit("unhandledRejection", new TypeError("second"));

    expect(guard.crashed).toBe(true);
    expect(seen.stops).toBe(1);
    expect(source.codes).toEqual([]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^ERR: == unforeseen error: first error=.*crash-guard\.test\.ts/);
    expect(lines[1]).toMatch(/^ERR: == unforeseen error: second /);
  });

  it("ends a daemon whose stop hangs", async () => {
    const { source, guard } = guarded(10);
    guard.becomeDaemon(createLogger({ sink: { write: () => true, close: () => {} } }));

    source.emit("uncaughtException", new TypeError("x"));

    await expect.poll(() => source.codes).toEqual([70]);
  });
});
