import { YamlFault } from "./yaml-fault.ts";

export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const SPACE = 0x20;
export const DOUBLE_QUOTE = 0x22;
export const HASH = 0x23;
export const SINGLE_QUOTE = 0x27;
export const DASH = 0x2d;
export const DOT = 0x2e;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;

/** What ends the text: no NUL can stand in a document, control characters are refused before it is scanned. */
const END = 0;
/** As many as the longest look-ahead (`--- `), so that reading ahead never leaves the text. */
const PADDING = "\0\0\0\0";

/** A line break of YAML 1.1: CR, LF, NEL, LS, PS. CRLF has become LF before. */
export function isBreak(code: number): boolean {
  return code === LINE_FEED || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

export function isBreakOrEnd(code: number): boolean {
  return code === END || isBreak(code);
}

/** Blank, break or end: what separates tokens. The first comparison decides for nearly every character. */
export function isSeparator(code: number): boolean {
  return (code <= SPACE || code >= 0x85) && (isBlank(code) || isBreakOrEnd(code));
}

/** A character of anchors and tag handles: ASCII letter, digit, `_` or `-`. */
export function isWordCharacter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === DASH
  );
}

/** The place of the scanner in one document's text. Lines are counted from 0. */
export class Cursor {
  readonly text: string;
  /** Length of the document without the padding. */
  readonly length: number;
  pos = 0;
  line = 0;
  lineStart = 0;

  constructor(document: string) {
    this.text = document + PADDING;
    this.length = document.length;
  }

  get column(): number {
    return this.pos - this.lineStart;
  }

  /** The code unit at the place, or `ahead` of it; 0 at the end. */
  code(ahead = 0): number {
    return this.text.charCodeAt(this.pos + ahead);
  }

  isAtEnd(): boolean {
    return this.pos >= this.length;
  }

  /** Consumes one line break and gives what it contributes to a scalar: LF, except for LS and PS, which stay. */
  takeBreak(): string {
    const code = this.code();
    this.pos += 1;
    this.line += 1;
    this.lineStart = this.pos;
    return code === 0x2028 ? "\u2028" : code === 0x2029 ? "\u2029" : "\n";
  }

  /** Consumes spaces and tabs. */
  skipBlanks(): void {
    while (isBlank(this.code())) this.pos += 1;
  }

  /** Consumes everything up to the end of the line. */
  skipToBreak(): void {
    while (!isBreakOrEnd(this.code())) this.pos += 1;
  }

  /** Whether `---` or `...` stands alone at the start of the line. */
  isAtDocumentIndicator(): boolean {
    if (this.pos !== this.lineStart) return false;
    const first = this.code();
    return (
      (first === DASH || first === DOT) && this.code(1) === first && this.code(2) === first && isSeparator(this.code(3))
    );
  }

  fault(message: string, offset: number = this.pos): YamlFault {
    return new YamlFault(message, Math.min(offset, this.length));
  }
}
