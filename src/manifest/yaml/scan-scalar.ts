import {
  BACKSLASH,
  COLON,
  type Cursor,
  DOUBLE_QUOTE,
  HASH,
  isBlank,
  isBreak,
  isBreakOrEnd,
  isSeparator,
  SINGLE_QUOTE,
  SPACE,
  TAB,
} from "./cursor.ts";

/** Characters that end a plain scalar inside `[]` or `{}`. `?` is among them in this dialect, without a blank after it. */
const FLOW_ENDS = ",?[]{}";

/** Where a plain scalar stands. */
export interface PlainContext {
  readonly isFlow: boolean;
  /** The least column at which a continuation line may start. */
  readonly indent: number;
}

/** A plain scalar; `endsAfterBreak` tells that line breaks were consumed behind it, so that a key may follow. */
export interface PlainScalar {
  readonly value: string;
  readonly endsAfterBreak: boolean;
}

/** Reads a plain (unquoted) scalar, over as many lines as it takes. */
export function scanPlain(cursor: Cursor, context: PlainContext): PlainScalar {
  let value = "";
  let gap = "";
  for (;;) {
    if (cursor.isAtDocumentIndicator() || cursor.code() === HASH) break;
    const start = cursor.pos;
    const end = scanPlainLine(cursor, context.isFlow);
    if (end === start) break;
    value = value === "" ? cursor.text.slice(start, end) : value + gap + cursor.text.slice(start, end);
    gap = "";
    if (!isBreak(cursor.code())) break;
    gap = takeFoldedBreaks(cursor, context.indent);
    if (!context.isFlow && cursor.column < context.indent) break;
  }
  return { value, endsAfterBreak: gap !== "" };
}

/** Reads what belongs to a plain scalar on this line; gives its end without trailing blanks. The cursor stops behind them. */
function scanPlainLine(cursor: Cursor, isFlow: boolean): number {
  const { text } = cursor;
  let pos = cursor.pos;
  let end = pos;
  for (;;) {
    const code = text.charCodeAt(pos);
    if (isSeparator(code)) {
      const next = blanksEnd(text, pos);
      pos = next;
      // A comment starts only behind a blank; a word that starts with `#` at this point is one.
      if (isBreakOrEnd(text.charCodeAt(next)) || text.charCodeAt(next) === HASH) break;
      continue;
    }
    if (code === COLON && isSeparator(text.charCodeAt(pos + 1))) break;
    if (isFlow && FLOW_ENDS.includes(text.charAt(pos))) break;
    pos += 1;
    end = pos;
  }
  cursor.pos = pos;
  return end;
}

function blanksEnd(text: string, from: number): number {
  let pos = from;
  while (isBlank(text.charCodeAt(pos))) pos += 1;
  return pos;
}

/** Consumes line breaks and blanks inside a plain scalar and gives what they fold to; never empty. */
function takeFoldedBreaks(cursor: Cursor, indent: number): string {
  const first = cursor.takeBreak();
  let more = "";
  for (;;) {
    const code = cursor.code();
    if (isBreak(code)) more += cursor.takeBreak();
    else if (code === TAB && cursor.column < indent) throw cursor.fault("a tab is used as indentation: use spaces");
    else if (isBlank(code)) cursor.pos += 1;
    else return fold(first, more);
  }
}

/** One line feed becomes a space, more of them lose the first; LS and PS stay. */
function fold(first: string, more: string): string {
  if (first !== "\n") return first + more;
  return more === "" ? " " : more;
}

/** Reads a quoted scalar, the cursor being on its opening quote. */
export function scanQuoted(cursor: Cursor): string {
  const start = cursor.pos;
  const quote = cursor.code();
  cursor.pos += 1;
  const simple = takeSimpleQuoted(cursor, quote);
  if (simple !== undefined) return simple;
  let value = "";
  for (;;) {
    if (cursor.isAtDocumentIndicator()) throw cursor.fault("a quoted string runs into a document marker", start);
    if (cursor.isAtEnd()) throw cursor.fault("a quoted string is not closed", start);
    const word = quote === SINGLE_QUOTE ? scanSingleQuotedRun(cursor) : scanDoubleQuotedRun(cursor);
    value += word.text;
    if (cursor.code() === quote) break;
    value += takeQuotedBlanks(cursor, word.endsLine);
  }
  cursor.pos += 1;
  return value;
}

/** The common case, one line without escapes, at the cost of a slice; undefined, with nothing consumed, for the rest. */
function takeSimpleQuoted(cursor: Cursor, quote: number): string | undefined {
  const { text } = cursor;
  let pos = cursor.pos;
  let code = text.charCodeAt(pos);
  while (code !== quote && code !== BACKSLASH && !isBreakOrEnd(code)) {
    pos += 1;
    code = text.charCodeAt(pos);
  }
  if (code !== quote || (quote === SINGLE_QUOTE && text.charCodeAt(pos + 1) === SINGLE_QUOTE)) return undefined;
  const value = text.slice(cursor.pos, pos);
  cursor.pos = pos + 1;
  return value;
}

/** Part of a quoted scalar without blanks; `endsLine` where an escaped line break ended it. */
interface QuotedRun {
  readonly text: string;
  readonly endsLine: boolean;
}

function scanSingleQuotedRun(cursor: Cursor): QuotedRun {
  let text = "";
  let start = cursor.pos;
  for (;;) {
    const code = cursor.code();
    if (isSeparator(code)) break;
    if (code === SINGLE_QUOTE) {
      if (cursor.code(1) !== SINGLE_QUOTE) break;
      text += cursor.text.slice(start, cursor.pos + 1);
      cursor.pos += 2;
      start = cursor.pos;
    } else cursor.pos += 1;
  }
  return { text: text + cursor.text.slice(start, cursor.pos), endsLine: false };
}

