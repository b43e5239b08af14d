import { describe, expect, it } from "vitest";
import { Lexer } from "./lexer.ts";
import { nodeText } from "./node-text.ts";
import { parseText } from "./parser.ts";
import type { Token } from "./tokens.ts";

function tokensOf(text: string): readonly Token[] {
  const lexer = new Lexer(text, { isBreakFunction: false, isContinueFunction: false });
  const tokens: Token[] = [];
  for (let token = lexer.next(); ; token = lexer.next()) {
    tokens.push(token);
    if (token.type === "eof" || token.type === "error") {
      return tokens;
    }
  }
}

/** The template as its tree prints. */
function reprinted(text: string): string {
  const tree = parseText("t", text, () => true).trees.get("t");
  return tree === undefined ? "" : nodeText(tree.root);
}

describe("Lexer", () => {
  it.each([
    ["a{{.b}}", "text leftDelim field rightDelim eof"],
    ["{{$x := 1}}", "leftDelim variable space declare space number rightDelim eof"],
    ["{{if eq .a `b`}}", "leftDelim if space identifier space field space rawString rightDelim eof"],
    [
      "{{(print 'a' 1i 1+2i)|js}}",
      "leftDelim leftParen identifier space charConstant space number space complex rightParen pipe identifier rightDelim eof",
    ],
    ["{{/* c */}}{{- /* d */ -}}", "eof"],
    ["{{nil true .}}", "leftDelim nil space bool space dot rightDelim eof"],
    ["{{.x", "leftDelim field error"],
  ])("splits %s", (text, types) => {
    expect(
      tokensOf(text)
        .map((token) => token.type)
        .join(" "),
    ).toBe(types);
  });

  it("takes blanks away where a trim marker asks for it", () => {
    const texts = tokensOf("a \n {{- .b -}} \n c").filter((token) => token.type === "text");

    expect(texts.map((token) => token.text)).toEqual(["a", "c"]);
  });

  it("takes no minus for a trim marker without its blank", () => {
    expect(tokensOf("a {{-1}} b").map((token) => token.text)).toEqual(["a ", "{{", "-1", "}}", " b", ""]);
  });

  it("counts lines and places", () => {
    expect(tokensOf("é\n{{.a\n}}\n{{.b}}").map(({ at, line }) => [at, line])).toEqual([
      [0, 1],
      [2, 2],
      [4, 2],
      [6, 2],
      [7, 3],
      [9, 3],
      [10, 4],
      [12, 4],
      [14, 4],
      [16, 4],
    ]);
  });
});

describe("parseText", () => {
  it.each([
    ["{{ .a|printf   `%s`  1 }}", "{{.a | printf `%s` 1}}"],
    ["{{if .a}}x{{else if .b}}y{{else}}z{{end}}", "{{if .a}}x{{else}}{{if .b}}y{{else}}z{{end}}{{end}}"],
    ["{{range $i,$e:=.l}}{{$e.f}}{{end}}", "{{range $i, $e := .l}}{{$e.f}}{{end}}"],
    ["{{with (f .a).b}}{{break}}{{end}}", "{{with (f .a).b}}{{break}}{{end}}"],
    ['{{template "x" nil}}{{$x = true}}', '{{template "x" nil}}{{$x = true}}'],
  ])("reads %s", (text, printed) => {
    expect(reprinted(`{{range .}}${text}{{end}}`)).toBe(`{{range .}}${printed}{{end}}`);
  });

  it("lets a word be a function that would be a keyword", () => {
    expect(() => parseText("t", "{{break}}", () => false)).toThrow("{{break}} outside {{range}}");
    expect(nodeText(parseText("t", "{{break}}", () => true).trees.get("t")?.root ?? { kind: "dot", at: 0 })).toBe(
      "{{break}}",
    );
  });

  it("says where an action started that runs on over lines", () => {
    expect(() => parseText("t", "a\n{{.b\n\n", () => false)).toThrow("template: t:4: unclosed action started at t:2");
  });
});
