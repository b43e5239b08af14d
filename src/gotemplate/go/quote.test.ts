import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canBackquote, quote, quoteRune, unquote } from "./quote.ts";

describe("quote", () => {
  it.each([
    ['a"b\\', '"a\\"b\\\\"'],
    ["\n\t\r\v\f\b\x07", '"\\n\\t\\r\\v\\f\\b\\a"'],
    ["\0\x7f", '"\\x00\\x7f"'],
    ["é☺", '"é☺"'],
    ["\u00a0\u2028", '"\\u00a0\\u2028"'],
    ["\u{e0001}", '"\\U000e0001"'],
    ["\udcff", '"\\xff"'],
  ])("writes %j as Go's strconv does", (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  it("escapes everything beyond ASCII on request", () => {
    expect(quote("é\u{1f600}", true)).toBe('"\\u00e9\\U0001f600"');
  });

  it("is undone by unquote", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(unquote(quote(text))).toBe(text);
      }),
    );
  });

  it.each([
    [97, "'a'"],
    [39, "'\\''"],
    [10, "'\\n'"],
    [0x110000, "'\ufffd'"],
    [-1, "'\ufffd'"],
  ])("writes the rune %d", (code, quoted) => {
    expect(quoteRune(code)).toBe(quoted);
  });
});

describe("unquote", () => {
  it.each([
    ['"\\x41\\101\\u00e9\\U0001F600"', "AAé\u{1f600}"],
    ['"\\xc3\\xa9"', "é"],
    ['"\\xff"', "\udcff"],
    ["`a\\n\r\nb`", "a\\n\nb"],
  ])("reads %s", (literal, text) => {
    expect(unquote(literal)).toBe(text);
  });

  it.each(['"\\q"', '"\\400"', '"\\x4"', '"\\ud800"', '"\\U00110000"', '"\\\'"', '"\\08"'])("refuses %s", (literal) => {
    expect(() => unquote(literal)).toThrow("invalid syntax");
  });
});

describe("canBackquote", () => {
  it.each([
    ["a\tb", true],
    ["é", true],
    ["a`b", false],
    ["a\nb", false],
    ["\ufeff", false],
    ["\udcff", false],
  ])("of %j is %s", (text, can) => {
    expect(canBackquote(text)).toBe(can);
  });
});