function scanDoubleQuotedRun(cursor: Cursor): QuotedRun {
  let text = "";
  let start = cursor.pos;
  for (;;) {
    const code = cursor.code();
    if (isSeparator(code) || code === DOUBLE_QUOTE) break;
    if (code !== BACKSLASH) {
      cursor.pos += 1;
      continue;
    }
    text += cursor.text.slice(start, cursor.pos);
    cursor.pos += 1;
    if (isBreak(cursor.code())) {
      cursor.takeBreak();
      return { text, endsLine: true };
    }
    text += scanEscape(cursor);
    start = cursor.pos;
  }
  return { text: text + cursor.text.slice(start, cursor.pos), endsLine: false };
}

/** Consumes the blanks and line breaks between two words of a quoted scalar and gives what they fold to. */
function takeQuotedBlanks(cursor: Cursor, isBehindEscapedBreak: boolean): string {
  const start = cursor.pos;
  cursor.skipBlanks();
  if (!isBreak(cursor.code())) return isBehindEscapedBreak ? "" : cursor.text.slice(start, cursor.pos);
  const first = isBehindEscapedBreak ? "" : cursor.takeBreak();
  let more = "";
  for (;;) {
    if (isBreak(cursor.code())) more += cursor.takeBreak();
    else if (isBlank(cursor.code())) cursor.pos += 1;
    else break;
  }
  return first === "" ? more : fold(first, more);
}

/** Single-character escapes of double-quoted scalars. `\/` is not among them: that one is JSON's. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const HEX_ESCAPES: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

function scanEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.pos);
  const simple = ESCAPES.get(letter);
  const digits = HEX_ESCAPES.get(letter);
  if (simple === undefined && digits === undefined) {
    throw cursor.fault(`"\\${letter}" is no escape of a double-quoted string`, cursor.pos - 1);
  }
  cursor.pos += 1;
  if (simple !== undefined) return simple;
  const hex = cursor.text.slice(cursor.pos, cursor.pos + (digits ?? 0));
  const value = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Number.NaN;
  // Surrogate pairs are JSON's way; here they are no characters.
  if (!(value <= 0x10ffff) || (value >= 0xd800 && value <= 0xdfff)) {
    throw cursor.fault(`"\\${letter}${hex}" is no character`, cursor.pos - 2);
  }
  cursor.pos += hex.length;
  return String.fromCodePoint(value);
}

/** Reads a block scalar, the cursor being on its `|` or `>`; `parentIndent` is the column of the block around it, or -1. */
export function scanBlock(cursor: Cursor, parentIndent: number): string {
  const isLiteral = cursor.code() === 0x7c;
  cursor.pos += 1;
  const { chomping, increment } = scanBlockHeader(cursor);
  const explicit = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  const lead = takeBlockBreaks(cursor, explicit, parentIndent);
  const indent = lead.indent;
  let value = "";
  let lineBreak = "";
  let blankLines = lead.breaks;
  let wasIndented = false;
  while (cursor.column === indent && !cursor.isAtEnd()) {
    const isIndented = isBlank(cursor.code());
    const folds = !isLiteral && !wasIndented && !isIndented && lineBreak === "\n";
    value += folds ? (blankLines === "" ? " " : blankLines) : lineBreak + blankLines;
    wasIndented = isIndented;
    const start = cursor.pos;
    cursor.skipToBreak();
    value += cursor.text.slice(start, cursor.pos);
    lineBreak = cursor.isAtEnd() ? "" : cursor.takeBreak();
    blankLines = takeBlockBreaks(cursor, indent, parentIndent).breaks;
  }
  if (chomping !== "-") value += lineBreak;
  return chomping === "+" ? value + blankLines : value;
}

interface BlockHeader {
  readonly chomping: string;
  /** The indentation indicator, 0 where none is given. */
  readonly increment: number;
}

/** Reads `|`'s chomping and indentation indicators, in either order, a comment, and the line break. */
function scanBlockHeader(cursor: Cursor): BlockHeader {
  let chomping = "";
  let increment = 0;
  for (let index = 0; index < 2; index += 1) {
    const letter = cursor.text.charAt(cursor.pos);
    if (chomping === "" && (letter === "+" || letter === "-")) chomping = letter;
    else if (increment === 0 && letter >= "0" && letter <= "9" && letter !== "") {
      if (letter === "0") throw cursor.fault("the indentation of a block scalar cannot be 0");
      increment = Number(letter);
    } else break;
    cursor.pos += 1;
  }
  cursor.skipBlanks();
  if (cursor.code() === HASH) cursor.skipToBreak();
  if (!isBreakOrEnd(cursor.code())) throw cursor.fault("text behind a block scalar's indicator");
  if (!cursor.isAtEnd()) cursor.takeBreak();
  return { chomping, increment };
}

/** Consumes empty lines and indentation; finds the block's indentation where `known` is 0. */
function takeBlockBreaks(
  cursor: Cursor,
  known: number,
  parentIndent: number,
): { readonly breaks: string; readonly indent: number } {
  let breaks = "";
  let deepest = 0;
  for (;;) {
    while ((known === 0 || cursor.column < known) && cursor.code() === SPACE) cursor.pos += 1;
    deepest = Math.max(deepest, cursor.column);
    if ((known === 0 || cursor.column < known) && cursor.code() === TAB) {
      throw cursor.fault("a tab is used as indentation in a block scalar: use spaces");
    }
    if (!isBreak(cursor.code())) break;
    breaks += cursor.takeBreak();
  }
  return { breaks, indent: known === 0 ? Math.max(deepest, parentIndent + 1, 1) : known };
}
