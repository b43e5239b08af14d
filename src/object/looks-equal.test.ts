import { describe, expect, test } from "vitest";
import { equalJson } from "./json-value.ts";
import { looksEqual } from "./looks-equal.ts";

describe("looksEqual", () => {
  test.each([
    ["1000m", "1", true],
    ["1Gi", "1073741824", true],
    ["1e3", 1000, true],
    ["0.1", "100m", true],
    ["100m", "200m", false],
    [9007199254740991, 9007199254740990, false],
    ["a", "b", false],
    ["80", 80, true],
    ["", undefined, true],
    [0, undefined, true],
    [false, undefined, true],
    [{}, undefined, true],
    [null, undefined, true],
    ["x", undefined, false],
    [1, undefined, false],
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: 1 }, { b: 2 }, false],
    [{ a: 1 }, "text", false],
    [[{ a: 1 }], [{ a: 1, b: 2 }], true],
    [[1], [1, 2], false],
    [{}, { a: 1 }, true],
    [[], "text", false],
  ])("%j as %j: %s", (desired, live, isEqual) => {
    expect(looksEqual(desired, live)).toBe(isEqual);
  });
});

describe("equalJson", () => {
  test.each([
    [{ a: 1, b: undefined }, { a: 1n }, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ constructor: 1 }, {}, false],
    [{}, [], false],
    [[1, [2]], [1, [2]], true],
    [[1], [1, 2], false],
    [1, "1", false],
    [null, undefined, false],
    [-0, 0, true],
  ])("%o and %o: %s", (a, b, isEqual) => {
    expect(equalJson(a, b)).toBe(isEqual);
    expect(equalJson(b, a)).toBe(isEqual);
  });
});
