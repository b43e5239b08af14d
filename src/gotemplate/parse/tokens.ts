import { byteLength } from "../go/bytes.ts";
import { quote } from "../go/quote.ts";

const KEYWORDS = [
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "range",
  "nil",
  "template",
  "with",
] as const;

export type Keyword = (typeof KEYWORDS)[number];

export type TokenType =
  | "error"
  | "bool"
  | "char"
  | "charConstant"
  | "complex"
  | "assign"
  | "declare"
  | "eof"
  | "field"
  | "identifier"
  | "leftDelim"
  | "leftParen"
  | "number"
  | "pipe"
  | "rawString"
  | "rightDelim"
  | "rightParen"
  | "space"
  | "string"
  | "text"
  | "variable"
  | "dot"
  | Keyword;

export interface Token {
  readonly type: TokenType;
  /** Where it starts, an index into the text. */
  readonly at: number;
  /** As written; for an error token the error's text. */
  readonly text: string;
  /** The line on which it starts, from 1. */
  readonly line: number;
}

const KEYWORD_SET: ReadonlySet<string> = new Set(KEYWORDS);

export function isKeyword(word: string): word is Keyword {
  return KEYWORD_SET.has(word);
}

/** A token as Go's error texts name it: `EOF`, `<end>`, or its text quoted, cut after ten characters. */
export function tokenText(token: Token): string {
  if (token.type === "eof") {
    return "EOF";
  }
  if (token.type === "error") {
    return token.text;
  }
  if (token.type === "dot" || isKeyword(token.type)) {
    return `<${token.text}>`;
  }
  if (byteLength(token.text) > 10) {
    return `${quote([...token.text].slice(0, 10).join(""))}...`;
  }
  return quote(token.text);
}
