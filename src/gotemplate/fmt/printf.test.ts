import { describe, expect, it } from "vitest";
import { boolOf, floatOf, intOf, mapOf, NIL, nilSlice, sliceOf, stringOf, type Value } from "../go/values.ts";
import { sprint, sprintf, sprintln } from "./printf.ts";

const text = stringOf("hi");
const list = sliceOf([stringOf("a"), intOf(1), NIL]);
const map = mapOf(
  new Map<string, Value>([
    ["b", intOf(1)],
    ["a", list],
  ]),
);

describe("sprintf", () => {
  it.each<readonly [string, readonly Value[], string]>([
    ["%d|%5d|%-5d|%05d|%+d", [intOf(42), intOf(42), intOf(42), intOf(42), intOf(42)], "42|   42|42   |00042|+42"],
    [
      "%x %X %o %b %c %U",
      [intOf(255), intOf(255), intOf(8), intOf(5), intOf(65), intOf(0x1f600)],
      "ff FF 10 101 A U+1F600",
    ],
    ["%s|%q|%x|%5s|%-5s|%.1s", [text, text, text, text, text, text], 'hi|"hi"|6869|   hi|hi   |h'],
    [
      "%f|%.1f|%8.3f|%e|%g",
      [floatOf(1.5), floatOf(1.25), floatOf(-1.5), floatOf(1e10), floatOf(1e-7)],
      "1.500000|1.2|  -1.500|1.000000e+10|1e-07",
    ],
    ["%t|%5t", [boolOf(true), boolOf(false)], "true|false"],
    ["%v %v %+v", [list, map, NIL], "[a 1 <nil>] map[a:[a 1 <nil>] b:1] <nil>"],
    ["%#v %#v", [list, nilSlice()], '[]interface {}{"a", 1, interface {}(nil)} []interface {}(nil)'],
    ["%T %T %T %T", [intOf(1), list, map, NIL], "int []interface {} map[string]interface {} <nil>"],
    ["%d%%", [intOf(5)], "5%"],
    ["%[2]s %[1]s", [text, stringOf("a")], "a hi"],
    ["%*d|%-*d|%.*f", [intOf(4), intOf(7), intOf(4), intOf(7), intOf(1), floatOf(2.25)], "   7|7   |2.2"],
    ["%5v", [sliceOf([intOf(1), intOf(22)])], "[    1    22]"],
  ])("formats %s", (format, args, expected) => {
    expect(sprintf(format, args)).toBe(expected);
  });

  it.each<readonly [string, readonly Value[], string]>([
    ["%d", [text], "%!d(string=hi)"],
    ["%d", [list], "[%!d(string=a) 1 <nil>]"],
    ["%z", [intOf(1)], "%!z(int=1)"],
    ["%d", [NIL], "%!d(<nil>)"],
    ["%d", [], "%!d(MISSING)"],
    ["x", [intOf(1), NIL], "x%!(EXTRA int=1, <nil>)"],
    ["%", [], "%!(NOVERB)"],
    ["%[3]d", [intOf(1)], "%!d(BADINDEX)"],
    ["%[x]d", [intOf(1)], "%!d(BADINDEX)"],
    ["%*d", [text, intOf(1)], "%!(BADWIDTH)1"],
    ["%.*d", [intOf(-1), intOf(1)], "%!(BADPREC)1"],
    ["%!", [intOf(1)], "%!!(int=1)"],
  ])("notes the mistake in %s", (format, args, expected) => {
    expect(sprintf(format, args)).toBe(expected);
  });
});

describe("sprint", () => {
  it("puts blanks only between operands that are both no strings", () => {
    expect(sprint([intOf(1), intOf(2), text, text, intOf(3), NIL])).toBe("1 2hihi3 <nil>");
  });
});

describe("sprintln", () => {
  it("always puts blanks, and a newline at the end", () => {
    expect(sprintln([intOf(1), text, text])).toBe("1 hi hi\n");
  });
});
