import { fromBytes, isStrayByte, toBytes } from "./bytes.ts";
import { isPrintable } from "./characters.ts";
import { failure } from "./failure.ts";

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

const ESCAPED: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
  ["\\", 92],
]);

/** Go's strconv.Quote: a double-quoted Go literal, everything that is not printable escaped. */
export function quote(text: string, asciiOnly = false): string {
  let quoted = "";
  for (const character of text) {
    quoted += escapeCharacter(character, '"', asciiOnly);
  }
  return `"${quoted}"`;
}

/** Go's strconv.QuoteRune: a character literal; what is no character is U+FFFD. */
export function quoteRune(code: number, asciiOnly = false): string {
  const isValid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return `'${escapeCharacter(String.fromCodePoint(isValid ? code : 0xfffd), "'", asciiOnly)}'`;
}

function escapeCharacter(character: string, delimiter: string, asciiOnly: boolean): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === delimiter || character === "\\") {
    return `\\${character}`;
  }
  if (isStrayByte(code)) {
    return `\\x${hex(code - 0xdc00, 2)}`;
  }
  if (asciiOnly ? code >= 0x20 && code < 0x7f : isPrintable(character)) {
    return character;
  }
  return SIMPLE_ESCAPES.get(character) ?? numericEscape(code);
}

function numericEscape(code: number): string {
  if (code < 0x20 || code === 0x7f) {
    return `\\x${hex(code, 2)}`;
  }
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** Go's strconv.CanBackquote: whether a raw string literal can hold the text. */
export function canBackquote(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isControl = (code < 0x20 && character !== "\t") || code === 0x7f;
    if (isControl || character === "`" || code === 0xfeff || isStrayByte(code)) {
      return false;
    }
  }
  return true;
}

/** One character of a literal, and where the next one starts. A byte escape is no character yet. */
export interface LiteralCharacter {
  readonly code: number;
  readonly isByte: boolean;
  readonly next: number;
}

/**
 * Go's strconv.UnquoteChar at `index`, for a literal delimited by `delimiter`.
 *
 * @throws KeelsonError InvalidTemplate `invalid syntax`
 */
export function unquoteCharacter(text: string, index: number, delimiter: string): LiteralCharacter {
  const character = text[index];
  if (character === undefined || character === delimiter) {
    throw syntaxFailure();
  }
  if (character !== "\\") {
    const code = text.codePointAt(index) ?? 0;
    return { code, isByte: false, next: index + (code > 0xffff ? 2 : 1) };
  }
  const letter = text[index + 1] ?? "";
  const simple = letter === delimiter ? delimiter.charCodeAt(0) : ESCAPED.get(letter);
  if (simple !== undefined) {
    return { code: simple, isByte: false, next: index + 2 };
  }
  return unquoteNumber(text, index + 1, letter);
}

function unquoteNumber(text: string, index: number, letter: string): LiteralCharacter {
  if (letter >= "0" && letter <= "7") {
    const code = digitsAt(text, index, { count: 3, radix: 8 });
    if (code > 255) {
      throw syntaxFailure();
    }
    return { code, isByte: code > 0x7f, next: index + 3 };
  }
  const count = letter === "x" ? 2 : letter === "u" ? 4 : letter === "U" ? 8 : 0;
  const code = digitsAt(text, index + 1, { count, radix: 16 });
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (letter !== "x" && (isSurrogate || code > 0x10ffff)) {
    throw syntaxFailure();
  }
  return { code, isByte: letter === "x" && code > 0x7f, next: index + 1 + count };
}

function digitsAt(text: string, index: number, format: { readonly count: number; readonly radix: 8 | 16 }): number {
  const digits = text.slice(index, index + format.count);
  const pattern = format.radix === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/;
  if (format.count === 0 || digits.length !== format.count || !pattern.test(digits)) {
    throw syntaxFailure();
  }
  return Number.parseInt(digits, format.radix);
}

/**
 * Go's strconv.Unquote of a string literal as the lexer found it, quotes included.
 *
 * @throws KeelsonError InvalidTemplate `invalid syntax`
 */
export function unquote(literal: string): string {
  const delimiter = literal[0] ?? "";
  const inner = literal.slice(1, -1);
  if (delimiter === "`") {
    return inner.replaceAll("\r", "");
  }
  if (!inner.includes("\\")) {
    return inner;
  }
  let text = "";
  let hasBytes = false;
  for (let index = 0; index < inner.length; ) {
    const character = unquoteCharacter(inner, index, delimiter);
    hasBytes ||= character.isByte;
    text += String.fromCodePoint(character.isByte ? 0xdc00 + character.code : character.code);
    index = character.next;
  }
  // Byte escapes next to each other may spell a character: "\xc3\xa9" is é.
  return hasBytes ? fromBytes(toBytes(text)) : text;
}

function syntaxFailure(): Error {
  return failure("invalid syntax");
}
