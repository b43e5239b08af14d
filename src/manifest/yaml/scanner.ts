import {
  COLON,
  Cursor,
  DASH,
  DOT,
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
import { scanAnchor, scanTag } from "./scan-property.ts";
import { scanBlock, scanPlain, scanQuoted } from "./scan-scalar.ts";
import { TOKEN, type TokenKind, TokenList } from "./tokens.ts";
import { YamlFault } from "./yaml-fault.ts";

/** How deep collections may be nested. The original stops at 10,000; nothing real comes near this. */
export const MAX_DEPTH = 1000;

/** What is said of a document that goes on behind its end. */
export const CONTENT_BEHIND = 'content behind the end of the document: separate it by "---"';

const BYTE_ORDER_MARK = 0xfeff;

/** A key without `?` must have its `:` on the same line and within this many characters. */
const MAX_SIMPLE_KEY = 1024;

/** Characters with which no plain scalar starts; `-`, `?` and `:` may, where no blank follows. */
const INDICATORS = ",[]{}#&*!|>'\"%@`";

/** Something that turns out to be a key when a `:` follows; one for each open flow collection, and one for the block. */
interface SimpleKey {
  isPossible: boolean;
  /** It stands where only a key can: not becoming one is a fault. */
  isRequired: boolean;
  /** Index of its first token. */
  token: number;
  offset: number;
  line: number;
  column: number;
}

/**
 * Turns one document into tokens by the rules of YAML 1.1 as libyaml knows them, which Go's YAML library follows: the
 * places where that differs from YAML 1.2 (where tabs may stand, what ends a plain scalar, which keys are simple) are
 * what makes a document mean the same here as for kubectl. Blocks are made explicit: indentation becomes start and end
 * tokens.
 */
export class Scanner {
  readonly tokens: TokenList = new TokenList();
  readonly #cursor: Cursor;
  readonly #simpleKeys: SimpleKey[] = [freshKey()];
  readonly #indents: number[] = [];
  /** Column of the innermost block collection; -1 outside all of them. */
  #indent = -1;
  #flowDepth = 0;
  #isKeyAllowed = true;

  constructor(document: string) {
    this.#cursor = new Cursor(document);
  }

  /** Scans to the end. Throws YamlFault. */
  scan(): TokenList {
    const cursor = this.#cursor;
    while (cursor.code() === BYTE_ORDER_MARK) cursor.pos += 1;
    cursor.lineStart = cursor.pos;
    while (this.#scanNext());
    return this.tokens;
  }

  #scanNext(): boolean {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unrollIndent(cursor.column);
    if (cursor.isAtEnd()) {
      this.#unrollIndent(-1);
      this.#dropSimpleKey();
      this.tokens.push(TOKEN.end, cursor.length);
      return false;
    }
    if (this.#scanDocumentMarker()) return this.tokens.kind(this.tokens.length - 1) !== TOKEN.end;
    if (!(this.#scanFlowIndicator() || this.#scanBlockIndicator())) this.#scanContent();
    return true;
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      // A tab is no indentation: not at the start of a line, nor behind `-`, `?` and `:` where a block may begin.
      const areTabsBlank = this.#flowDepth > 0 || !this.#isKeyAllowed;
      for (;;) {
        const code = cursor.code();
        if (code !== SPACE && !(code === TAB && areTabsBlank)) break;
        cursor.pos += 1;
      }
      if (cursor.code() === HASH) cursor.skipToBreak();
      if (!isBreak(cursor.code())) return;
      cursor.takeBreak();
      if (this.#flowDepth === 0) this.#isKeyAllowed = true;
    }
  }

  #scanDocumentMarker(): boolean {
    const cursor = this.#cursor;
    if (cursor.column !== 0) return false;
    if (cursor.text.charAt(cursor.pos) === "%") {
      // kubectl ends a document at `---`, and a directive needs one behind it.
      throw cursor.fault("a directive (%) is not accepted: remove the line");
    }
    if (!cursor.isAtDocumentIndicator()) return false;
    this.#unrollIndent(-1);
    this.#dropSimpleKey();
    this.#isKeyAllowed = false;
    if (cursor.code() === DOT) this.#endDocument();
    else if (this.tokens.length > 0) throw cursor.fault(CONTENT_BEHIND);
    else {
      this.tokens.push(TOKEN.documentStart, cursor.pos);
      cursor.pos += 3;
    }
    return true;
  }

  /** kubectl reads nothing behind `...`, be it YAML or not. Blank lines and comments are no loss. */
  #endDocument(): void {
    const cursor = this.#cursor;
    this.tokens.push(TOKEN.documentEnd, cursor.pos);
    for (cursor.pos += 3; !cursor.isAtEnd(); cursor.takeBreak()) {
      if (cursor.isAtDocumentIndicator() && cursor.code() === DOT) cursor.pos += 3;
      cursor.skipBlanks();
      if (cursor.code() === HASH) cursor.skipToBreak();
      if (!isBreakOrEnd(cursor.code())) throw cursor.fault(CONTENT_BEHIND);
    }
    this.tokens.push(TOKEN.end, cursor.length);
  }

  #scanFlowIndicator(): boolean {
    const { text, pos } = this.#cursor;
    switch (text.charAt(pos)) {
      case "[":
        this.#openFlow(TOKEN.flowSequenceStart);
        return true;
      case "{":
        this.#openFlow(TOKEN.flowMappingStart);
        return true;
      case "]":
        this.#closeFlow(TOKEN.flowSequenceEnd);
        return true;
      case "}":
        this.#closeFlow(TOKEN.flowMappingEnd);
        return true;
      case ",":
        this.#dropSimpleKey();
        this.#isKeyAllowed = true;
        this.#pushIndicator(TOKEN.flowEntry);
        return true;
      default:
        return false;
    }
  }

  #scanBlockIndicator(): boolean {
    const cursor = this.#cursor;
    const code = cursor.code();
    if (code !== DASH && code !== COLON && code !== 0x3f) return false;
    const isSeparate = isSeparator(cursor.code(1));
    if (code === DASH) {
      if (!isSeparate) return false;
      this.#scanEntry();
    } else {
      if (!isSeparate && this.#flowDepth === 0) return false;
      if (code === COLON) this.#scanValue();
      else this.#scanExplicitKey();
    }
    return true;
  }

  #scanContent(): void {
    const cursor = this.#cursor;
    const start = cursor.pos;
    const character = cursor.text.charAt(start);
    const code = cursor.code();
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      this.#beginNode();
      this.tokens.push(TOKEN.quoted, start, scanQuoted(cursor));
    } else if (character === "&" || character === "*") {
      this.#beginNode();
      this.tokens.push(character === "&" ? TOKEN.anchor : TOKEN.alias, start, scanAnchor(cursor));
    } else if (character === "!") {
      this.#beginNode();
      this.tokens.push(TOKEN.tag, start, scanTag(cursor));
    } else if ((character === "|" || character === ">") && this.#flowDepth === 0) {
      this.#dropSimpleKey();
      this.#isKeyAllowed = true;
      this.tokens.push(TOKEN.quoted, start, scanBlock(cursor, this.#indent));
    } else if (this.#canStartPlain(character)) {
      this.#beginNode();
      const plain = scanPlain(cursor, { isFlow: this.#flowDepth > 0, indent: this.#indent + 1 });
      this.tokens.push(TOKEN.plain, start, plain.value);
      if (plain.endsAfterBreak) this.#isKeyAllowed = true;
    } else if (code === TAB) {
      throw cursor.fault("a tab is used as indentation: use spaces");
    } else throw cursor.fault(`"${character}" cannot start a value: quote it`);
  }

  #canStartPlain(character: string): boolean {
    const next = this.#cursor.code(1);
    if (character === "-") return !isBlank(next);
    if (character === "?" || character === ":") return this.#flowDepth === 0 && !isSeparator(next);
    return !INDICATORS.includes(character) && !isSeparator(this.#cursor.code());
  }

  #pushIndicator(kind: TokenKind): void {
    this.tokens.push(kind, this.#cursor.pos);
    this.#cursor.pos += 1;
  }

  /** What begins here may be a key; nothing behind it on the line may be one. */
  #beginNode(): void {
    this.#saveSimpleKey();
    this.#isKeyAllowed = false;
  }

  #openFlow(kind: TokenKind): void {
    this.#saveSimpleKey();
    this.#simpleKeys.push(freshKey());
    this.#flowDepth += 1;
    this.#refuseDepth(this.#flowDepth);
    this.#isKeyAllowed = true;
    this.#pushIndicator(kind);
  }

  #closeFlow(kind: TokenKind): void {
    this.#dropSimpleKey();
    if (this.#flowDepth > 0) {
      this.#flowDepth -= 1;
      this.#simpleKeys.pop();
    }
    this.#isKeyAllowed = false;
    this.#pushIndicator(kind);
  }

  #scanEntry(): void {
    if (this.#flowDepth === 0) {
      if (!this.#isKeyAllowed) throw this.#cursor.fault('a list entry ("- ") cannot stand here');
      this.#rollIndent(this.#cursor.column, this.tokens.length, TOKEN.blockSequenceStart);
    }
    this.#dropSimpleKey();
    this.#isKeyAllowed = true;
    this.#pushIndicator(TOKEN.blockEntry);
  }

  #scanExplicitKey(): void {
    if (this.#flowDepth === 0) {
      if (!this.#isKeyAllowed) throw this.#cursor.fault('a key ("? ") cannot stand here');
      this.#rollIndent(this.#cursor.column, this.tokens.length, TOKEN.blockMappingStart);
    }
    this.#dropSimpleKey();
    this.#isKeyAllowed = this.#flowDepth === 0;
    this.#pushIndicator(TOKEN.key);
  }

  #scanValue(): void {
    const key = this.#simpleKey;
    if (this.#isStillPossible(key)) {
      this.tokens.insert(key.token, TOKEN.key, key.offset);
      this.#rollIndent(key.column, key.token, TOKEN.blockMappingStart);
      key.isPossible = false;
      this.#isKeyAllowed = false;
    } else {
      if (this.#flowDepth === 0) {
        if (!this.#isKeyAllowed) throw this.#cursor.fault('a value (": ") cannot stand here: quote the text before it');
        this.#rollIndent(this.#cursor.column, this.tokens.length, TOKEN.blockMappingStart);
      }
      this.#isKeyAllowed = this.#flowDepth === 0;
    }
    this.#pushIndicator(TOKEN.value);
  }

  get #simpleKey(): SimpleKey {
    const key = this.#simpleKeys.at(-1);
    if (key === undefined) throw this.#cursor.fault("unbalanced brackets");
    return key;
  }

  #saveSimpleKey(): void {
    if (!this.#isKeyAllowed) return;
    this.#dropSimpleKey();
    const cursor = this.#cursor;
    const key = this.#simpleKey;
    key.isPossible = true;
    key.isRequired = this.#flowDepth === 0 && this.#indent === cursor.column;
    key.token = this.tokens.length;
    key.offset = cursor.pos;
    key.line = cursor.line;
    key.column = cursor.column;
  }

  #dropSimpleKey(): void {
    const key = this.#simpleKey;
    if (key.isPossible && key.isRequired) throw this.#missingColon(key);
    key.isPossible = false;
  }

  #isStillPossible(key: SimpleKey): boolean {
    if (!key.isPossible) return false;
    const cursor = this.#cursor;
    if (key.line === cursor.line && !this.#isTooLong(key)) return true;
    if (key.isRequired) throw this.#missingColon(key);
    return false;
  }

  /** The limit counts characters; a surrogate pair is one. */
  #isTooLong(key: SimpleKey): boolean {
    const { pos, text } = this.#cursor;
    const units = pos - key.offset;
    if (units <= MAX_SIMPLE_KEY || units > 2 * MAX_SIMPLE_KEY) return units > MAX_SIMPLE_KEY;
    return [...text.slice(key.offset, pos)].length > MAX_SIMPLE_KEY;
  }

  #missingColon(key: SimpleKey): YamlFault {
    return this.#cursor.fault('a ":" is missing behind this key, or the line is indented wrongly', key.offset);
  }

  /** Opens a block collection where `column` is deeper than the block around it. */
  #rollIndent(column: number, index: number, kind: TokenKind): void {
    if (this.#flowDepth > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#refuseDepth(this.#indents.length);
    this.tokens.insert(index, kind, this.tokens.length === index ? this.#cursor.pos : this.tokens.offset(index));
  }

  #unrollIndent(column: number): void {
    if (this.#flowDepth > 0) return;
    while (this.#indent > column) {
      this.tokens.push(TOKEN.blockEnd, this.#cursor.pos);
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #refuseDepth(depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new YamlFault(`more than ${MAX_DEPTH} levels of nesting`, this.#cursor.pos, "LimitExceeded");
    }
  }
}

function freshKey(): SimpleKey {
  return { isPossible: false, isRequired: false, token: 0, offset: 0, line: 0, column: 0 };
}
