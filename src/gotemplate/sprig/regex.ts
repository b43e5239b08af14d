import { isKeelsonError } from "../../errors/index.ts";
import { isAlphaNumeric } from "../go/characters.ts";
import { failure } from "../go/failure.ts";
import { canBackquote, quote } from "../go/quote.ts";
import { type GoFunction, nilSlice, type Value } from "../go/values.ts";
import { translateRegex } from "./regex-syntax.ts";
import { bool, fn, int, strings, text, typed } from "./signature.ts";

const stringList = typed("[]string");

/**
 * sprig's functions on regular expressions, in Go's syntax. JavaScript's engine backtracks where Go's does not: a
 * pattern such as `(a+)+b` may take very long.
 */
export const REGEX_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  regexMatch: fn([text, text], bool, (pattern, str) => {
    try {
      return matches(pattern, str);
    } catch {
      return false;
    }
  }),
  mustRegexMatch: fn([text, text], bool, matches),
  ...both("regexFind", (compile) => fn([text, text], text, (pattern, str) => find(compile(pattern), str))),
  ...both("regexFindAll", (compile) =>
    fn([text, text, int], stringList, (pattern, str, count) => findAll(compile(pattern), str, Number(count))),
  ),
  ...both("regexReplaceAll", (compile) =>
    fn([text, text, text], text, (pattern, str, by) =>
      replaceAll(compile(pattern), str, (match, regex) => expand(by, match, regex)),
    ),
  ),
  ...both("regexReplaceAllLiteral", (compile) =>
    fn([text, text, text], text, (pattern, str, by) => replaceAll(compile(pattern), str, () => by)),
  ),
  ...both("regexSplit", (compile) =>
    fn([text, text, int], stringList, (pattern, str, count) => split(compile(pattern), str, Number(count))),
  ),
  regexQuoteMeta: fn([text], text, (str) => str.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&")),
};

interface CompiledRegex {
  readonly pattern: string;
  /** Sticky-free and global, so that lastIndex says where to look. */
  readonly regex: RegExp;
  readonly groupNames: readonly (string | undefined)[];
}

type Compile = (pattern: string) => CompiledRegex;

/** The plain form panics on a bad pattern, which names the pattern; the `must` form returns the error. */
function both(name: string, make: (compile: Compile) => GoFunction): Readonly<Record<string, GoFunction>> {
  return { [name]: make(compileOrPanic), [`must${name[0]?.toUpperCase()}${name.slice(1)}`]: make(compile) };
}

function compile(pattern: string): CompiledRegex {
  const { source, groupNames } = translateRegex(pattern);
  return { pattern, regex: new RegExp(source, "gsu"), groupNames };
}

function compileOrPanic(pattern: string): CompiledRegex {
  try {
    return compile(pattern);
  } catch (error) {
    if (!isKeelsonError(error)) {
      throw error;
    }
    const shown = canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern);
    throw failure(`regexp: Compile(${shown}): ${error.message}`);
  }
}

function matches(pattern: string, str: string): boolean {
  return compile(pattern).regex.test(str);
}

function find(compiled: CompiledRegex, str: string): string {
  return compiled.regex.exec(str)?.[0] ?? "";
}

/** Go's matches: an empty one right behind another match does not count. */
function* allMatches(compiled: CompiledRegex, str: string): Generator<RegExpExecArray> {
  let previousEnd = -1;
  for (let at = 0; at <= str.length; ) {
    const match = execAt(compiled.regex, str, at);
    if (match === null) {
      return;
    }
    const end = match.index + match[0].length;
    const isAccepted = end !== at || match.index !== previousEnd;
    at = end === at ? end + widthAt(str, end) : end;
    previousEnd = end;
    if (isAccepted) {
      yield match;
    }
  }
}

function execAt(regex: RegExp, str: string, at: number): RegExpExecArray | null {
  regex.lastIndex = at;
  return regex.exec(str);
}

function widthAt(str: string, at: number): number {
  return (str.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function findAll(compiled: CompiledRegex, str: string, count: number): Value {
  const found = limited(compiled, str, count).map((match) => match[0]);
  return found.length === 0 ? nilSlice("string") : strings.give(found);
}

function limited(compiled: CompiledRegex, str: string, count: number): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of allMatches(compiled, str)) {
    if (count >= 0 && found.length >= count) {
      break;
    }
    found.push(match);
  }
  return found;
}

function replaceAll(
  compiled: CompiledRegex,
  str: string,
  replacement: (match: RegExpExecArray, compiled: CompiledRegex) => string,
): string {
  let result = "";
  let lastEnd = 0;
  for (let at = 0; at <= str.length; ) {
    const match = execAt(compiled.regex, str, at);
    if (match === null) {
      break;
    }
    const end = match.index + match[0].length;
    result += str.slice(lastEnd, match.index);
    if (end > lastEnd || match.index === 0) {
      result += replacement(match, compiled);
    }
    lastEnd = end;
    const width = at < str.length ? widthAt(str, at) : 1;
    at = Math.max(at + width, end);
  }
  return result + str.slice(lastEnd);
}

function split(compiled: CompiledRegex, str: string, count: number): Value {
  if (count === 0) {
    return nilSlice("string");
  }
  if (compiled.pattern !== "" && str === "") {
    return strings.give([""]);
  }
  const parts: string[] = [];
  let from = 0;
  let end = 0;
  for (const match of limited(compiled, str, count)) {
    if (count > 0 && parts.length >= count - 1) {
      break;
    }
    end = match.index;
    const matchEnd = match.index + match[0].length;
    if (matchEnd !== 0) {
      parts.push(str.slice(from, end));
    }
    from = matchEnd;
  }
  if (end !== str.length) {
    parts.push(str.slice(from));
  }
  return strings.give(parts);
}

/** `$1`, `${1}`, `$name`, `$$`; a name takes all letters and digits it can get, and an unknown one is empty. */
function expand(template: string, match: RegExpExecArray, compiled: CompiledRegex): string {
  let result = "";
  for (let at = 0; at < template.length; ) {
    const dollar = template.indexOf("$", at);
    if (dollar < 0) {
      return result + template.slice(at);
    }
    result += template.slice(at, dollar);
    if (template[dollar + 1] === "$") {
      result += "$";
      at = dollar + 2;
      continue;
    }
    const reference = referenceAt(template, dollar + 1);
    result += reference === undefined ? "$" : groupText(reference.name, match, compiled);
    at = reference?.end ?? dollar + 1;
  }
  return result;
}

function referenceAt(template: string, at: number): { readonly name: string; readonly end: number } | undefined {
  const isBraced = template[at] === "{";
  const from = isBraced ? at + 1 : at;
  let end = from;
  for (const character of template.slice(from)) {
    if (!isAlphaNumeric(character)) {
      break;
    }
    end += character.length;
  }
  if (end === from || (isBraced && template[end] !== "}")) {
    return undefined;
  }
  return { name: template.slice(from, end), end: isBraced ? end + 1 : end };
}

function groupText(name: string, match: RegExpExecArray, compiled: CompiledRegex): string {
  const isNumber = /^(?:0|[1-9][0-9]{0,8})$/.test(name);
  return (isNumber ? match[Number(name)] : match[compiled.groupNames.indexOf(name)]) ?? "";
}
