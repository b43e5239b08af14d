import { parseFloat64, parseInteger } from "../go/number-text.ts";
import type { Value } from "../go/values.ts";

/** sprig's casts never fail: what is no number is 0. */

const MIN_INT64 = -(1n << 63n);
const LIMIT_INT64 = 2 ** 63;

/** A value as int64: numbers cut, text read with Go's prefixes, booleans 0 or 1, everything else 0. */
export function toInteger(value: Value): bigint {
  switch (value.kind) {
    case "int":
      return BigInt.asIntN(64, value.value);
    case "float64":
      return truncated(value.value);
    case "bool":
      return value.value ? 1n : 0n;
    case "string":
      return parseInteger(withoutZeroDecimals(value.value)) ?? 0n;
    default:
      return 0n;
  }
}

/** A value as float64, by the same rules. */
export function toFloat(value: Value): number {
  switch (value.kind) {
    case "int":
      return Number(value.value);
    case "float64":
      return value.value;
    case "bool":
      return value.value ? 1 : 0;
    case "string":
      return parseFloat64(value.value) ?? 0;
    default:
      return 0;
  }
}

/** What amd64's conversion makes of numbers beyond int64 is its smallest number. */
function truncated(value: number): bigint {
  return value >= -LIMIT_INT64 && value < LIMIT_INT64 ? BigInt(Math.trunc(value)) : MIN_INT64;
}

/** `8.00` reads as 8, and `8.05` as it stands. */
function withoutZeroDecimals(text: string): string {
  return text.replace(/\.0+$/, "");
}
