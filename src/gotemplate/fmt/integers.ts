import { isPrintable } from "../go/characters.ts";
import { quoteRune } from "../go/quote.ts";
import { type Flags, pad, padBlank } from "./flags.ts";

const MAX_RUNE = 0x10ffffn;

/** An integer as a verb prints it, or undefined for a verb that integers do not have. */
export function formatInteger(value: bigint, verb: string, flags: Flags): string | undefined {
  switch (verb) {
    case "v":
    case "d":
      return digits(value, { base: 10, verb }, flags);
    case "b":
      return digits(value, { base: 2, verb }, flags);
    case "o":
    case "O":
      return digits(value, { base: 8, verb }, flags);
    case "x":
    case "X":
      return digits(value, { base: 16, verb }, flags);
    case "c":
      return pad(String.fromCodePoint(runeOf(value)), flags);
    case "q":
      return pad(quoteRune(runeOf(value), flags.plus), flags);
    case "U":
      return padBlank(unicodeNotation(BigInt.asUintN(64, value), flags), flags);
    default:
      return undefined;
  }
}

/** `%#v` of an unsigned integer: hexadecimal with its prefix. */
export function formatHexadecimal(value: bigint, flags: Flags): string {
  return digits(value, { base: 16, verb: "v" }, { ...flags, sharp: true });
}

function digits(value: bigint, form: { readonly base: number; readonly verb: string }, flags: Flags): string {
  const isNegative = value < 0n;
  const magnitude = isNegative ? -value : value;
  if (flags.precision === 0 && magnitude === 0n) {
    return " ".repeat(flags.width ?? 0);
  }
  let text = magnitude.toString(form.base).padStart(leadingZeros(flags, isNegative), "0");
  if (form.verb === "X") {
    text = text.toUpperCase();
  }
  const sign = isNegative ? "-" : flags.plus ? "+" : flags.space ? " " : "";
  return padBlank(sign + prefix(text, form, flags) + text, flags);
}

/** `%.3d` and `%03d` ask for digits; a stated precision switches the zero flag off. */
function leadingZeros(flags: Flags, isNegative: boolean): number {
  if (flags.precision !== undefined) {
    return flags.precision;
  }
  if (!flags.zero || flags.minus || flags.width === undefined) {
    return 0;
  }
  return isNegative || flags.plus || flags.space ? flags.width - 1 : flags.width;
}

function prefix(text: string, form: { readonly base: number; readonly verb: string }, flags: Flags): string {
  let before = "";
  if (flags.sharp) {
    before = form.base === 2 ? "0b" : form.base === 16 ? `0${form.verb === "X" ? "X" : "x"}` : "";
    if (form.base === 8 && !text.startsWith("0")) {
      before = "0";
    }
  }
  return form.verb === "O" ? `0o${before}` : before;
}

function runeOf(value: bigint): number {
  const isCharacter = value >= 0n && value <= MAX_RUNE && !(value >= 0xd800n && value <= 0xdfffn);
  return isCharacter ? Number(value) : 0xfffd;
}

function unicodeNotation(value: bigint, flags: Flags): string {
  const precision = Math.max(flags.precision ?? 4, 4);
  const notation = `U+${value.toString(16).toUpperCase().padStart(precision, "0")}`;
  if (!flags.sharp || value > MAX_RUNE) {
    return notation;
  }
  const character = String.fromCodePoint(Number(value));
  return isPrintable(character) ? `${notation} '${character}'` : notation;
}
