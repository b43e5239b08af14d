import { parseInteger } from "../go/number-text.ts";
import type { GoFunction, Value } from "../go/values.ts";
import { any, fn, text } from "./signature.ts";

/** Nanoseconds, as Go counts durations. */
const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", SECOND],
  ["m", MINUTE],
  ["h", HOUR],
]);

const ROUNDED: readonly (readonly [bigint, string])[] = [
  [365n * DAY, "y"],
  [30n * DAY, "mo"],
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "m"],
  [SECOND, "s"],
];

const LIMIT = 1n << 63n;

/** sprig's functions on lengths of time, which need no clock. */
export const DURATION_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  duration: fn([any], text, (seconds) => durationText(BigInt.asIntN(64, secondsOf(seconds) * SECOND))),
  durationRound: fn([any], text, (duration) => roundedText(nanosecondsOf(duration))),
};

/** Text or an int64; sprig takes a plain int for 0. */
function secondsOf(value: Value): bigint {
  if (value.kind === "string") {
    return parseInteger(value.value, 10) ?? 0n;
  }
  return value.kind === "int" && value.type === "int64" ? value.value : 0n;
}

function nanosecondsOf(value: Value): bigint {
  if (value.kind === "string") {
    return parseDuration(value.value) ?? 0n;
  }
  return value.kind === "int" && value.type === "int64" ? value.value : 0n;
}

/** Go's time.ParseDuration; undefined where it returns an error. */
function parseDuration(str: string): bigint | undefined {
  const [, sign = "", body = ""] = /^([-+]?)(.*)$/su.exec(str) ?? [];
  if (body === "0") {
    return 0n;
  }
  if (!/^(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)[^0-9.]+)+$/u.test(body)) {
    return undefined;
  }
  let total = 0n;
  for (const [, whole = "", fraction = "", unitName = ""] of body.matchAll(/([0-9]*)\.?([0-9]*)([^0-9.]+)/gu)) {
    const unit = UNITS.get(unitName);
    if (unit === undefined) {
      return undefined;
    }
    total += BigInt(whole === "" ? "0" : whole) * unit + fractionOf(fraction, unit);
    if (total > LIMIT) {
      return undefined;
    }
  }
  const value = sign === "-" ? -total : total;
  return value >= LIMIT ? undefined : value;
}

function fractionOf(digits: string, unit: bigint): bigint {
  return digits === "" ? 0n : (BigInt(digits) * unit) / 10n ** BigInt(digits.length);
}

/** Go's Duration.String: hours, minutes and seconds, or a smaller unit below a second. */
function durationText(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size === 0n) {
    return "0s";
  }
  const hours = size / HOUR;
  const minutes = (size / MINUTE) % 60n;
  const seconds = (size / SECOND) % 60n;
  // sprig only ever passes whole seconds.
  const parts = hours > 0n ? `${hours}h${minutes}m` : minutes > 0n ? `${minutes}m` : "";
  return `${sign}${parts}${seconds}s`;
}

function roundedText(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const unit = ROUNDED.find(([length]) => size > length);
  return unit === undefined ? "0s" : `${size / unit[0]}${unit[1]}`;
}
