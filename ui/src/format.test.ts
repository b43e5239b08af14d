import { describe, expect, it } from "vitest";
import { ago, block, duration, oneLine } from "./format.ts";

describe("text of unknown origin", () => {
  it("shows escape sequences as text", () => {
    expect(oneLine("\u001b[31mred\u0007")).toBe("\\u001b[31mred\\u0007");
  });

  it("shows characters that turn the reading", () => {
    expect(oneLine("a\u202eb\u200bc\ufeff")).toBe("a\\u202eb\\u200bc\\ufeff");
  });

  it("keeps one line one line", () => {
    expect(oneLine("a\nb\tc")).toBe("a⏎b c");
    expect(block("a\nb")).toBe("a\nb");
  });

  it("cuts a megabyte", () => {
    const shown = oneLine("x".repeat(1_048_576), 10);

    expect(shown).toBe("xxxxxxxxxx… (1,048,576 characters)");
  });
});

describe("time", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");

  it.each([
    ["2026-11-30T11:59:55Z", "just now"],
    ["2026-11-30T11:59:15Z", "45 s ago"],
    ["2026-11-30T11:56:00Z", "4 min ago"],
    ["2026-11-30T09:00:00Z", "3 h ago"],
    ["2026-11-27T12:00:00Z", "3 d ago"],
    ["yesterday", "at an unknown time"],
  ])("tells %s as %s", (at, words) => {
    expect(ago(at, now)).toBe(words);
  });

  it.each([
    [12_000, "12 s"],
    [240_000, "4 min"],
    [12_000_000, "3 h 20 min"],
    [7_200_000, "2 h"],
    [600_000_000, "6 d"],
  ])("tells %d ms as %s", (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});
