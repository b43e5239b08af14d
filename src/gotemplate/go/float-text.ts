/**
 * Go's strconv.FormatFloat. JavaScript's own toFixed and toPrecision round ties away from zero; Go rounds the exact
 * value half to even, so the exact decimal expansion is computed here.
 */

export type FloatFormat = "e" | "E" | "f" | "g" | "G" | "b" | "x" | "X";

/** Significant decimal digits and the place of the decimal point: 0.DIGITS × 10^point. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** Formats a number; precision -1 means as few digits as identify it. */
export function formatFloat(value: number, format: FloatFormat, precision = -1): string {
  if (Number.isNaN(value)) {
    return "NaN";
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return sign + formatMagnitude(Math.abs(value), format, precision);
}

function formatMagnitude(value: number, format: FloatFormat, precision: number): string {
  switch (format) {
    case "b":
      return binaryFloat(value);
    case "x":
      return hexFloat(value, precision);
    case "X":
      return hexFloat(value, precision).toUpperCase();
    case "f":
      return precision < 0 ? shortestFixed(shortest(value)) : fixed(roundAt(value, precision), precision);
    case "e":
    case "E":
      return exponentFormat(value, format, precision);
    case "g":
    case "G":
      return generalFormat(value, format, precision);
  }
}

function exponentFormat(value: number, letter: "e" | "E", precision: number): string {
  const decimal = precision < 0 ? shortest(value) : roundTo(exact(value), precision + 1);
  return scientific(decimal, precision < 0 ? decimal.digits.length - 1 : precision, letter);
}

/** %g: an exponent where it is below -4 or not below the precision; 21 digits do not matter here, Go's limit is 6. */
function generalFormat(value: number, format: "g" | "G", precision: number): string {
  const isShortest = precision < 0;
  const wanted = precision === 0 ? 1 : precision;
  const decimal = isShortest ? shortest(value) : roundTo(exact(value), wanted);
  const count = decimal.digits.length;
  const digits = isShortest ? count : wanted;
  let limit = digits > count && count >= decimal.point ? count : digits;
  if (isShortest) {
    limit = 6;
  }
  const exponent = decimal.point - 1;
  if (count > 0 && (exponent < -4 || exponent >= limit)) {
    return scientific(decimal, Math.min(digits, count) - 1, format === "g" ? "e" : "E");
  }
  return shortestFixed(decimal);
}

function shortestFixed(decimal: Decimal): string {
  return fixed(decimal, Math.max(decimal.digits.length - decimal.point, 0));
}

function fixed(decimal: Decimal, precision: number): string {
  const { digits, point } = decimal;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  if (precision <= 0) {
    return whole;
  }
  const fraction = point >= 0 ? digits.slice(point) : "0".repeat(-point) + digits;
  return `${whole}.${fraction.slice(0, precision).padEnd(precision, "0")}`;
}

function scientific(decimal: Decimal, precision: number, letter: "e" | "E"): string {
  const first = decimal.digits[0] ?? "0";
  const fraction = precision > 0 ? `.${decimal.digits.slice(1, precision + 1).padEnd(precision, "0")}` : "";
  const exponent = decimal.digits === "" ? 0 : decimal.point - 1;
  const sign = exponent < 0 ? "-" : "+";
  return `${first}${fraction}${letter}${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** The fewest digits that read back as the same number: what toExponential() without an argument gives. */
function shortest(value: number): Decimal {
  if (value === 0) {
    return { digits: "", point: 0 };
  }
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  return { digits: mantissa.replace(".", ""), point: Number(exponent) + 1 };
}

/** The exact decimal expansion; every binary fraction has a finite one. */
function exact(value: number): Decimal {
  if (value === 0) {
    return { digits: "", point: 0 };
  }
  const { mantissa, exponent } = decompose(value);
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString();
    return { digits, point: digits.length };
  }
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits, point: digits.length + exponent };
}

function roundAt(value: number, decimals: number): Decimal {
  const decimal = exact(value);
  return roundTo(decimal, decimal.point + decimals);
}

/** Rounds to a number of significant digits, half to even. */
function roundTo(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal;
  if (count >= digits.length) {
    return { digits: digits.replace(/0+$/, ""), point };
  }
  if (count < 0) {
    return { digits: "", point: 0 };
  }
  const kept = digits.slice(0, count);
  if (!isRoundedUp(digits, count)) {
    return trimmed(kept, point);
  }
  const raised = (BigInt(kept === "" ? "0" : kept) + 1n).toString().padStart(count, "0");
  return trimmed(raised, point + raised.length - count);
}

function isRoundedUp(digits: string, count: number): boolean {
  const next = digits[count] ?? "0";
  const isHalf = next === "5" && /^0*$/.test(digits.slice(count + 1));
  if (isHalf) {
    return count > 0 && Number(digits[count - 1]) % 2 === 1;
  }
  return next >= "5";
}

function trimmed(digits: string, point: number): Decimal {
  const significant = digits.replace(/0+$/, "");
  return significant === "" ? { digits: "", point: 0 } : { digits: significant, point };
}

/** value = mantissa × 2^exponent, with the mantissa of the stored form. */
function decompose(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const stored = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  const mantissa = stored === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa, exponent: Math.max(stored, 1) - 1075 };
}

function binaryFloat(value: number): string {
  const { mantissa, exponent } = decompose(value);
  return `${mantissa}p${exponent >= 0 ? "+" : "-"}${Math.abs(exponent)}`;
}

/** %x: a hexadecimal mantissa with one digit before the point, and a power of two. */
function hexFloat(value: number, precision: number): string {
  let { mantissa, exponent } = decompose(value);
  if (mantissa === 0n) {
    return `0x0${precision > 0 ? `.${"0".repeat(precision)}` : ""}p+00`;
  }
  // Go shifts the leading one up to bit 60: one hexadecimal digit before the point and fifteen behind it.
  while (mantissa < 1n << 60n) {
    mantissa <<= 1n;
    exponent -= 1;
  }
  exponent += 60;
  if (precision >= 0 && precision < 15) {
    const shift = BigInt(precision * 4);
    const extra = (mantissa << shift) & ((1n << 60n) - 1n);
    mantissa >>= 60n - shift;
    if ((extra | (mantissa & 1n)) > 1n << 59n) {
      mantissa += 1n;
    }
    mantissa <<= 60n - shift;
    if (mantissa & (1n << 61n)) {
      mantissa >>= 1n;
      exponent += 1;
    }
  }
  const fraction = (mantissa & ((1n << 60n) - 1n)).toString(16).padStart(15, "0");
  const shown = precision < 0 ? fraction.replace(/0+$/, "") : fraction.slice(0, precision).padEnd(precision, "0");
  const power = `${exponent >= 0 ? "+" : "-"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return `0x1${shown === "" ? "" : `.${shown}`}p${power}`;
}
