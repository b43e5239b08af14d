import { parseFloat64, parseInteger, parseUnsigned } from "../go/number-text.ts";

/**
 * Which plain scalars YAML 1.1 does not read as text, as go-yaml v2 decides it: such text must be quoted.
 */

const WORDS: ReadonlySet<string> = new Set([
  ...["", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"],
  ...["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF"],
  ...[".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"],
]);

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const BASE60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const CLOCK = "([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?";
const TIMESTAMP = new RegExp(
  `^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]${CLOCK}(?:Z|[-+]([0-9]{2}):([0-9]{2}))| ${CLOCK})?$`,
);

/** Whether the text, unquoted, would be read as itself. */
export function readsAsText(text: string): boolean {
  if (WORDS.has(text) || BASE60.test(text)) {
    return false;
  }
  const first = text[0] ?? "";
  if (first === ".") {
    return parseFloat64(text) === undefined;
  }
  return !/[-+0-9]/.test(first) || !(isTimestamp(text) || isNumber(text.replaceAll("_", "")));
}

function isNumber(text: string): boolean {
  const isInteger = parseInteger(text) !== undefined || parseUnsigned(text) !== undefined;
  return isInteger || (FLOAT.test(text) && parseFloat64(text) !== undefined);
}

/** A date, or a date and a time that exist. */
function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (match === null) {
    return false;
  }
  const [year = 0, month = 0, day = 0, ...rest] = match.slice(1).map((part) => Number(part ?? 0));
  const [hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0, ...spaced] = rest;
  const [hourAfterBlank = 0, minuteAfterBlank = 0, secondAfterBlank = 0] = spaced;
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  const isTime = isClock(hour, minute, second) && isClock(hourAfterBlank, minuteAfterBlank, secondAfterBlank);
  return isDay && isTime && zoneHour <= 24 && zoneMinute < 60;
}

function isClock(hour: number, minute: number, second: number): boolean {
  return hour < 24 && minute < 60 && second < 60;
}

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}
