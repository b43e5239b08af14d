import { failure } from "../go/failure.ts";
import { escaped, foldedRange, perlClass, posixClass, rangeText, unicodeProperty } from "./regex-classes.ts";

/** A Go regular expression in JavaScript's syntax (flags `su`), and its groups' names by number. */
export interface TranslatedRegex {
  readonly source: string;
  readonly groupNames: readonly (string | undefined)[];
}

/** The flags of `(?imsU)`. */
interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

const CONTROL: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
]);

const MAX_REPEAT = 1000;
/**
 * Translates Go's RE2 syntax. Both engines prefer the leftmost match and the first alternative; what differs is the
 * spelling of flags, anchors and classes, and Go has no look-around and no back-references.
 *
 * @throws KeelsonError InvalidTemplate `error parsing regexp: …`, Go's text
 */
export function translateRegex(pattern: string): TranslatedRegex {
  return new Translator(pattern).run();
}

class Translator {
  private readonly pattern: string;
  private at = 0;
  private flags: Flags = { i: false, m: false, s: false, U: false };
  private readonly groupNames: (string | undefined)[] = [undefined];
  private readonly groupFlags: Flags[] = [];
  /** The pieces of the groups that are open, the outermost first. */
  private readonly open: string[][] = [[]];
  /** Where the repetition before this place started, if one ended here. */
  private repeatedFrom: number | undefined;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  run(): TranslatedRegex {
    while (this.at < this.pattern.length) {
      const start = this.at;
      const isRepetition = this.element();
      this.repeatedFrom = isRepetition ? start : undefined;
    }
    if (this.open.length > 1) {
      this.fail("missing closing )", this.pattern);
    }
    return { source: (this.open[0] ?? []).join(""), groupNames: this.groupNames };
  }

  /** One element; true where it was a repetition. */
  private element(): boolean {
    const character = this.character();
    switch (character) {
      case "(":
        this.openGroup();
        return false;
      case ")":
        this.closeGroup();
        return false;
      case "*":
      case "+":
      case "?":
        this.at += 1;
        this.repeat(character, this.at - 1);
        return true;
      case "{":
        return this.counted();
      default:
        this.push(this.atom(character));
        return false;
    }
  }

  private atom(character: string): string {
    if (character === "[") {
      return this.characterClass();
    }
    if (character === "\\") {
      return this.escape();
    }
    this.at += character.length;
    switch (character) {
      case "|":
        return "|";
      case "^":
        return this.flags.m ? "(?:(?<![^\\n]))" : "(?:^)";
      case "$":
        return this.flags.m ? "(?:(?![^\\n]))" : "(?:$)";
      case ".":
        return this.flags.s ? "." : "[^\\n]";
      default:
        return this.literal(character.codePointAt(0) ?? 0);
    }
  }

