import { isPrintable } from "../go/characters.ts";

/** The insides of character classes, as JavaScript spells them. */

const PERL: ReadonlyMap<string, string> = new Map([
  ["d", "0-9"],
  ["s", "\\t\\n\\f\\r "],
  ["w", "0-9A-Za-z_"],
]);

const POSIX: ReadonlyMap<string, string> = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["ascii", "\\x00-\\x7f"],
  ["blank", "\\t "],
  ["cntrl", "\\x00-\\x1f\\x7f"],
  ["digit", "0-9"],
  ["graph", "!-~"],
  ["lower", "a-z"],
  ["print", " -~"],
  ["punct", "!-\\/:-@\\[-`{-~"],
  ["space", "\\t\\n\\v\\f\\r "],
  ["upper", "A-Z"],
  ["word", "0-9A-Za-z_"],
  ["xdigit", "0-9A-Fa-f"],
]);

const GENERAL_CATEGORY = /^(?:C|L|M|N|P|S|Z|C[cfos]|L[lmotu]|M[cen]|N[dlo]|P[cdefios]|S[ckmo]|Z[lps])$/;
/** A range wider than this keeps its letters' case under (?i); nobody writes such a class by hand. */
const MAX_FOLDED_RANGE = 0x3000;

/** The inside of `\d`, `\S` and their kin; undefined for another letter. */
export function perlClass(letter: string): string | undefined {
  const inside = PERL.get(letter.toLowerCase());
  return inside === undefined || letter === letter.toLowerCase() ? inside : complement(letter.toLowerCase());
}

/** The inside of `[:alpha:]` or `[:^alpha:]`; undefined for another name. */
export function posixClass(
  name: string,
  form: { readonly isNegated: boolean; readonly folds: boolean },
): string | undefined {
  const inside = POSIX.get(name);
  if (inside === undefined) {
    return undefined;
  }
  const folded = form.folds && (name === "lower" || name === "upper") ? "A-Za-z" : inside;
  return form.isNegated ? complementOf(folded) : folded;
}

/** The inside of `\p{name}`; undefined where JavaScript's Unicode knows no such category or script. */
export function unicodeProperty(name: string, isNegated: boolean): string | undefined {
  if (name === "Any") {
    return isNegated ? "" : "\\u{0}-\\u{10ffff}";
  }
  const property = GENERAL_CATEGORY.test(name) ? name : `Script=${name}`;
  const translated = `\\${isNegated ? "P" : "p"}{${property}}`;
  return isPropertyKnown(translated) ? translated : undefined;
}

function complement(letter: string): string {
  return letter === "d" ? "\\D" : letter === "w" ? "\\W" : complementOf(PERL.get("s") ?? "");
}

/** The complement of an ASCII class, spelled out: JavaScript has no classes within classes without its v flag. */
function complementOf(inside: string): string {
  const members = new RegExp(`[${inside}]`, "u");
  let complemented = "\\x80-\\u{10ffff}";
  for (let code = 0; code < 0x80; code += 1) {
    if (!members.test(String.fromCharCode(code))) {
      complemented += escaped(code);
    }
  }
  return complemented;
}

export function rangeText(from: number, to: number): string {
  return from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`;
}

/** The other cases of a range's letters. */
export function foldedRange(from: number, to: number): string {
  if (to - from > MAX_FOLDED_RANGE) {
    return "";
  }
  const others = new Set<number>();
  for (let code = from; code <= to; code += 1) {
    for (const other of casesOf(code)) {
      if (other < from || other > to) {
        others.add(other);
      }
    }
  }
  return [...others].map(escaped).join("");
}

/** Characters that fold to the same one; the Kelvin sign and the long s are the two that ASCII letters meet. */
function casesOf(code: number): readonly number[] {
  const character = String.fromCodePoint(code);
  const cases = [character.toLowerCase(), character.toUpperCase()];
  if (/[kK\u212a]/.test(character)) {
    cases.push("k", "K", "\u212a");
  }
  if (/[sS\u017f]/.test(character)) {
    cases.push("s", "S", "\u017f");
  }
  return cases.filter((text) => [...text].length === 1).map((text) => text.codePointAt(0) ?? code);
}

/** A character that means itself, in a class and outside. */
export function escaped(code: number): string {
  const character = String.fromCodePoint(code);
  return /[0-9A-Za-z]/.test(character) || (code > 0x7f && isPrintable(character))
    ? character
    : `\\u{${code.toString(16)}}`;
}

function isPropertyKnown(property: string): boolean {
  try {
    return new RegExp(property, "u").unicode;
  } catch {
    return false;
  }
}
