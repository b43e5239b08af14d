import { formatDefault } from "../fmt/printer.ts";
import { sprintf } from "../fmt/printf.ts";
import { byteLength, byteSlice, compareStrings } from "../go/bytes.ts";
import { toLowerText, toUpperText, trimSpace } from "../go/characters.ts";
import { boundsFailure, failure } from "../go/failure.ts";
import { quote } from "../go/quote.ts";
import { type GoFunction, mapOf, stringOf, type Value } from "../go/values.ts";
import { any, bool, fn, int, strings, text, typed, variadic } from "./signature.ts";
import { strslice, strval } from "./strval.ts";

/** Longer results are refused: Go would be out of memory, or nearly so. */
const MAX_REPEATED = 1 << 28;

const stringMap = typed("map[string]string");

/** sprig's functions on strings, apart from those that know words. */
export const STRING_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  trim: fn([text], text, trimSpace),
  upper: fn([text], text, toUpperText),
  lower: fn([text], text, toLowerText),
  trunc: fn([int, text], text, trunc),
  substr: fn([int, int, text], text, substring),
  repeat: fn([int, text], text, repeat),
  trimAll: fn([text, text], text, trimAll),
  trimall: fn([text, text], text, trimAll),
  trimSuffix: fn([text, text], text, (suffix, str) =>
    suffix !== "" && str.endsWith(suffix) ? str.slice(0, -suffix.length) : str,
  ),
  trimPrefix: fn([text, text], text, (prefix, str) => (str.startsWith(prefix) ? str.slice(prefix.length) : str)),
  contains: fn([text, text], bool, (part, str) => str.includes(part)),
  hasPrefix: fn([text, text], bool, (prefix, str) => str.startsWith(prefix)),
  hasSuffix: fn([text, text], bool, (suffix, str) => str.endsWith(suffix)),
  quote: variadic({ params: [], rest: any, result: text }, (_, values) => quoted(values, (v) => quote(strval(v)))),
  squote: variadic({ params: [], rest: any, result: text }, (_, values) => quoted(values, (v) => `'${strval(v)}'`)),
  cat: variadic({ params: [], rest: any, result: text }, (_, values) => cat(values)),
  indent: fn([int, text], text, indent),
  nindent: fn([int, text], text, (spaces, str) => `\n${indent(spaces, str)}`),
  replace: fn([text, text, text], text, (old, by, str) => replaceAll(str, old, by)),
  plural: fn([text, text, int], text, (one, many, count) => (count === 1n ? one : many)),
  toString: fn([any], text, strval),
  toStrings: fn([any], strings, strslice),
  join: fn([text, any], text, (separator, values) => strslice(values).join(separator)),
  sortAlpha: fn([any], strings, sortAlpha),
  split: fn([text, text], stringMap, (separator, str) => numbered(splitText(str, separator))),
  splitn: fn([text, int, text], stringMap, (separator, count, str) =>
    numbered(splitText(str, separator, Number(count))),
  ),
  splitList: fn([text, text], strings, (separator, str) => splitText(str, separator)),
  hello: fn([], text, () => "Hello!"),
};

function trunc(count: bigint, str: string): string {
  const length = BigInt(byteLength(str));
  if (count < 0n && length + count > 0n) {
    return byteSlice(str, Number(length + count), Number(length));
  }
  return count >= 0n && length > count ? byteSlice(str, 0, Number(count)) : str;
}

function substring(start: bigint, end: bigint, str: string): string {
  const length = byteLength(str);
  const size = BigInt(length);
  if (start < 0n) {
    if (end < 0n) {
      throw boundsFailure(`:${end}`);
    }
    if (end > size) {
      throw failure(`runtime error: slice bounds out of range [:${end}] with length ${length}`);
    }
    return byteSlice(str, 0, Number(end));
  }
  const to = end < 0n || end > size ? size : end;
  if (start > to) {
    throw boundsFailure(`${start}:${to}`);
  }
  return byteSlice(str, Number(start), Number(to));
}

export function repeat(count: bigint, str: string): string {
  if (count < 0n) {
    throw failure("strings: negative Repeat count");
  }
  if (count * BigInt(str.length) > MAX_REPEATED) {
    throw failure("strings: Repeat output length overflow");
  }
  return str.repeat(Number(count));
}

/** Takes every character of the set away from both ends. */
function trimAll(set: string, str: string): string {
  const cut = new Set(set);
  const characters = [...str];
  let from = 0;
  let to = characters.length;
  while (from < to && cut.has(characters[from] ?? "")) {
    from += 1;
  }
  while (to > from && cut.has(characters[to - 1] ?? "")) {
    to -= 1;
  }
  return characters.slice(from, to).join("");
}

function quoted(values: readonly Value[], print: (value: Value) => string): string {
  return values
    .filter((value) => value.kind !== "nil")
    .map(print)
    .join(" ");
}

/** `%v` for each value that is not nil, with blanks between. */
function cat(values: readonly Value[]): string {
  const shown = values.filter((value) => value.kind !== "nil");
  return sprintf(trimSpace("%v ".repeat(shown.length)), shown);
}

function indent(spaces: bigint, str: string): string {
  const pad = repeat(spaces, " ");
  return pad + str.replaceAll("\n", `\n${pad}`);
}

/** Go's strings.Replace: an empty pattern matches before each character and at the end. */
function replaceAll(str: string, old: string, by: string): string {
  if (old === "") {
    return `${by}${[...str].map((character) => character + by).join("")}`;
  }
  return str.split(old).join(by);
}

function sortAlpha(values: Value): readonly string[] {
  return values.kind === "slice" ? [...strslice(values)].sort(compareStrings) : [formatDefault(values)];
}

/** Go's strings.SplitN: at most `limit` parts, the last one with the rest; a negative limit is none. */
export function splitText(str: string, separator: string, limit = -1): readonly string[] {
  if (limit === 0) {
    return [];
  }
  if (separator === "") {
    const characters = [...str];
    return limit < 0 || characters.length <= limit
      ? characters
      : [...characters.slice(0, limit - 1), characters.slice(limit - 1).join("")];
  }
  const parts = str.split(separator);
  return limit < 0 || parts.length <= limit
    ? parts
    : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function numbered(parts: readonly string[]): Value {
  return mapOf(new Map(parts.map((part, index) => [`_${index}`, stringOf(part)])), "string");
}
