import { toBytes, wellFormed } from "../go/bytes.ts";
import { failure } from "../go/failure.ts";
import { quote } from "../go/quote.ts";
import { boolOf, floatOf, mapOf, NIL, sliceOf, stringOf, type Value } from "../go/values.ts";

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** The contexts in which the next character must not be a blank. */
const BLANK_REFUSED = /^in literal|numeric literal$|escape/;

/**
 * Go's json.Unmarshal into an `interface {}`: every number a float64.
 *
 * @throws KeelsonError InvalidTemplate with the text of Go's error
 */
export function parseJson(input: string): Value {
  return new JsonReader(input).document();
}

class JsonReader {
  private readonly input: string;
  private at = 0;
  /** The first number that is too large. Go looks at the syntax of the whole text before it reads any. */
  private tooLarge: string | undefined;

  constructor(input: string) {
    this.input = input;
  }

  document(): Value {
    const value = this.value();
    this.skipSpace();
    if (this.at < this.input.length) {
      this.fail("after top-level value");
    }
    if (this.tooLarge !== undefined) {
      throw failure(`json: cannot unmarshal number ${this.tooLarge} into Go value of type float64`);
    }
    return value;
  }

  private value(): Value {
    this.skipSpace();
    switch (this.peek()) {
      case "{":
        return this.object();
      case "[":
        return this.array();
      case '"':
        return stringOf(this.string());
      case "t":
        return this.literal("true", boolOf(true));
      case "f":
        return this.literal("false", boolOf(false));
      case "n":
        return this.literal("null", NIL);
      default:
        return this.number();
    }
  }

  private object(): Value {
    const entries = new Map<string, Value>();
    this.at += 1;
    this.skipSpace();
    if (this.take("}")) {
      return mapOf(entries);
    }
    for (;;) {
      this.skipSpace();
      if (this.peek() !== '"') {
        this.fail("looking for beginning of object key string");
      }
      const key = this.string();
      this.skipSpace();
      this.expect(":", "after object key");
      entries.set(key, this.value());
      this.skipSpace();
      if (this.take("}")) {
        return mapOf(entries);
      }
      this.expect(",", "after object key:value pair");
    }
  }

  private array(): Value {
    const items: Value[] = [];
    this.at += 1;
    this.skipSpace();
    if (this.take("]")) {
      return sliceOf(items);
    }
    for (;;) {
      items.push(this.value());
      this.skipSpace();
      if (this.take("]")) {
        return sliceOf(items);
      }
      this.expect(",", "after array element");
    }
  }

  private string(): string {
    this.at += 1;
    let text = "";
    for (;;) {
      const character = this.next("in string literal");
      if (character === '"') {
        return wellFormed(text);
      }
      if (character < " ") {
        this.at -= 1;
        this.fail("in string literal");
      }
      text += character === "\\" ? this.escape() : character;
    }
  }

  private escape(): string {
    const character = this.next("in string escape code");
    if (character !== "u") {
      const plain = ESCAPES.get(character);
      if (plain === undefined) {
        this.at -= 1;
        this.fail("in string escape code");
      }
      return plain;
    }
    const from = this.at;
    while (this.at < from + 4) {
      if (!/[0-9a-fA-F]/.test(this.peek())) {
        this.fail("in \\u hexadecimal character escape");
      }
      this.at += 1;
    }
    return String.fromCharCode(Number.parseInt(this.input.slice(from, this.at), 16));
  }

  private literal(word: string, value: Value): Value {
    for (const [index, character] of [...word].entries()) {
      if (index > 0) {
        this.expect(character, `in literal ${word} (expecting '${character}')`);
      } else {
        this.at += 1;
      }
    }
    return value;
  }

  private number(): Value {
    const from = this.at;
    const isNegative = this.take("-");
    if (!/[0-9]/.test(this.peek())) {
      this.fail(isNegative ? "in numeric literal" : "looking for beginning of value");
    }
    if (!this.take("0")) {
      this.digits();
    }
    if (this.take(".")) {
      this.someDigits("after decimal point in numeric literal");
    }
    if (this.take("e") || this.take("E")) {
      if (!this.take("+")) {
        this.take("-");
      }
      this.someDigits("in exponent of numeric literal");
    }
    const text = this.input.slice(from, this.at);
    const value = Number(text);
    if (!Number.isFinite(value)) {
      this.tooLarge ??= text;
    }
    return floatOf(value);
  }

  private someDigits(context: string): void {
    if (!/[0-9]/.test(this.peek())) {
      this.fail(context);
    }
    this.digits();
  }

  private digits(): void {
    while (/[0-9]/.test(this.peek())) {
      this.at += 1;
    }
  }

  private skipSpace(): void {
    while (/[ \t\r\n]/.test(this.peek())) {
      this.at += 1;
    }
  }

  private peek(): string {
    return this.input[this.at] ?? "";
  }

  private next(context: string): string {
    const character = this.peek();
    if (character === "") {
      this.fail(context);
    }
    this.at += 1;
    return character;
  }

  private take(character: string): boolean {
    const isThere = this.peek() === character;
    this.at += isThere ? 1 : 0;
    return isThere;
  }

  private expect(character: string, context: string): void {
    if (!this.take(character)) {
      this.fail(context);
    }
  }

  private fail(context: string): never {
    const character = String.fromCodePoint(this.input.codePointAt(this.at) ?? 0x20);
    // At the end Go tries a blank, and complains about it where none may stand.
    if (this.at >= this.input.length && !BLANK_REFUSED.test(context)) {
      throw failure("unexpected end of JSON input");
    }
    // Go names the byte, as if it were a character.
    const byte = String.fromCharCode(toBytes(character)[0] ?? 0);
    const shown = byte === "'" ? "\\'" : byte === '"' ? '"' : quote(byte).slice(1, -1);
    throw failure(`invalid character '${shown}' ${context}`);
  }
}
