import { sortedEntries } from "../fmt/printer.ts";
import { isStrayByte } from "../go/bytes.ts";
import { failure } from "../go/failure.ts";
import { type GoFunction, itemsOf, NIL, typeOf, type Value } from "../go/values.ts";
import { parseJson } from "./json-parse.ts";
import { any, fn, text } from "./signature.ts";

/** sprig's JSON functions. The forms without `must` swallow errors: nil, or nothing. */
export const JSON_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  toJson: fn([any], text, (value) => swallowed(() => encodeJson(value), "")),
  mustToJson: fn([any], text, (value) => encodeJson(value)),
  toRawJson: fn([any], text, (value) => encodeJson(value, { escapesHtml: false })),
  mustToRawJson: fn([any], text, (value) => encodeJson(value, { escapesHtml: false })),
  toPrettyJson: fn([any], text, (value) => swallowed(() => encodeJson(value, { indent: "  " }), "")),
  mustToPrettyJson: fn([any], text, (value) => encodeJson(value, { indent: "  " })),
  fromJson: fn([text], any, (str) => swallowed(() => parseJson(str), NIL)),
  mustFromJson: fn([text], any, parseJson),
};

function swallowed<T>(compute: () => T, otherwise: T): T {
  try {
    return compute();
  } catch {
    return otherwise;
  }
}

interface JsonStyle {
  /** `<`, `>` and `&` as `\u003c` and so on. Default true, as Go's Marshal does. */
  readonly escapesHtml?: boolean;
  readonly indent?: string;
}

/** Go's json.Marshal: keys in order, floats in the shortest form, HTML escaped. */
export function encodeJson(value: Value, style: JsonStyle = {}, margin = "\n"): string {
  switch (value.kind) {
    case "nil":
      return "null";
    case "bool":
    case "int":
      return String(value.value);
    case "string":
      return encodeString(value.value, style.escapesHtml ?? true);
    case "float64":
      return encodeNumber(value.value);
    case "slice":
      return value.isNil
        ? "null"
        : enclosed(
            "[]",
            itemsOf(value).map((item) => encodeJson(item, style, deeper(style, margin))),
            { style, margin },
          );
    case "map":
      return value.isNil ? "null" : encodeMap(value, style, margin);
    case "object":
      return encodeString(value.text, style.escapesHtml ?? true);
    case "complex128":
      throw failure(`json: unsupported type: ${typeOf(value)}`);
  }
}

function encodeMap(map: Extract<Value, { readonly kind: "map" }>, style: JsonStyle, margin: string): string {
  const colon = style.indent === undefined ? ":" : ": ";
  const members = sortedEntries(map).map(([key, item]) => {
    const name = encodeString(key, style.escapesHtml ?? true);
    return `${name}${colon}${encodeJson(item, style, deeper(style, margin))}`;
  });
  return enclosed("{}", members, { style, margin });
}

function deeper(style: JsonStyle, margin: string): string {
  return margin + (style.indent ?? "");
}

function enclosed(
  brackets: "[]" | "{}",
  parts: readonly string[],
  layout: { readonly style: JsonStyle; readonly margin: string },
): string {
  const { style, margin } = layout;
  if (style.indent === undefined || parts.length === 0) {
    return brackets[0] + parts.join(",") + brackets[1];
  }
  const inner = deeper(style, margin);
  return brackets[0] + parts.map((part) => inner + part).join(",") + margin + brackets[1];
}

function encodeNumber(value: number): string {
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    throw failure(`json: unsupported value: ${name}`);
  }
  // JavaScript and Go's encoder follow the same rule, but for the sign of zero.
  return Object.is(value, -0) ? "-0" : String(value);
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function encodeString(str: string, escapesHtml: boolean): string {
  let encoded = "";
  for (const character of str) {
    const code = character.codePointAt(0) ?? 0;
    const isHtml = escapesHtml && (character === "<" || character === ">" || character === "&");
    if (isStrayByte(code)) {
      encoded += "\\ufffd";
    } else if (code < 0x20 || isHtml || code === 0x2028 || code === 0x2029) {
      encoded += SHORT_ESCAPES.get(character) ?? `\\u${code.toString(16).padStart(4, "0")}`;
    } else {
      encoded += SHORT_ESCAPES.get(character) ?? character;
    }
  }
  return `"${encoded}"`;
}
