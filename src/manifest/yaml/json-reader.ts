import type { JsonObject } from "../../object/index.ts";
import { MappingBuilder } from "./mapping-builder.ts";
import { markPart, newPositions, type Positions } from "./positions.ts";
import { MAX_DEPTH } from "./scanner.ts";
import { YamlFault } from "./yaml-fault.ts";

/** A JSON value at a place of a text that may hold more. */
export interface JsonRead {
  readonly value: unknown;
  /** Offset behind the value. */
  readonly end: number;
  readonly positions: Positions;
  /** A key that stands twice: valid JSON of which kubectl silently keeps the last. */
  readonly duplicate: { readonly key: string; readonly offset: number } | undefined;
}

/**
 * Reads one JSON value that starts at `from`. Integers beyond 2^53 are bigint up to 64 bits, as in YAML. Throws
 * YamlFault where the text is no JSON.
 */
export function readJson(text: string, from: number, withParts = false): JsonRead {
  const reader = new JsonReader(text, from, newPositions(withParts));
  const value = reader.read(false);
  return { value, end: reader.at, positions: reader.positions, duplicate: reader.duplicate };
}

/** Offset of the first character at or behind `from` that is no JSON white space. */
export function skipJsonSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const INT64_LIMIT = 2n ** 63n;
const UINT64_LIMIT = 2n ** 64n;

class JsonReader {
  readonly positions: Positions;
  readonly #text: string;
  #depth = 0;
  at: number;
  duplicate: { readonly key: string; readonly offset: number } | undefined;

  constructor(text: string, from: number, positions: Positions) {
    this.#text = text;
    this.at = from;
    this.positions = positions;
  }

  read(areItems: boolean): unknown {
    this.at = skipJsonSpace(this.#text, this.at);
    switch (this.#text[this.at]) {
      case "{":
        return this.#nested(() => this.#object());
      case "[":
        return this.#nested(() => this.#array(areItems));
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #fault(message: string): YamlFault {
    return new YamlFault(message, this.at);
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new YamlFault(`more than ${MAX_DEPTH} levels of nesting`, this.at, "LimitExceeded");
    this.at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #accept(character: string): boolean {
    this.at = skipJsonSpace(this.#text, this.at);
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #object(): JsonObject {
    const mapping = new MappingBuilder();
    if (this.#accept("}")) return mapping.value;
    do {
      this.at = skipJsonSpace(this.#text, this.at);
      const offset = this.at;
      const key = this.#string();
      if (!this.#accept(":")) throw this.#fault('":" is missing');
      const value = this.read(key === "items");
      if (!mapping.set(key, value)) this.duplicate ??= { key, offset };
      markPart(this.positions, mapping.value, { key, offset });
    } while (this.#accept(","));
    if (!this.#accept("}")) throw this.#fault('"," or "}" is missing');
    return mapping.value;
  }

  #array(areItems: boolean): unknown[] {
    const list: unknown[] = [];
    if (this.#accept("]")) return list;
    do {
      this.at = skipJsonSpace(this.#text, this.at);
      const offset = this.at;
      const value = this.read(false);
      if (areItems && typeof value === "object" && value !== null) this.positions.items.set(value, offset);
      markPart(this.positions, list, { key: list.length, offset });
      list.push(value);
    } while (this.#accept(","));
    if (!this.#accept("]")) throw this.#fault('"," or "]" is missing');
    return list;
  }

  #string(): string {
    const start = this.at;
    if (this.#text[start] !== '"') throw this.#fault("a string is expected");
    let at = start + 1;
    let isPlain = true;
    for (;;) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) break;
      if (!(code >= 0x20)) throw this.#fault("a string is not closed");
      if (code === 0x5c) {
        isPlain = false;
        at += 1;
      }
      at += 1;
    }
    this.at = at + 1;
    return isPlain ? this.#text.slice(start + 1, at) : this.#unescape(start, at + 1);
  }

  #unescape(start: number, end: number): string {
    try {
      const value: unknown = JSON.parse(this.#text.slice(start, end));
      // Go puts the replacement character for half of a surrogate pair.
      return String(value).replaceAll(/\p{Surrogate}/gu, "\ufffd");
    } catch (cause) {
      throw new YamlFault(`a string has a wrong escape${cause instanceof SyntaxError ? "" : "?"}`, start);
    }
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.at)) throw this.#fault("no JSON value");
    this.at += word.length;
    return value;
  }

  #number(): number | bigint {
    NUMBER.lastIndex = this.at;
    const digits = NUMBER.exec(this.#text)?.[0];
    if (digits === undefined) throw this.#fault("no JSON value");
    const value = readNumber(digits);
    if (typeof value === "number" && !Number.isFinite(value)) throw this.#fault(`${digits} is out of range`);
    this.at += digits.length;
    return value;
  }
}

function readNumber(digits: string): number | bigint {
  const value = Number(digits) + 0;
  if (Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(digits)) return value;
  const exact = BigInt(digits);
  return exact >= -INT64_LIMIT && exact < UINT64_LIMIT ? exact : value;
}
