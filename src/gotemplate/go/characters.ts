import { isAssigned } from "./assigned.ts";
import { wellFormed } from "./bytes.ts";

/** Unicode as Go's package unicode sees it: one character in, one character out, no locale and no context. */

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;
const NUMBER = /^\p{N}$/u;
const UPPER = /^\p{Lu}$/u;
const LOWER = /^\p{Ll}$/u;
const TITLE = /^\p{Lt}$/u;
const PUNCTUATION = /^\p{P}$/u;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SPACES = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/u;

/** Upper, title and lower case of the letters that are two in one. */
const DIGRAPHS: readonly string[] = [
  "\u01c4\u01c5\u01c6",
  "\u01c7\u01c8\u01c9",
  "\u01ca\u01cb\u01cc",
  "\u01f1\u01f2\u01f3",
];

export function isLetter(character: string): boolean {
  return LETTER.test(character) && isAssigned(character);
}

export function isDigit(character: string): boolean {
  return DIGIT.test(character) && isAssigned(character);
}

export function isNumber(character: string): boolean {
  return NUMBER.test(character) && isAssigned(character);
}

export function isUpper(character: string): boolean {
  return UPPER.test(character) && isAssigned(character);
}

export function isLower(character: string): boolean {
  // Unicode 17 made this one (a pharyngeal fricative) a letter without case.
  return (LOWER.test(character) && isAssigned(character)) || character === "\u0295";
}

export function isTitle(character: string): boolean {
  return TITLE.test(character) && isAssigned(character);
}

export function isPunctuation(character: string): boolean {
  return PUNCTUATION.test(character) && isAssigned(character);
}

export function isSpace(character: string): boolean {
  return SPACES.test(character);
}

/** Go's IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(character: string): boolean {
  return PRINTABLE.test(character) && isAssigned(character);
}

/** Letters, digits and the underscore: what a template's identifier is made of. */
export function isAlphaNumeric(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 0x80) {
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
  }
  return isLetter(character) || isDigit(character);
}

/** The simple mapping: where JavaScript's would be several characters (ß), Go's leaves the character alone. */
export function toUpperCharacter(character: string): string {
  const upper = character.toUpperCase();
  if (!isOneCharacter(upper)) return withIota(character);
  return isAssigned(character) && isAssigned(upper) ? upper : character;
}

/** Greek vowels with a small iota below: their simple upper-case form keeps it, the full one writes it out. */
function withIota(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0x1f80 && code <= 0x1faf && (code & 8) === 0) {
    return String.fromCharCode(code + 8);
  }
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? String.fromCharCode(code + 9) : character;
}

/** Title case: upper case, but for the digraphs that have a form of their own, and Georgian, which has none. */
export function toTitleCharacter(character: string): string {
  const digraph = DIGRAPHS.find((group) => group.includes(character));
  if (digraph !== undefined) {
    return digraph[1] ?? character;
  }
  return character >= "\u10d0" && character <= "\u10ff" ? character : toUpperCharacter(character);
}

export function toLowerCharacter(character: string): string {
  // U+0130 (I with a dot) is the one character whose full lower-case mapping is longer than its simple one.
  const lower = character === "\u0130" ? "i" : character.toLowerCase();
  return isOneCharacter(lower) && isAssigned(character) && isAssigned(lower) ? lower : character;
}

export function toUpperText(text: string): string {
  return mapCharacters(text, toUpperCharacter);
}

export function toLowerText(text: string): string {
  return mapCharacters(text, toLowerCharacter);
}

/** Go's strings.TrimSpace. */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text[from] ?? "")) {
    from += 1;
  }
  while (to > from && isSpace(text[to - 1] ?? "")) {
    to -= 1;
  }
  return text.slice(from, to);
}

/** Like Go's strings.Map, which writes U+FFFD for a byte that is no UTF-8. */
function mapCharacters(text: string, map: (character: string) => string): string {
  let mapped = "";
  for (const character of wellFormed(text)) {
    mapped += map(character);
  }
  return mapped;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}
