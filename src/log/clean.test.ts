import { describe, expect, it } from "vitest";
import { KeelsonError } from "../errors/index.ts";
import { cleanFields, cleanText, escapeControls } from "./clean.ts";

describe("cleanText", () => {
  it.each([
    ["a newline", "a\nERR: == forged ==", "a\\nERR: == forged =="],
    ["carriage return and tab", "a\r\tb", "a\\r\\tb"],
    ["an ANSI escape sequence", "\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["a C1 control", "a\u009b31m", "a\\u009b31m"],
    ["NUL and DEL", "\u0000\u007f", "\\u0000\\u007f"],
    ["bidirectional overrides", "a\u202eb\u2066c", "a\\u202eb\\u2066c"],
    ["line and paragraph separators", "a\u2028b\u2029c", "a\\u2028b\\u2029c"],
    ["other scripts and emoji, untouched", "ключ 鍵 🔑", "ключ 鍵 🔑"],
  ])("makes visible: %s", (_, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it.each([
    ["Authorization: Bearer abc.def-ghi", "Authorization: Bearer [redacted]"],
    ["kubectl --token=s3cret get", "kubectl --token=[redacted] get"],
    ["kubectl --token s3cret get", "kubectl --token [redacted] get"],
    ["--password=hunter2", "--password=[redacted]"],
  ])("takes credentials out of %j", (text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it("cuts long texts and says how long they were", () => {
    const text = cleanText("x".repeat(10_000));

    expect(text).toMatch(/^x{4096}… \(10000 characters\)$/);
  });

  it("does not cut a character in two", () => {
    const text = cleanText(`${"x".repeat(4095)}🔑${"y".repeat(100)}`);

    // Throws on half a surrogate pair.
    expect(() => encodeURIComponent(text)).not.toThrow();
  });
});

describe("escapeControls", () => {
  it("leaves length alone", () => {
    expect(escapeControls("x".repeat(10_000))).toHaveLength(10_000);
  });
});

describe("cleanFields", () => {
  it.each([
    "token",
    "password",
    "Authorization",
    "data",
    "stringData",
    "bearerToken",
    "client-key-data",
    "clientSecret",
  ])("masks %s at any depth", (name) => {
    expect(cleanFields({ a: { b: [{ [name]: "s3cret" }] } })).toEqual({ a: { b: [{ [name]: "[redacted]" }] } });
  });

  it.each(["kind", "tokens", "passwordless", "metadata", "dataset"])("does not mask %s", (name) => {
    expect(cleanFields({ [name]: "x" })).toEqual({ [name]: "x" });
  });

  it("leaves undefined fields out", () => {
    expect(cleanFields({ a: undefined, b: null })).toEqual({ b: null });
  });

  it("reduces an error to code and message, and keeps the stack of a fault of our own", () => {
    const { user, fault, foreign } = cleanFields({
      user: new KeelsonError("Forbidden", "no right"),
      fault: new KeelsonError("Internal", "broken"),
      foreign: new TypeError("x is undefined"),
    });

    expect(user).toEqual({ code: "Forbidden", message: "no right" });
    expect(fault).toMatchObject({ code: "Internal", stack: expect.stringContaining("clean.test.ts") as string });
    expect(foreign).toBe("x is undefined");
  });

  it("writes what JSON cannot", () => {
    const cleaned = cleanFields({ big: 2n ** 64n, at: new Date(0), map: new Map([["a", 1]]), f: Symbol("s") });

    expect(cleaned).toEqual({
      big: "18446744073709551616",
      at: "1970-01-01T00:00:00.000Z",
      map: [["a", 1]],
      f: "Symbol(s)",
    });
  });

  it("ends on cycles, deep trees and wide lists", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const cleaned = cleanFields({ cycle, wide: Array.from({ length: 1000 }, (_, index) => index) });

    expect(JSON.stringify(cleaned).length).toBeLessThan(1000);
    expect(cleaned.wide).toHaveLength(101);
  });
});