  private openGroup(): void {
    if (this.pattern[this.at + 1] !== "?") {
      this.at += 1;
      this.beginGroup("(");
      this.groupNames.push(undefined);
      return;
    }
    const rest = this.pattern.slice(this.at);
    if (/^\(\?P<./.test(rest) || /^\(\?<./.test(rest)) {
      this.namedGroup(rest);
      return;
    }
    this.flagGroup();
  }

  private namedGroup(rest: string): void {
    const end = rest.indexOf(">");
    if (end < 0) {
      this.fail("invalid named capture", rest);
    }
    const name = rest.slice(rest.indexOf("<") + 1, end);
    if (!/^[A-Za-z0-9_]+$/.test(name)) {
      this.fail("invalid named capture", rest.slice(0, end + 1));
    }
    if (this.groupNames.includes(name)) {
      this.fail("duplicate capture group name", name);
    }
    this.at += end + 1;
    this.beginGroup("(");
    this.groupNames.push(name);
  }

  /** `(?flags)`, `(?flags:…)`, `(?:…)`. */
  private flagGroup(): void {
    const start = this.at;
    const match = /^\(\?([imsU]*)(-?)([imsU]*)([:)])/.exec(this.pattern.slice(start));
    const isNegationEmpty = match?.[2] === "-" && match[3] === "";
    if (match === null || isNegationEmpty) {
      this.fail("invalid or unsupported Perl syntax", badFlags(this.pattern.slice(start)));
    }
    const [whole = "", on = "", , off = "", end] = match;
    this.at += whole.length;
    if (end === ":") {
      this.beginGroup("(?:");
    }
    const has = (name: keyof Flags): boolean => !off.includes(name) && (on.includes(name) || this.flags[name]);
    this.flags = { i: has("i"), m: has("m"), s: has("s"), U: has("U") };
  }

  private beginGroup(opening: string): void {
    this.groupFlags.push(this.flags);
    this.open.push([opening]);
  }

  private closeGroup(): void {
    if (this.open.length === 1) {
      this.fail("unexpected )", this.pattern);
    }
    this.at += 1;
    const pieces = this.open.pop() ?? [];
    this.push(`${pieces.join("")})`);
    this.flags = this.groupFlags.pop() ?? this.flags;
  }

  private counted(): boolean {
    const start = this.at;
    const match = /^\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}/.exec(this.pattern.slice(start));
    if (match === null) {
      this.at += 1;
      this.push("\\{");
      return false;
    }
    const [whole, least = "0", comma, most] = match;
    const upper = comma === undefined ? least : (most ?? "-1");
    this.at += whole.length;
    const isTooLarge = Number(least) > MAX_REPEAT || Number(upper) > MAX_REPEAT;
    if (isTooLarge || (Number(upper) >= 0 && Number(least) > Number(upper))) {
      this.fail("invalid repeat count", whole);
    }
    this.repeat(whole, start);
    return true;
  }

  private repeat(operator: string, start: number): void {
    let isLazy = this.flags.U;
    if (this.pattern[this.at] === "?") {
      this.at += 1;
      isLazy = !isLazy;
    }
    if (this.repeatedFrom !== undefined) {
      this.fail("invalid nested repetition operator", this.pattern.slice(this.repeatedFrom, this.at));
    }
    const pieces = this.open.at(-1) ?? [];
    const isAtOpening = this.open.length > 1 && pieces.length === 1;
    const previous = pieces.at(-1);
    if (previous === undefined || previous === "|" || isAtOpening) {
      this.fail("missing argument to repetition operator", this.pattern.slice(start, this.at));
    }
    pieces[pieces.length - 1] = `${previous}${operator}${isLazy ? "?" : ""}`;
  }

  private escape(): string {
    const letter = this.pattern[this.at + 1] ?? "";
    switch (letter) {
      case "A":
        return this.skip(2, "(?:^)");
      case "z":
        return this.skip(2, "(?:$)");
      case "b":
        return this.skip(2, "(?:\\b)");
      case "B":
        return this.skip(2, "(?:\\B)");
      case "C":
        return this.fail("invalid escape sequence", "\\C");
      case "Q":
        return this.quoted();
      default:
        break;
    }
    const named = this.namedClass();
    if (named !== undefined) {
      return `[${named}]`;
    }
    return this.literal(this.escapedCharacter());
  }

  private skip(count: number, translated: string): string {
    this.at += count;
    return translated;
  }

  /** `\Q…\E`: the last of the quoted characters is what a repetition would repeat. */
  private quoted(): string {
    const close = this.pattern.indexOf("\\E", this.at + 2);
    const characters = [...this.pattern.slice(this.at + 2, close < 0 ? undefined : close)];
    this.at = close < 0 ? this.pattern.length : close + 2;
    const pieces = characters.map((character) => this.literal(character.codePointAt(0) ?? 0));
    for (const piece of pieces.slice(0, -1)) {
      this.push(piece);
    }
    return pieces.at(-1) ?? "(?:)";
  }

  /** `\d`, `\PL`, `\p{Greek}` as the inside of a class; undefined where no class is spelled. */
  private namedClass(): string | undefined {
    const letter = this.pattern[this.at + 1] ?? "";
    if (letter === "p" || letter === "P") {
      return this.unicodeClass(letter);
    }
    const inside = perlClass(letter);
    this.at += inside === undefined ? 0 : 2;
    return inside;
  }

  private unicodeClass(letter: string): string {
    const rest = this.pattern.slice(this.at);
    const match = /^\\[pP](?:\{(\^?)([^}]*)\}|([^{]))/u.exec(rest);
    if (match === null) {
      return this.fail("invalid character class range", rest);
    }
    const [whole, caret = "", braced, single] = match;
    const name = braced ?? single ?? "";
    this.at += whole.length;
    const isNegated = (letter === "P") !== (caret === "^");
    return unicodeProperty(name, isNegated) ?? this.fail("invalid character class range", whole);
  }

  private characterClass(): string {
    const start = this.at;
    const isNegated = this.pattern[start + 1] === "^";
    this.at += isNegated ? 2 : 1;
    let inside = "";
    for (let isFirst = true; isFirst || this.pattern[this.at] !== "]"; isFirst = false) {
      inside += this.classMember(start);
    }
    this.at += 1;
    return `[${isNegated ? "^" : ""}${inside}]`;
  }

  private classMember(start: number): string {
    const rest = this.pattern.slice(this.at);
    if (rest.startsWith("[:") && rest.indexOf(":]", 2) > 0) {
      return this.namedPosixClass(rest);
    }
    if (rest.startsWith("\\")) {
      const named = this.namedClass();
      if (named !== undefined) {
        return named;
      }
    }
    const from = this.classCharacter(start);
    let to = from;
    const isRange = this.pattern[this.at] === "-" && (this.pattern[this.at + 1] ?? "]") !== "]";
    if (isRange) {
      this.at += 1;
      to = this.classCharacter(start);
      if (to < from) {
        this.fail("invalid character class range", rest.slice(0, rest.length - (this.pattern.length - this.at)));
      }
    }
    return rangeText(from, to) + (this.flags.i ? foldedRange(from, to) : "");
  }

  private namedPosixClass(rest: string): string {
    const end = rest.indexOf(":]", 2);
    const isNegated = rest[2] === "^";
    const name = rest.slice(isNegated ? 3 : 2, end);
    const inside = posixClass(name, { isNegated, folds: this.flags.i });
    if (inside === undefined) {
      return this.fail("invalid character class range", rest.slice(0, end + 2));
    }
    this.at += end + 2;
    return inside;
  }

  private classCharacter(start: number): number {
    if (this.at >= this.pattern.length) {
      return this.fail("missing closing ]", this.pattern.slice(start));
    }
    const character = this.character();
    if (character === "\\") {
      return this.escapedCharacter();
    }
    this.at += character.length;
    return character.codePointAt(0) ?? 0;
  }

  /** An escape that stands for one character. */
  private escapedCharacter(): number {
    const rest = this.pattern.slice(this.at);
    if (rest.length === 1) {
      this.fail("trailing backslash at end of expression", "");
    }
    const numeric = /^\\(?:(0[0-7]{0,2}|[1-7][0-7]{1,2})|x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]+)\})/.exec(rest);
    if (numeric !== null) {
      const [whole, octal, short, long] = numeric;
      const code = octal === undefined ? Number.parseInt(short ?? long ?? "", 16) : Number.parseInt(octal, 8);
      if (code <= 0x10ffff) {
        this.at += whole.length;
        return code;
      }
    }
    const character = String.fromCodePoint(rest.codePointAt(1) ?? 0);
    const control = CONTROL.get(character);
    if (control === undefined && (/[0-9A-Za-z]/.test(character) || character > "\u007f")) {
      this.fail("invalid escape sequence", badEscape(rest));
    }
    this.at += 1 + character.length;
    return control ?? character.codePointAt(0) ?? 0;
  }

  private literal(code: number): string {
    const folded = this.flags.i ? foldedRange(code, code) : "";
    return folded === "" ? escaped(code) : `[${escaped(code)}${folded}]`;
  }

  private character(): string {
    return String.fromCodePoint(this.pattern.codePointAt(this.at) ?? 0);
  }

  private push(piece: string): void {
    this.open.at(-1)?.push(piece);
  }

  private fail(what: string, where: string): never {
    throw failure(`error parsing regexp: ${what}: \`${where}\``);
  }
}

/** How far Go reads before it gives up on `(?…`. */
function badFlags(rest: string): string {
  return /^\(\?(?:[imsU]*-?[imsU]*)(?:.|\n)?/u.exec(rest)?.[0] ?? rest;
}

function badEscape(rest: string): string {
  if (!rest.startsWith("\\x")) {
    return [...rest].slice(0, 2).join("");
  }
  const braced = /^\\x\{[0-9a-fA-F]*(?:.|\n)?/u.exec(rest)?.[0];
  return braced ?? [...rest].slice(0, 4).join("");
}
