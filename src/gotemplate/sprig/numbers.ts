import { formatDefault } from "../fmt/printer.ts";
import { failure } from "../go/failure.ts";
import { parseInteger } from "../go/number-text.ts";
import type { GoFunction, Value } from "../go/values.ts";
import { toFloat, toInteger } from "./casts.ts";
import { add, type Decimal, decimalOf, divide, multiply, subtract, toNumber } from "./decimal.ts";
import { any, type Codec, float, fn, int, int64, ints, text, variadic } from "./signature.ts";

const MAX_INT64 = (1n << 63n) - 1n;
/** Longer sequences are refused. */
const MAX_SEQUENCE = 10_000_000n;

/** sprig's arithmetic: on int64 with wrap-around, on decimals for the names that end in f. */
export const NUMBER_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  atoi: fn([text], int, atoi),
  int: fn([any], int, toInteger),
  int64: fn([any], int64, toInteger),
  float64: fn([any], float, toFloat),
  toDecimal: fn([any], int64, (value) => parseInteger(formatDefault(value), 8) ?? 0n),
  add1: fn([any], int64, (value) => toInteger(value) + 1n),
  add: folded([], (values) => values.reduce((sum, value) => wrap(sum + value), 0n)),
  mul: folded([any], (values) => values.reduce((product, value) => wrap(product * value), 1n)),
  max: folded([any], (values) => values.reduce(larger)),
  biggest: folded([any], (values) => values.reduce(larger)),
  min: folded([any], (values) => values.reduce(smaller)),
  sub: fn([any, any], int64, (left, right) => toInteger(left) - toInteger(right)),
  div: fn([any, any], int64, (left, right) => toInteger(left) / divisor(right)),
  mod: fn([any, any], int64, (left, right) => toInteger(left) % divisor(right)),
  maxf: foldedFloats((values) => Math.max(...values)),
  minf: foldedFloats((values) => Math.min(...values)),
  ceil: fn([any], float, (value) => Math.ceil(toFloat(value))),
  floor: fn([any], float, (value) => Math.floor(toFloat(value))),
  round: variadic({ params: [any, int], rest: float, result: float }, ([value, places], [roundOn = 0.5]) =>
    rounded(toFloat(value), Number(places), roundOn),
  ),
  add1f: fn([any], float, (value) => toNumber(add(decimalOf(toFloat(value)), decimalOf(1)))),
  addf: variadic({ params: [], rest: any, result: float }, (_, values) => decimals(decimalOf(0), values, add)),
  subf: decimalFunction(subtract),
  mulf: decimalFunction(multiply),
  divf: decimalFunction(divide),
  until: fn([int], ints, (count) => sequence(0n, count, count < 0n ? -1n : 1n)),
  untilStep: fn([int, int, int], ints, sequence),
  seq: variadic({ params: [], rest: int, result: text }, (_, params) => spacedSequence(params)),
};

function folded(params: readonly Codec<Value>[], fold: (values: readonly bigint[]) => bigint): GoFunction {
  return variadic({ params, rest: any, result: int64 }, (fixed, rest) => fold([...fixed, ...rest].map(toInteger)));
}

function foldedFloats(fold: (values: readonly number[]) => number): GoFunction {
  return variadic({ params: [any], rest: any, result: float }, ([first], rest) => fold([first, ...rest].map(toFloat)));
}

function decimalFunction(operate: (left: Decimal, right: Decimal) => Decimal): GoFunction {
  return variadic({ params: [any], rest: any, result: float }, ([first], rest) =>
    decimals(decimalOf(toFloat(first)), rest, operate),
  );
}

function decimals(
  first: Decimal,
  values: readonly Value[],
  operate: (left: Decimal, right: Decimal) => Decimal,
): number {
  return toNumber(values.reduce((result, value) => operate(result, decimalOf(toFloat(value))), first));
}

function larger(left: bigint, right: bigint): bigint {
  if (right > left) {
    return right;
  }
  return left;
}

function smaller(left: bigint, right: bigint): bigint {
  return larger(left, right) === left ? right : left;
}

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function divisor(value: Value): bigint {
  const number = toInteger(value);
  if (number === 0n) {
    throw failure("runtime error: integer divide by zero");
  }
  return number;
}

/** Go's strconv.Atoi with the error thrown away: beyond the range it is the nearest number, else 0. */
function atoi(str: string): bigint {
  if (!/^[-+]?[0-9]+$/.test(str)) {
    return 0n;
  }
  const value = BigInt(str.replace(/^\+/, ""));
  return value > MAX_INT64 ? MAX_INT64 : value < -MAX_INT64 - 1n ? -MAX_INT64 - 1n : value;
}

function rounded(value: number, places: number, roundOn: number): number {
  const power = 10 ** places;
  const digit = power * value;
  const fraction = digit - Math.trunc(digit);
  return (fraction >= roundOn ? Math.ceil(digit) : Math.floor(digit)) / power;
}

function sequence(start: bigint, stop: bigint, step: bigint): readonly bigint[] {
  const isRising = stop >= start;
  if (isRising ? step <= 0n : step >= 0n) {
    return [];
  }
  if ((stop - start) / step > MAX_SEQUENCE) {
    throw failure(`a sequence of more than ${MAX_SEQUENCE} numbers is refused`);
  }
  const numbers: bigint[] = [];
  for (let number = start; isRising ? number < stop : number > stop; number += step) {
    numbers.push(number);
  }
  return numbers;
}

/** The shell's seq: END, or START END, or START STEP END, both ends included. */
function spacedSequence(params: readonly bigint[]): string {
  const [first = 0n, second = 0n, third = 0n] = params;
  switch (params.length) {
    case 1:
      return inclusive(1n, first, first < 1n ? -1n : 1n);
    case 2:
      return inclusive(first, second, second < first ? -1n : 1n);
    case 3:
      return third < first && second > 0n ? "" : inclusive(first, third, second);
    default:
      return "";
  }
}

function inclusive(start: bigint, end: bigint, step: bigint): string {
  return sequence(start, end + (end < start ? -1n : 1n), step).join(" ");
}
