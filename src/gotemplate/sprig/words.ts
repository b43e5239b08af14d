import { toBytes, wellFormed } from "../go/bytes.ts";
import {
  isDigit,
  isLetter,
  isLower,
  isNumber,
  isPunctuation,
  isSpace,
  isTitle,
  isUpper,
  toLowerCharacter,
  toTitleCharacter,
  toUpperCharacter,
} from "../go/characters.ts";
import type { GoFunction } from "../go/values.ts";
import { fn, text } from "./signature.ts";

/** sprig's functions that know words and their letters' case. */
export const WORD_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  title: fn([text], text, title),
  untitle: fn([text], text, untitle),
  swapcase: fn([text], text, swapCase),
  nospace: fn([text], text, withoutSpace),
  initials: fn([text], text, initials),
  camelcase: fn([text], text, pascalCase),
  snakecase: fn([text], text, (str) => connected(str, "_")),
  kebabcase: fn([text], text, (str) => connected(str, "-")),
};

/** Go's deprecated strings.Title: a word starts after anything that is no letter, digit or underscore. */
function title(str: string): string {
  let previous = " ";
  let result = "";
  for (const character of wellFormed(str)) {
    result += isSeparator(previous) ? toTitleCharacter(character) : character;
    previous = character;
  }
  return result;
}

function isSeparator(character: string): boolean {
  if (character < "\u0080") {
    return !/[0-9A-Za-z_]/.test(character);
  }
  return !isLetter(character) && !isDigit(character) && isSpace(character);
}

function untitle(str: string): string {
  let isAtStart = true;
  let result = "";
  for (const character of wellFormed(str)) {
    const isGap = isSpace(character);
    result += !isGap && isAtStart ? toLowerCharacter(character) : character;
    isAtStart = isGap;
  }
  return result;
}

/** A small letter after a blank gets its title case. */
function swapCase(str: string): string {
  let isAfterBlank = true;
  let result = "";
  for (const character of wellFormed(str)) {
    if (isUpper(character) || isTitle(character)) {
      result += toLowerCharacter(character);
      isAfterBlank = false;
    } else if (isLower(character)) {
      result += isAfterBlank ? toTitleCharacter(character) : toUpperCharacter(character);
      isAfterBlank = false;
    } else {
      result += character;
      isAfterBlank = isSpace(character);
    }
  }
  return result;
}

/** The library behind sprig takes each byte for a character; where it drops nothing, it returns the text as it was. */
function withoutSpace(str: string): string {
  const characters = Array.from(toBytes(str), (byte) => String.fromCharCode(byte));
  const kept = characters.filter((character) => !isSpace(character));
  return kept.length === characters.length ? str : kept.join("");
}

function initials(str: string): string {
  let isAfterGap = true;
  let result = "";
  for (const byte of toBytes(str)) {
    const character = String.fromCharCode(byte);
    const isGap = isSpace(character);
    result += !isGap && isAfterGap ? character : "";
    isAfterGap = isGap;
  }
  return result;
}

function isConnector(character: string): boolean {
  return character === "-" || character === "_" || isSpace(character);
}

/** `some_words` to `SomeWords`; leading connectors stay, and so does all but the last of a run. */
function pascalCase(str: string): string {
  const characters = [...wellFormed(str)];
  const start = characters.findIndex((character) => !isConnector(character));
  if (start < 0) {
    return str + (characters.length > 0 ? (characters.at(-1) ?? "") : "");
  }
  let result = characters.slice(0, start).join("");
  let current = characters[start] ?? "";
  let isLowering = isUpper(current);
  current = toUpperCharacter(current);
  for (const character of characters.slice(start + 1)) {
    const previous = current;
    current = character;
    if (isConnector(current) && isConnector(previous)) {
      result += previous;
    } else if (isConnector(previous)) {
      isLowering = isUpper(current);
      current = toUpperCharacter(current);
    } else {
      isLowering &&= isUpper(current);
      current = isLowering ? toLowerCharacter(current) : current;
      result += previous;
    }
  }
  return result + current;
}

type WordType = "invalid" | "number" | "upper" | "alphabet" | "connector" | "punctuation" | "other";

interface Word {
  readonly type: WordType;
  readonly text: string;
}

const NO_WORD: Word = { type: "invalid", text: "" };

