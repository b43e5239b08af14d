import { isAlphaNumeric, isPrintable } from "../go/characters.ts";
import { quote } from "../go/quote.ts";
import { isKeyword, type Token, type TokenType } from "./tokens.ts";

const LEFT = "{{";
const RIGHT = "}}";
const LEFT_COMMENT = "/*";
const RIGHT_COMMENT = "*/";
/** A trim marker is a minus and the blank that must stand between it and the text. */
const MARKER_LENGTH = 2;
const TERMINATORS: ReadonlySet<string> = new Set(["", ".", ",", "|", ":", ")", "("]);

/** Words that are functions, and therefore no keywords. */
export interface LexerOptions {
  readonly isBreakFunction: boolean;
  readonly isContinueFunction: boolean;
}

/** Splits a template's text into tokens, on demand. After an error token the text counts as read. */
export class Lexer {
  private input: string;
  private readonly options: LexerOptions;
  private position = 0;
  private start = 0;
  private line = 1;
  private isInAction = false;
  private depth = 0;

  constructor(input: string, options: LexerOptions) {
    this.input = input;
    this.options = options;
  }

  /** The next token; `eof` for ever at the end. */
  next(): Token {
    return this.isInAction ? this.inAction() : this.text();
  }

  private token(type: TokenType): Token {
    const text = this.input.slice(this.start, this.position);
    const token: Token = { type, at: this.start, text, line: this.line };
    this.skip();
    return token;
  }

  /** Drops what was read since the last token. */
  private skip(): void {
    for (let at = this.input.indexOf("\n", this.start); at >= 0 && at < this.position; ) {
      this.line += 1;
      at = this.input.indexOf("\n", at + 1);
    }
    this.start = this.position;
  }

  private error(message: string): Token {
    const token: Token = { type: "error", at: this.start, text: message, line: this.line };
    this.input = "";
    this.position = 0;
    this.start = 0;
    return token;
  }

  private peek(): string {
    const unit = this.input[this.position] ?? "";
    const isHalf = unit >= "\ud800" && unit <= "\udbff";
    return isHalf ? unit + (this.input[this.position + 1] ?? "") : unit;
  }

  private advance(): string {
    const character = this.peek();
    this.position += character.length;
    return character;
  }

  /** Text up to the next action, without the blanks that the action's trim marker takes. */
  private text(): Token {
    const found = this.input.indexOf(LEFT, this.position);
    if (found < 0) {
      this.position = this.input.length;
      return this.token(this.position > this.start ? "text" : "eof");
    }
    if (found > this.position) {
      this.position = found;
      const isTrimmed = hasLeftMarker(this.input, found + LEFT.length);
      const kept = isTrimmed ? trimmedEnd(this.input, this.start, found) : found;
      this.position = kept;
      const token = this.token("text");
      this.position = found;
      this.skip();
      if (token.text !== "") {
        return token;
      }
    }
    return this.leftDelimiter();
  }

  private leftDelimiter(): Token {
    this.position += LEFT.length;
    const marker = hasLeftMarker(this.input, this.position) ? MARKER_LENGTH : 0;
    if (this.input.startsWith(LEFT_COMMENT, this.position + marker)) {
      this.position += marker;
      this.skip();
      return this.comment();
    }
    const token = this.token("leftDelim");
    this.isInAction = true;
    this.position += marker;
    this.skip();
    this.depth = 0;
    return token;
  }

  private comment(): Token {
    const close = this.input.indexOf(RIGHT_COMMENT, this.position + LEFT_COMMENT.length);
    if (close < 0) {
      return this.error("unclosed comment");
    }
    this.position = close + RIGHT_COMMENT.length;
    const delimiter = this.rightDelimiterHere();
    if (delimiter === undefined) {
      return this.error("comment ends before closing delimiter");
    }
    this.closeDelimiter(delimiter);
    this.skip();
    return this.text();
  }

