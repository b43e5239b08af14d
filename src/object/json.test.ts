import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, digestOf, parseJson, stringifyJson } from "./index.ts";

describe("parseJson", () => {
  test.each([
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["18446744073709551615", 18446744073709551615n],
    ["9007199254740991", 9007199254740991],
    ["0000000000000001", undefined],
    ["1234567890123456.5", 1234567890123456.5],
    ["1234567890123456e3", 1234567890123456e3],
    ["  [1234567890123456789]  ", [1234567890123456789n]],
    ["0.1234567890123456", 0.1234567890123456],
    ["1e21", 1e21],
  ])("reads %s", (text, value) => {
    if (value === undefined) expect(() => parseJson(text)).toThrow(SyntaxError);
    else expect(parseJson(text)).toEqual(value);
  });

  test("keeps a __proto__ key as data on both paths", () => {
    for (const number of ["1", "12345678901234567890"]) {
      const value = parseJson(`{"__proto__":{"a":${number}},"b":2}`);

      expect(Object.keys(value as object)).toEqual(["__proto__", "b"]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(stringifyJson(value)).toBe(`{"__proto__":{"a":${number}},"b":2}`);
    }
  });

  test("reads all JSON as JSON.parse does where no long integer occurs", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        // The sentinel forces the exact reader; the rest of the text must read the same.
        const read = parseJson(`[ 11111111111111111111 , ${text}\n]`);
        expect(stringifyJson(read)).toBe(`[11111111111111111111,${JSON.stringify(JSON.parse(text))}]`);
      }),
    );
  });

  test("refuses what is no JSON", () => {
    for (const text of ["", "{", "[1,]", "1234567890123456789x", '{"a":12345678901234567890,}']) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
  });

  test("round-trips any integer", () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        expect(stringifyJson(parseJson(`{"x":${integer}}`))).toBe(`{"x":${integer}}`);
      }),
    );
  });
});

describe("stringifyJson", () => {
  test.each([
    [{ a: -0, b: undefined, c: [undefined] }, '{"a":0,"c":[null]}'],
    [{ a: 1n, b: undefined, c: [undefined, -0] }, '{"a":1,"c":[null,0]}'],
    [1e21, "1e+21"],
    ["\u2028\ud800", '"\u2028\\ud800"'],
    [undefined, "null"],
  ])("writes %o", (value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });
});

describe("canonicalJson", () => {
  test("does not depend on key order and sees a bigint as the same number", () => {
    expect(canonicalJson({ b: [{ y: 1, x: 5n }], a: -0 })).toBe('{"a":0,"b":[{"x":5,"y":1}]}');
  });

  test("loses nothing but the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const exact = parseJson(JSON.stringify(value));
        expect(parseJson(canonicalJson(value))).toEqual(exact);
      }),
    );
  });

  test("refuses a number that JSON cannot hold", () => {
    expect(() => canonicalJson({ a: Number.NaN })).toThrow("JSON cannot hold");
  });
});

test("a digest is v1: and 32 hexadecimal digits of the canonical content", () => {
  expect(digestOf({ b: 1, a: "x" })).toMatch(/^v1:[0-9a-f]{32}$/);
  expect(digestOf({ b: 1, a: "x" })).toBe(digestOf({ a: "x", b: 1n }));
  expect(digestOf({ b: 1, a: "x" })).not.toBe(digestOf({ b: "1", a: "x" }));
});
