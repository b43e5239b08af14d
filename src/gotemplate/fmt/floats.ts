import { type FloatFormat, formatFloat } from "../go/float-text.ts";
import { type Flags, pad, padBlank } from "./flags.ts";

const FORMATS: ReadonlyMap<string, readonly [FloatFormat, number]> = new Map([
  ["v", ["g", -1]],
  ["b", ["b", -1]],
  ["g", ["g", -1]],
  ["G", ["G", -1]],
  ["x", ["x", -1]],
  ["X", ["X", -1]],
  ["f", ["f", 6]],
  ["F", ["f", 6]],
  ["e", ["e", 6]],
  ["E", ["E", 6]],
]);

/** A floating-point number as a verb prints it, or undefined for a verb that floats do not have. */
export function formatFloatVerb(value: number, verb: string, flags: Flags): string | undefined {
  const entry = FORMATS.get(verb);
  if (entry === undefined) {
    return undefined;
  }
  const [format, usual] = entry;
  const precision = flags.precision ?? usual;
  const plain = formatFloat(value, format, precision);
  const isSigned = plain[0] === "-" || plain[0] === "+";
  const sign = isSigned ? (plain[0] ?? "") : "+";
  const unsigned = isSigned ? plain.slice(1) : plain;
  const shownSign = flags.space && sign === "+" && !flags.plus ? " " : sign;
  if (!Number.isFinite(value)) {
    return padBlank(specialValue(unsigned, shownSign, flags), flags);
  }
  const number = flags.sharp && format !== "b" ? withPoint(unsigned, { format, precision }) : unsigned;
  return padNumber(number, shownSign, flags);
}

/** An infinity always has its sign, and NaN only where one is asked for. */
function specialValue(name: string, sign: string, flags: Flags): string {
  return name === "NaN" && !flags.space && !flags.plus ? name : sign + name;
}

function padNumber(number: string, sign: string, flags: Flags): string {
  if (!flags.plus && sign === "+") {
    return pad(number, flags);
  }
  const missing = (flags.width ?? 0) - number.length - 1;
  if (flags.zero && !flags.minus && missing > 0) {
    return sign + "0".repeat(missing) + number;
  }
  return pad(sign + number, flags);
}

/** The sharp flag keeps the decimal point and, for %g, the zeros behind it. */
function withPoint(number: string, form: { readonly format: FloatFormat; readonly precision: number }): string {
  const isHexadecimal = form.format === "x" || form.format === "X";
  const tailAt = number.search(isHexadecimal ? /[pP]/ : /[eE]/);
  const tail = tailAt < 0 ? "" : number.slice(tailAt);
  let body = tailAt < 0 ? number : number.slice(0, tailAt);
  let missing = missingDigits(body, form);
  if (!body.includes(".")) {
    if (body === "0") {
      missing -= 1;
    }
    body += ".";
  }
  return body + "0".repeat(Math.max(missing, 0)) + tail;
}

function missingDigits(body: string, form: { readonly format: FloatFormat; readonly precision: number }): number {
  const isCounted = form.format === "g" || form.format === "G" || form.format === "x";
  if (!isCounted) {
    return 0;
  }
  const wanted = form.precision === -1 ? 6 : form.precision;
  const significant = body.replace(".", "").replace(/^0+/, "");
  return wanted - significant.length;
}