  private rightDelimiterHere(): { readonly isTrimmed: boolean } | undefined {
    if (hasRightMarker(this.input, this.position)) {
      return { isTrimmed: true };
    }
    return this.input.startsWith(RIGHT, this.position) ? { isTrimmed: false } : undefined;
  }

  private closeDelimiter(delimiter: { readonly isTrimmed: boolean }): void {
    this.position += (delimiter.isTrimmed ? MARKER_LENGTH : 0) + RIGHT.length;
    if (delimiter.isTrimmed) {
      this.skipBlanks();
    }
  }

  private skipBlanks(): void {
    while (isBlank(this.input[this.position])) {
      this.position += 1;
    }
  }

  private rightDelimiter(delimiter: { readonly isTrimmed: boolean }): Token {
    if (delimiter.isTrimmed) {
      this.position += MARKER_LENGTH;
      this.skip();
    }
    this.position += RIGHT.length;
    const token = this.token("rightDelim");
    if (delimiter.isTrimmed) {
      this.skipBlanks();
      this.skip();
    }
    this.isInAction = false;
    return token;
  }

  private inAction(): Token {
    const delimiter = this.rightDelimiterHere();
    if (delimiter !== undefined) {
      return this.depth === 0 ? this.rightDelimiter(delimiter) : this.error("unclosed left paren");
    }
    const character = this.peek();
    if (character === "") {
      return this.error("unclosed action");
    }
    if (isBlank(character)) {
      return this.blanks();
    }
    return this.literal(character) ?? this.punctuation(character);
  }

  /** A run of blanks; its last one may belong to the closing delimiter's trim marker. */
  private blanks(): Token {
    const from = this.position;
    this.skipBlanks();
    if (hasRightMarker(this.input, this.position - 1)) {
      this.position -= 1;
      if (this.position === from) {
        return this.rightDelimiter({ isTrimmed: true });
      }
    }
    return this.token("space");
  }

  /** A token that its first character announces: text, number or name. */
  private literal(character: string): Token | undefined {
    switch (character) {
      case '"':
        return this.quoted({ delimiter: '"', type: "string", what: "quoted string" });
      case "'":
        return this.quoted({ delimiter: "'", type: "charConstant", what: "character constant" });
      case "`":
        return this.rawString();
      case "$":
        this.advance();
        return this.isAtTerminator() ? this.token("variable") : this.fieldOrVariable("variable");
      default:
        break;
    }
    // A point at the very end of the text is taken for a number as well, as Go does.
    const following = character === "." ? (this.input[this.position + 1] ?? "0") : character;
    if (isDecimalDigit(following) || character === "+" || character === "-") {
      return this.number();
    }
    if (character === ".") {
      this.advance();
      return this.isAtTerminator() ? this.token("dot") : this.fieldOrVariable("field");
    }
    return isAlphaNumeric(character) ? this.identifier() : undefined;
  }

  private punctuation(character: string): Token {
    this.advance();
    switch (character) {
      case "=":
        return this.token("assign");
      case ":":
        return this.advance() === "=" ? this.token("declare") : this.error("expected :=");
      case "|":
        return this.token("pipe");
      case "(":
        this.depth += 1;
        return this.token("leftParen");
      case ")":
        this.depth -= 1;
        return this.depth < 0 ? this.error("unexpected right paren") : this.token("rightParen");
      default:
        return character < "\u0080" && isPrintable(character)
          ? this.token("char")
          : this.error(`unrecognized character in action: ${characterName(character)}`);
    }
  }

  private identifier(): Token {
    this.skipName();
    if (!this.isAtTerminator()) {
      return this.error(`bad character ${characterName(this.peek())}`);
    }
    const word = this.input.slice(this.start, this.position);
    if (word === "true" || word === "false") {
      return this.token("bool");
    }
    const isFunction =
      (word === "break" && this.options.isBreakFunction) || (word === "continue" && this.options.isContinueFunction);
    return this.token(isKeyword(word) && !isFunction ? word : "identifier");
  }

