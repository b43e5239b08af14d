import { beforeEach, describe, expect, it } from "vitest";
import { ChangeLog } from "./change-log.ts";
import { createLogger } from "./logger.ts";

let lines: string[];
let said: ChangeLog;

beforeEach(() => {
  lines = [];
  said = new ChangeLog(createLogger({ sink: { write: (line) => lines.push(line) > 0, close: () => {} } }));
});

describe("ChangeLog", () => {
  it("says a thing once until it changes", () => {
    const told = ["a", "a", "b", "b", "a"].map((message) => said.report({ key: "dns.yaml", level: "error", message }));

    expect(told).toEqual([true, false, true, false, true]);
    expect(lines).toEqual(["ERR: == a ==\n", "ERR: == b ==\n", "ERR: == a ==\n"]);
  });

  it("keeps keys apart", () => {
    expect(said.report({ key: "a", level: "warn", message: "m" })).toBe(true);
    expect(said.report({ key: "b", level: "warn", message: "m" })).toBe(true);
  });

  it("takes another level for a change, and other fields for none", () => {
    said.report({ key: "a", level: "warn", message: "m", fields: { tries: 1 } });

    expect(said.report({ key: "a", level: "warn", message: "m", fields: { tries: 2 } })).toBe(false);
    expect(said.report({ key: "a", level: "error", message: "m" })).toBe(true);
  });

  it("says a thing again after it was over", () => {
    said.report({ key: "a", level: "warn", message: "m" });

    expect(said.clear("a")).toBe(true);
    expect(said.clear("a")).toBe(false);
    expect(said.report({ key: "a", level: "warn", message: "m" })).toBe(true);
  });

  it("forgets what is no longer so", () => {
    said.report({ key: "a", level: "warn", message: "m" });
    said.report({ key: "b", level: "warn", message: "m" });

    said.retain(new Set(["b"]));

    expect(said.report({ key: "a", level: "warn", message: "m" })).toBe(true);
    expect(said.report({ key: "b", level: "warn", message: "m" })).toBe(false);
  });

  it("does not grow without end", () => {
    for (let key = 0; key < 10_001; key += 1) said.report({ key: String(key), level: "debug", message: "m" });

    expect(said.report({ key: "0", level: "debug", message: "m" })).toBe(true);
    expect(said.report({ key: "10000", level: "debug", message: "m" })).toBe(false);
  });
});
