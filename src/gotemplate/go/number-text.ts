/** Go's strconv.ParseInt, ParseUint and ParseFloat: what is a number, exactly, and what is not. */

const MAX_UINT64 = (1n << 64n) - 1n;
const MAX_INT64 = (1n << 63n) - 1n;
const MIN_INT64 = -(1n << 63n);

const DIGITS: Readonly<Record<number, RegExp>> = {
  2: /^[01]+$/,
  8: /^[0-7]+$/,
  10: /^[0-9]+$/,
  16: /^[0-9a-fA-F]+$/,
};
const PREFIX: Readonly<Record<number, string>> = { 2: "0b", 8: "0o", 10: "", 16: "0x" };

/** ParseInt(text, base, 64); base 0 reads Go's prefixes and underscores. Undefined where Go returns an error. */
export function parseInteger(text: string, base: 0 | 2 | 8 | 10 = 0): bigint | undefined {
  const sign = text[0] === "-" || text[0] === "+" ? text[0] : "";
  const magnitude = parseUnsigned(text.slice(sign.length), base);
  if (magnitude === undefined || (base === 0 && text.includes("_") && !areUnderscoresPlaced(text))) {
    return undefined;
  }
  const value = sign === "-" ? -magnitude : magnitude;
  return value < MIN_INT64 || value > MAX_INT64 ? undefined : value;
}

/** ParseUint(text, base, 64): no sign. Undefined where Go returns an error. */
export function parseUnsigned(text: string, base: 0 | 2 | 8 | 10 = 0): bigint | undefined {
  const literal = base === 0 ? splitPrefix(text) : { radix: base, digits: text };
  let digits = literal.digits;
  if (base === 0 && digits.includes("_")) {
    if (!areUnderscoresPlaced(text)) {
      return undefined;
    }
    digits = digits.replaceAll("_", "");
  }
  if (digits === "" && literal.radix === 8 && base === 0 && text !== "" && !/[oO]/.test(text)) {
    return 0n;
  }
  if (!DIGITS[literal.radix]?.test(digits)) {
    return undefined;
  }
  const value = BigInt(`${PREFIX[literal.radix]}${digits}`);
  return value > MAX_UINT64 ? undefined : value;
}

function splitPrefix(text: string): { readonly radix: number; readonly digits: string } {
  if (text[0] !== "0") {
    return { radix: 10, digits: text };
  }
  const letter = (text[1] ?? "").toLowerCase();
  const radix = letter === "b" ? 2 : letter === "o" ? 8 : letter === "x" ? 16 : undefined;
  if (radix !== undefined && text.length >= 3) {
    return { radix, digits: text.slice(2) };
  }
  return { radix: 8, digits: text.slice(1) };
}

/** An underscore must stand between digits; a base prefix counts as a digit. */
function areUnderscoresPlaced(text: string): boolean {
  let rest = text.replace(/^[-+]/, "");
  let last = "^";
  const isHex = /^0[xX]/.test(rest);
  if (/^0[boxBOX]/.test(rest)) {
    rest = rest.slice(2);
    last = "0";
  }
  for (const character of rest) {
    const isDigit = /[0-9]/.test(character) || (isHex && /[a-fA-F]/.test(character));
    if (character === "_" ? last !== "0" : !isDigit && last === "_") {
      return false;
    }
    last = character === "_" ? "_" : isDigit ? "0" : "!";
  }
  return last !== "_";
}

const DECIMAL = /^[-+]?(?=[0-9_]*\.?[0-9_]*[0-9])[0-9_]*\.?[0-9_]*(?:[eE][-+]?[0-9][0-9_]*)?$/;
const HEXADECIMAL =
  /^([-+]?)0[xX](?=[0-9a-fA-F_]*\.?[0-9a-fA-F_]*)([0-9a-fA-F_]*)\.?([0-9a-fA-F_]*)[pP]([-+]?[0-9][0-9_]*)$/;
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ["inf", Number.POSITIVE_INFINITY],
  ["+inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["+infinity", Number.POSITIVE_INFINITY],
  ["-infinity", Number.NEGATIVE_INFINITY],
  ["nan", Number.NaN],
]);

/** ParseFloat(text, 64). Undefined where Go returns an error, which includes numbers beyond the range. */
export function parseFloat64(text: string): number | undefined {
  const special = SPECIAL.get(text.toLowerCase());
  if (special !== undefined) {
    return special;
  }
  if (text.includes("_") && !areUnderscoresPlaced(text)) {
    return undefined;
  }
  const hexadecimal = HEXADECIMAL.exec(text);
  const value = hexadecimal ? hexadecimalFloat(hexadecimal) : decimalFloat(text);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

function decimalFloat(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text.replaceAll("_", "")) : undefined;
}

function hexadecimalFloat(match: RegExpExecArray): number | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match.map((part) => part?.replaceAll("_", ""));
  const digits = whole + fraction;
  if (digits === "") {
    return undefined;
  }
  const magnitude = scale(BigInt(`0x${digits}`), Number(exponent) - 4 * fraction.length);
  return sign === "-" ? -magnitude : magnitude;
}

/** mantissa × 2^exponent in two steps, because the power alone may be no number: the first step is exact. */
function scale(mantissa: bigint, exponent: number): number {
  const last = Math.sign(exponent) * Math.min(Math.abs(exponent), 200);
  return Number(mantissa) * 2 ** (exponent - last) * 2 ** last;
}