  private fieldOrVariable(type: "field" | "variable"): Token {
    this.skipName();
    return this.isAtTerminator() ? this.token(type) : this.error(`bad character ${characterName(this.peek())}`);
  }

  private skipName(): void {
    for (let next = this.peek(); next !== "" && isAlphaNumeric(next); next = this.peek()) {
      this.position += next.length;
    }
  }

  /** Whether a name may end here: without this, `$x+2` and `.x.y-z` would be read in pieces. */
  private isAtTerminator(): boolean {
    const next = this.peek();
    return TERMINATORS.has(next) || isBlank(next) || this.input.startsWith(RIGHT, this.position);
  }

  private quoted(form: {
    readonly delimiter: string;
    readonly type: "string" | "charConstant";
    readonly what: string;
  }): Token {
    this.advance();
    for (;;) {
      let character = this.advance();
      if (character === form.delimiter) {
        return this.token(form.type);
      }
      if (character === "\\") {
        character = this.advance();
      }
      if (character === "" || character === "\n") {
        return this.error(`unterminated ${form.what}`);
      }
    }
  }

  private rawString(): Token {
    const close = this.input.indexOf("`", this.position + 1);
    if (close < 0) {
      return this.error("unterminated raw quoted string");
    }
    this.position = close + 1;
    return this.token("rawString");
  }

  private number(): Token {
    if (!this.scanNumber()) {
      return this.badNumber();
    }
    const sign = this.peek();
    if (sign !== "+" && sign !== "-") {
      return this.token("number");
    }
    const isComplex = this.scanNumber() && this.input[this.position - 1] === "i";
    return isComplex ? this.token("complex") : this.badNumber();
  }

  private badNumber(): Token {
    return this.error(`bad number syntax: ${quote(this.input.slice(this.start, this.position))}`);
  }

  /** Takes everything that looks like a number; the parser finds out whether it is one. */
  private scanNumber(): boolean {
    this.accept(/[+-]/);
    let digits = /[0-9_]/;
    if (this.accept(/0/)) {
      digits = this.accept(/[xX]/)
        ? /[0-9a-fA-F_]/
        : this.accept(/[oO]/)
          ? /[0-7_]/
          : this.accept(/[bB]/)
            ? /[01_]/
            : digits;
    }
    this.acceptRun(digits);
    if (this.accept(/\./)) {
      this.acceptRun(digits);
    }
    const exponent = digits.source === "[0-9_]" ? /[eE]/ : digits.source === "[0-9a-fA-F_]" ? /[pP]/ : undefined;
    if (exponent !== undefined && this.accept(exponent)) {
      this.accept(/[+-]/);
      this.acceptRun(/[0-9_]/);
    }
    this.accept(/i/);
    const next = this.peek();
    if (next !== "" && isAlphaNumeric(next)) {
      this.position += next.length;
      return false;
    }
    return true;
  }

  private accept(pattern: RegExp): boolean {
    const isAccepted = pattern.test(this.input[this.position] ?? "");
    this.position += isAccepted ? 1 : 0;
    return isAccepted;
  }

  private acceptRun(pattern: RegExp): void {
    while (this.accept(pattern)) {
      // accept() moves on by itself
    }
  }
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\t" || character === "\r";
}

function hasLeftMarker(input: string, at: number): boolean {
  return input[at] === "-" && isBlank(input[at + 1]);
}

function hasRightMarker(input: string, at: number): boolean {
  return input[at + 1] === "-" && isBlank(input[at]) && input.startsWith(RIGHT, at + MARKER_LENGTH);
}

function trimmedEnd(input: string, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(input[end - 1])) {
    end -= 1;
  }
  return end;
}

function isDecimalDigit(character: string): boolean {
  return character >= "0" && character <= "9" && character.length === 1;
}

/** Go's `%#U`: the code point, and the character where it can be seen. */
function characterName(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return isPrintable(character) ? `U+${code} '${character}'` : `U+${code}`;
}
