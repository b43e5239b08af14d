import { failure } from "../go/failure.ts";
import { parseFloat64, parseInteger, parseUnsigned } from "../go/number-text.ts";
import { quote, unquoteCharacter } from "../go/quote.ts";

/** What a number in a template may stand for. Where the context names no type, the spelling decides. */
export interface NumberConstant {
  /** Its value as a signed integer, where it has one. */
  readonly int: bigint | undefined;
  /** Its value as an unsigned integer, where it has one: a constant beyond int64 is still a number. */
  readonly uint: bigint | undefined;
  readonly float: number | undefined;
  readonly complex: { readonly real: number; readonly imaginary: number } | undefined;
}

const COMPLEX = /^(.*[0-9.])([+-].*)i$/;
const LIMIT_INT64 = 2 ** 63;
const LIMIT_UINT64 = 2 ** 64;

/**
 * Reads a number or character constant.
 *
 * @throws KeelsonError InvalidTemplate with Go's text, without a place
 */
export function parseConstant(text: string, type: "number" | "charConstant" | "complex"): NumberConstant {
  if (type === "charConstant") {
    return characterConstant(text);
  }
  if (type === "complex") {
    return complexConstant(text);
  }
  const imaginary = text.endsWith("i") ? parseFloat64(text.slice(0, -1)) : undefined;
  if (imaginary !== undefined) {
    return simplified(0, imaginary);
  }
  return integerConstant(text) ?? floatConstant(text);
}

function characterConstant(text: string): NumberConstant {
  const { code, next } = unquoteCharacter(text, 1, "'");
  if (next !== text.length - 1) {
    throw failure(`malformed character constant: ${text}`);
  }
  return { int: BigInt(code), uint: BigInt(code), float: code, complex: undefined };
}

function complexConstant(text: string): NumberConstant {
  const [, realText = "", imaginaryText = ""] = COMPLEX.exec(text) ?? [];
  const real = parseFloat64(realText);
  const imaginary = parseFloat64(imaginaryText);
  if (real === undefined || imaginary === undefined) {
    throw failure("syntax error scanning complex number");
  }
  return simplified(real, imaginary);
}

/** A complex number without an imaginary part is a real one as well. */
function simplified(real: number, imaginary: number): NumberConstant {
  const float = imaginary === 0 ? real : undefined;
  return {
    complex: { real, imaginary },
    float,
    int: float === undefined ? undefined : wholeNumber(float, -LIMIT_INT64, LIMIT_INT64),
    uint: float === undefined ? undefined : wholeNumber(float, 0, LIMIT_UINT64),
  };
}

function integerConstant(text: string): NumberConstant | undefined {
  const int = parseInteger(text);
  const uint = parseUnsigned(text) ?? (int === 0n ? 0n : undefined);
  const value = int ?? uint;
  return value === undefined ? undefined : { int, uint, float: Number(value), complex: undefined };
}

function floatConstant(text: string): NumberConstant {
  const float = parseFloat64(text);
  if (float === undefined) {
    throw failure(`illegal number syntax: ${quote(text)}`);
  }
  if (!/[.eEpP]/.test(text)) {
    throw failure(`integer overflow: ${quote(text)}`);
  }
  return {
    float,
    int: wholeNumber(float, -LIMIT_INT64, LIMIT_INT64),
    uint: wholeNumber(float, 0, LIMIT_UINT64),
    complex: undefined,
  };
}

function wholeNumber(value: number, from: number, below: number): bigint | undefined {
  return Number.isInteger(value) && value >= from && value < below ? BigInt(value) : undefined;
}
