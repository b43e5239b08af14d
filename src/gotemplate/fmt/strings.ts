import { toBytes } from "../go/bytes.ts";
import { canBackquote, quote } from "../go/quote.ts";
import { type Flags, pad } from "./flags.ts";

/** A string as a verb prints it, or undefined for a verb that strings do not have. */
export function formatString(text: string, verb: string, flags: Flags): string | undefined {
  switch (verb) {
    case "v":
      return flags.sharpV ? quoted(text, flags) : plainString(text, flags);
    case "s":
      return plainString(text, flags);
    case "q":
      return quoted(text, flags);
    case "x":
    case "X":
      return hexadecimal(text, verb, flags);
    default:
      return undefined;
  }
}

/** Text cut to the precision, in characters, and filled to the width. */
export function plainString(text: string, flags: Flags): string {
  return pad(truncate(text, flags), flags);
}

function truncate(text: string, flags: Flags): string {
  return flags.precision === undefined ? text : [...text].slice(0, flags.precision).join("");
}

function quoted(text: string, flags: Flags): string {
  const shown = truncate(text, flags);
  if (flags.sharp && canBackquote(shown)) {
    return pad(`\`${shown}\``, flags);
  }
  return pad(quote(shown, flags.plus), flags);
}

function hexadecimal(text: string, verb: "x" | "X", flags: Flags): string {
  const bytes = toBytes(text);
  const shown = bytes.subarray(0, flags.precision ?? bytes.length);
  const prefix = flags.sharp ? `0${verb}` : "";
  const pairs = Array.from(shown, (byte) => byte.toString(16).padStart(2, "0"));
  const cased = verb === "X" ? pairs.map((pair) => pair.toUpperCase()) : pairs;
  if (cased.length === 0) {
    return pad("", flags);
  }
  return pad(flags.space ? cased.map((pair) => prefix + pair).join(" ") : prefix + cased.join(""), flags);
}
