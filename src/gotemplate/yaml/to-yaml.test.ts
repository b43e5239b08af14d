import { describe, expect, it } from "vitest";
import { type TemplateData, toGo } from "../data.ts";
import { compareKeys } from "./key-order.ts";
import { readsAsText } from "./resolve.ts";
import { toYaml } from "./to-yaml.ts";

const LOREM = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore";

describe("toYaml", () => {
  it.each<readonly [TemplateData, string]>([
    [{ b: 1, a: [1, { c: null }], d: {} }, "a:\n- 1\n- c: null\nb: 1\nd: {}"],
    [[[1, [2]], []], "- - 1\n  - - 2\n- []"],
    ["x", "x"],
    [null, "null"],
    [1.5, "1.5"],
    [1e6, "1000000"],
    [1e20, "1e+20"],
    [9223693192811522000, "9223693192811522000"],
    [-(2 ** 63), "-9.223372036854776e+18"],
    [{ y: "y", n: "1", t: "2001-01-01", s: "" }, '"n": "1"\ns: ""\nt: "2001-01-01"\n"y": "y"'],
    [["a: b", "- x", "#c", "it's", "tab\t"], "- 'a: b'\n- '- x'\n- '#c'\n- it's\n- \"tab\\t\""],
    [{ k: "a\nb\n" }, "k: |\n  a\n  b"],
    [{ k: "a\nb" }, "k: |-\n  a\n  b"],
    [{ k: "\na\n\n" }, "k: |2+\n\n  a\n"],
    [{ k: "a \nb" }, 'k: "a \\nb"'],
    [["\u{1f600}", "é"], '- "\\U0001F600"\n- é'],
    [{ [`${"x".repeat(129)}`]: 1 }, `? ${"x".repeat(129)}\n: 1`],
    [{ k: LOREM }, `k: ${LOREM.replace(" ut labore", "\n  ut labore")}`],
  ])("writes %j as go-yaml does", (data, yaml) => {
    expect(toYaml(toGo(data))).toBe(yaml);
  });

  it("writes nothing for text that YAML cannot hold", () => {
    expect(toYaml(toGo({ a: "\u007f" }))).toBe("");
  });
});

describe("readsAsText", () => {
  it.each(["a", "yess", "1.2.3", "0x", "08x", "1e999", "<<", "2001-02-30", "12:60", ".", "-"])(
    "keeps %j plain",
    (text) => {
      expect(readsAsText(text)).toBe(true);
    },
  );

  it.each([
    "",
    "~",
    "No",
    "1",
    "-0x1f",
    "0o7",
    "1_000",
    ".5",
    "+.inf",
    "1e3",
    "12:59",
    "2001-02-28",
    "2001-1-1T1:2:3Z",
  ])("quotes %j", (text) => {
    expect(readsAsText(text)).toBe(false);
  });
});

describe("compareKeys", () => {
  it("orders numbers within keys by value, and letters last", () => {
    const keys = ["a10", "a9", "b", "A", "a", "-", "a09", "1", "a/b"];

    expect(keys.sort(compareKeys)).toEqual(["-", "1", "A", "a", "a/b", "a9", "a09", "a10", "b"]);
  });
});
