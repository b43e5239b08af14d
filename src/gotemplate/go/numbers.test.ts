import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FloatFormat, formatFloat } from "./float-text.ts";
import { parseFloat64, parseInteger, parseUnsigned } from "./number-text.ts";

describe("formatFloat", () => {
  it.each<readonly [number, FloatFormat, number, string]>([
    [1, "g", -1, "1"],
    [0, "g", -1, "0"],
    [-0, "g", -1, "-0"],
    [100000, "g", -1, "100000"],
    [1e6, "g", -1, "1e+06"],
    [1234567, "g", -1, "1.234567e+06"],
    [0.0001, "g", -1, "0.0001"],
    [0.00001, "g", -1, "1e-05"],
    [5e-324, "g", -1, "5e-324"],
    [1.7976931348623157e308, "g", -1, "1.7976931348623157e+308"],
    [0.5, "f", 0, "0"],
    [1.5, "f", 0, "2"],
    [2.5, "f", 0, "2"],
    [2.675, "f", 2, "2.67"],
    [1e21, "f", 1, "1000000000000000000000.0"],
    [0.1, "f", 20, "0.10000000000000000555"],
    [999.5, "f", 0, "1000"],
    [9.995, "e", 2, "9.99e+00"],
    [1234.5678, "e", -1, "1.2345678e+03"],
    [0, "e", 3, "0.000e+00"],
    [123456, "g", 3, "1.23e+05"],
    [100, "g", 3, "100"],
    [0.000123, "g", 2, "0.00012"],
    [1, "b", -1, "4503599627370496p-52"],
    [1.5, "x", -1, "0x1.8p+00"],
    [0.1, "x", 2, "0x1.9ap-04"],
    [1.999, "x", 1, "0x1.0p+01"],
    [0, "x", 1, "0x0.0p+00"],
    [Number.NaN, "g", -1, "NaN"],
    [Number.NEGATIVE_INFINITY, "f", 2, "-Inf"],
  ])("writes %d in the format %s with precision %d as %s", (value, format, precision, text) => {
    expect(formatFloat(value, format, precision)).toBe(text);
  });

  it("writes what reads back as the same number", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseFloat64(formatFloat(value, "g"))).toBe(value);
        expect(parseFloat64(formatFloat(value, "x"))).toBe(value);
      }),
    );
  });
});

describe("parseInteger", () => {
  it.each([
    ["42", 42n],
    ["-0x1F", -31n],
    ["0b101", 5n],
    ["0o17", 15n],
    ["017", 15n],
    ["0", 0n],
    ["1_000", 1000n],
    ["0x_1", 1n],
    ["-9223372036854775808", -9223372036854775808n],
  ])("reads %s", (text, value) => {
    expect(parseInteger(text)).toBe(value);
  });

  it.each(["", "-", "1__0", "_1", "1_", "08", "0x", "0b2", "1.0", "1e3", " 1", "9223372036854775808"])(
    "refuses %j",
    (text) => {
      expect(parseInteger(text)).toBeUndefined();
    },
  );

  it("takes neither prefixes nor underscores with a base", () => {
    expect([parseInteger("017", 10), parseInteger("0x1", 10), parseInteger("1_0", 10), parseInteger("17", 8)]).toEqual([
      17n,
      undefined,
      undefined,
      15n,
    ]);
  });
});

describe("parseUnsigned", () => {
  it("reaches further than int64 and knows no sign", () => {
    expect(parseUnsigned("18446744073709551615")).toBe(18446744073709551615n);
    expect(parseUnsigned("18446744073709551616")).toBeUndefined();
    expect(parseUnsigned("-1")).toBeUndefined();
  });
});

describe("parseFloat64", () => {
  it.each([
    ["1.5", 1.5],
    [".5", 0.5],
    ["5.", 5],
    ["-1e3", -1000],
    ["0x1.8p1", 3],
    ["0X.8P-1", 0.25],
    ["1_0.5_0", 10.5],
    ["inf", Number.POSITIVE_INFINITY],
    ["-Infinity", Number.NEGATIVE_INFINITY],
  ])("reads %s", (text, value) => {
    expect(parseFloat64(text)).toBe(value);
  });

  it.each(["", ".", "e1", "1e", "1e+", "1.2.3", "0x1", "0x1.8", "1_", "1e400", "one", " 1"])("refuses %j", (text) => {
    expect(parseFloat64(text)).toBeUndefined();
  });
});