/** `HTTPServer2xx` to `http_server_2xx`: a number belongs to the word before it unless letters follow it. */
function connected(str: string, connector: string): string {
  return new WordJoiner(splitWords(str), connector).run();
}

/** Goes through the words with one of look-ahead, and decides between each two whether a connector belongs there. */
class WordJoiner {
  private readonly words: readonly Word[];
  private readonly connector: string;
  private at = 0;
  private out = "";

  constructor(words: readonly Word[], connector: string) {
    this.words = words;
    this.connector = connector;
  }

  run(): string {
    if (this.words.length === 0) {
      return "";
    }
    while (this.at < this.words.length - 1) {
      const previous = this.current();
      if (previous.type !== "connector") {
        this.write(previous);
      }
      this.at += 1;
      this.between(previous);
    }
    this.write(this.current());
    return this.out;
  }

  private current(): Word {
    return this.words[this.at] ?? NO_WORD;
  }

  private between(previous: Word): void {
    switch (previous.type) {
      case "number":
        this.writeTail();
        this.connect("invalid", "punctuation", "connector");
        return;
      case "connector":
        this.write(previous);
        return;
      case "punctuation":
        return;
      default:
        this.afterLetters();
    }
  }

  private afterLetters(): void {
    if (this.current().type !== "number") {
      this.connect("connector", "punctuation");
      return;
    }
    if (this.at === this.words.length - 1) {
      return;
    }
    const number = this.current();
    this.at += 1;
    if (this.current().type !== "alphabet") {
      this.write(number);
      this.connect("connector", "punctuation");
      return;
    }
    this.out += this.connector;
    this.write(number);
    this.writeTail();
    this.connect("invalid", "connector", "punctuation");
  }

  /** Letters and digits that follow a number without a capital belong to it. */
  private writeTail(): void {
    while (this.current().type === "alphabet" || this.current().type === "number") {
      this.write(this.current());
      this.at += 1;
    }
  }

  private connect(...unless: readonly WordType[]): void {
    if (!unless.includes(this.current().type)) {
      this.out += this.connector;
    }
  }

  private write(word: Word): void {
    if (word.type !== "upper" && word.type !== "connector") {
      this.out += word.text;
      return;
    }
    for (const character of word.text) {
      this.out += isConnector(character)
        ? this.connector
        : isUpper(character)
          ? toLowerCharacter(character)
          : character;
    }
  }
}

function splitWords(str: string): readonly Word[] {
  const characters = [...str];
  const words: Word[] = [];
  for (let at = 0; at < characters.length; ) {
    const type = wordType(characters[at] ?? "");
    const end = type === "upper" ? upperEnd(characters, at) : runEnd(characters, at, type);
    words.push({ type, text: characters.slice(at, end).join("") });
    at = end;
  }
  return words;
}

function wordType(character: string): WordType {
  if (isConnector(character)) {
    return "connector";
  }
  if (isPunctuation(character)) {
    return "punctuation";
  }
  if (isUpper(character)) {
    return "upper";
  }
  return isAlphabetic(character) ? "alphabet" : isNumber(character) ? "number" : "other";
}

/** Letters but Chinese ones, which have no words of this kind. */
function isAlphabetic(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const isChinese =
    (code >= 0x3400 && code <= 0x4d85) || (code >= 0x4e00 && code <= 0x9fcc) || (code >= 0x20000 && code <= 0x2b81d);
  return isLetter(character) && !isChinese;
}

function runEnd(characters: readonly string[], at: number, type: WordType): number {
  let end = at + 1;
  while (end < characters.length && continues(characters[end] ?? "", type)) {
    end += 1;
  }
  return end;
}

/** Hyphens and underscores connect, unless they stand behind other punctuation. */
function continues(character: string, type: WordType): boolean {
  return type === "punctuation" ? isPunctuation(character) : wordType(character) === type;
}

/** A capital and its small letters, or a run of capitals without the one that starts the next word. */
function upperEnd(characters: readonly string[], at: number): number {
  const next = wordType(characters[at + 1] ?? "");
  if (at + 1 >= characters.length || (next !== "upper" && next !== "alphabet")) {
    return at + 1;
  }
  const end = runEnd(characters, at + 1, next);
  const isFollowedByLetters = end < characters.length && wordType(characters[end] ?? "") === "alphabet";
  return next === "upper" && isFollowedByLetters ? end - 1 : end;
}
