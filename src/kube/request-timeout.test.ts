import { describe, expect, test } from "vitest";
import { requestTimeoutOf } from "./request-timeout.ts";

describe("requestTimeoutOf", () => {
  test.each([
    [undefined, 30_000],
    ["", 30_000],
    ["0", 0],
    ["0s", 0],
    ["15", 15_000],
    ["30s", 30_000],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    ["500µs", 0.5],
  ])("reads %o as %d ms", (text, ms) => {
    expect(requestTimeoutOf(text)).toBe(ms);
  });

  test.each(["soon", "5 s", "-3", "-3s", "10x", "s", "1m 30s"])("refuses %o as a flag error", (text) => {
    expect(() => requestTimeoutOf(text)).toThrow(expect.objectContaining({ code: "InvalidFlag" }));
  });
});
