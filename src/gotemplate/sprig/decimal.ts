import { formatDefault } from "../fmt/printer.ts";
import { failure } from "../go/failure.ts";
import { floatOf } from "../go/values.ts";

/** A decimal number, exactly: coefficient × 10^exponent. sprig's `addf` and its kin compute with these. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** Digits behind the point that a quotient is rounded to. */
const DIVISION_PRECISION = 16;

/** The shortest decimal that stands for the number, so that 0.1 is exactly a tenth. */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) {
    throw failure(`Cannot create a Decimal from ${formatDefault(floatOf(value))}`);
  }
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { coefficient: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

export function toNumber(decimal: Decimal): number {
  return Number(`${decimal.coefficient}e${decimal.exponent}`);
}

export function add(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent);
  return { coefficient: scaled(left, exponent) + scaled(right, exponent), exponent };
}

export function subtract(left: Decimal, right: Decimal): Decimal {
  return add(left, { ...right, coefficient: -right.coefficient });
}

export function multiply(left: Decimal, right: Decimal): Decimal {
  return { coefficient: left.coefficient * right.coefficient, exponent: left.exponent + right.exponent };
}

/** Rounds half away from zero. */
export function divide(left: Decimal, right: Decimal): Decimal {
  if (right.coefficient === 0n) {
    throw failure("decimal division by 0");
  }
  const exponent = Math.min(left.exponent, right.exponent);
  const numerator = scaled(left, exponent) * 10n ** BigInt(DIVISION_PRECISION);
  const denominator = scaled(right, exponent);
  const quotient = numerator / denominator;
  const remainder = numerator % denominator;
  const isAwayFromZero = 2n * magnitude(remainder) >= magnitude(denominator);
  const isNegative = left.coefficient < 0n !== right.coefficient < 0n;
  const step = isAwayFromZero ? (isNegative ? -1n : 1n) : 0n;
  return { coefficient: quotient + step, exponent: -DIVISION_PRECISION };
}

function scaled(decimal: Decimal, exponent: number): bigint {
  return decimal.coefficient * 10n ** BigInt(decimal.exponent - exponent);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
