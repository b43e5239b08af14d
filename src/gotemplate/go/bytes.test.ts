import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength, byteSlice, compareStrings, fromBytes, repairText, toBytes } from "./bytes.ts";

describe("byte strings", () => {
  it("keep any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(toBytes(fromBytes(bytes))).toEqual(bytes);
      }),
    );
  });

  it("agree with UTF-8 for well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(fromBytes(toBytes(text))).toBe(text);
        expect(byteLength(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it.each([
    ["an overlong slash", [0xc0, 0xaf], "\udcc0\udcaf"],
    ["an encoded surrogate", [0xed, 0xa0, 0x80], "\udced\udca0\udc80"],
    ["a truncated character", [0xe2, 0x82, 0x41], "\udce2\udc82A"],
    ["a code point beyond Unicode", [0xf4, 0x90, 0x80, 0x80], "\udcf4\udc90\udc80\udc80"],
  ])("take %s for stray bytes", (_, bytes, text) => {
    expect(fromBytes(Uint8Array.from(bytes))).toBe(text);
  });

  it("are cut between bytes, and whole again when joined", () => {
    const [first, second] = [byteSlice("é", 0, 1), byteSlice("é", 1, 2)];

    expect([byteLength(first), byteLength(second)]).toEqual([1, 1]);
    expect(repairText(first + second)).toBe("é");
    expect(repairText(second + first)).toBe("\ufffd\ufffd");
  });

  it.each([
    ["a", "b", -1],
    ["b", "a", 1],
    ["a", "a", 0],
    ["a", "aa", -1],
    ["\uffff", "\u{10000}", -1],
    ["z", "é", -1],
  ])("compare %j with %j by bytes", (left, right, order) => {
    expect(compareStrings(left, right)).toBe(order);
  });
});
