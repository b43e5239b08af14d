import { describe, expect, it } from "vitest";
import { translateRegex } from "./regex-syntax.ts";

/** What the pattern finds in the text, with JavaScript's engine. */
function found(pattern: string, text: string): readonly string[] {
  return [...text.matchAll(new RegExp(translateRegex(pattern).source, "gsu"))].map((match) => match[0]);
}

describe("translateRegex", () => {
  it.each([
    ["a.c", "abc a\nc", ["abc"]],
    ["(?s)a.c", "a\nc", ["a\nc"]],
    ["^b$", "a\nb", []],
    ["(?m)^b$", "a\nb\nc", ["b"]],
    ["\\Ab|c\\z", "bcbc", ["b", "c"]],
    ["(?i)straße|k", "STRASSE Straße K", ["Straße", "K"]],
    ["(?i)[a-c]+", "xABCd", ["ABC"]],
    ["(?i:a)b", "Ab AB", ["Ab"]],
    ["a(?i)b(?-i)c", "aBc aBC", ["aBc"]],
    ["(?U)a+", "aaa", ["a", "a", "a"]],
    ["(?U)a+?", "aaa", ["aaa"]],
    ["\\s+", "a\u00a0b \t", [" \t"]],
    ["\\w+", "é_1 a", ["_1", "a"]],
    ["[^\\d\\s]+", "a1 b", ["a", "b"]],
    ["[[:alpha:][:digit:]-]+", "a1-;", ["a1-"]],
    ["[[:^space:]]+", "a b", ["a", "b"]],
    ["\\p{Greek}\\PL", "aβ1", ["β1"]],
    ["\\pN", "a1", ["1"]],
    ["[]a]+", "]a[", ["]a"]],
    ["\\Qa.b\\E+", "a.bbb a.b", ["a.bbb", "a.b"]],
    ["\\x41\\x{42}\\103", "ABC", ["ABC"]],
    ["a{2,}b{,2}", "aab{,2}", ["aab{,2}"]],
    ["^*a", "a", ["a"]],
    ["(?P<x>a)|(?<y>b)", "ab", ["a", "b"]],
  ])("lets %s find in %j", (pattern, text, matches) => {
    expect(found(pattern, text)).toEqual(matches);
  });

  it("numbers the groups and keeps their names", () => {
    expect(translateRegex("(a)(?:b)(?P<n>c)").groupNames).toEqual([undefined, undefined, "n"]);
  });

  it.each([
    ["(a", "missing closing ): `(a`"],
    ["a)", "unexpected ): `a)`"],
    ["[a", "missing closing ]: `[a`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["[[:foo:]]", "invalid character class range: `[:foo:]`"],
    ["\\p{Foo}", "invalid character class range: `\\p{Foo}`"],
    ["*a", "missing argument to repetition operator: `*`"],
    ["(|+)", "missing argument to repetition operator: `+`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{2}{3}", "invalid nested repetition operator: `{2}{3}`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["a{2,1}", "invalid repeat count: `{2,1}`"],
    ["\\1", "invalid escape sequence: `\\1`"],
    ["\\y", "invalid escape sequence: `\\y`"],
    ["a\\", "trailing backslash at end of expression: ``"],
    ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"],
    ["(?<!a)", "invalid named capture: `(?<!a)`"],
    ["(?P<a b>c)", "invalid named capture: `(?P<a b>`"],
  ])("refuses %s in Go's words", (pattern, message) => {
    expect(() => translateRegex(pattern)).toThrow(`error parsing regexp: ${message}`);
  });
});
