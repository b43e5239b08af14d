import { isStrayByte, toBytes } from "../go/bytes.ts";
import { isPrintable } from "../go/characters.ts";

const HTML: ReadonlyMap<string, string> = new Map([
  ["\0", "\ufffd"],
  ['"', "&#34;"],
  ["'", "&#39;"],
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);

const JS: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["'", "\\'"],
  ['"', '\\"'],
  ["<", "\\u003C"],
  [">", "\\u003E"],
  ["&", "\\u0026"],
  ["=", "\\u003D"],
]);

/** Go's HTMLEscapeString. */
export function escapeHtml(text: string): string {
  return [...text].map((character) => HTML.get(character) ?? character).join("");
}

/** Go's JSEscapeString. */
export function escapeJs(text: string): string {
  return [...text].map(escapeJsCharacter).join("");
}

function escapeJsCharacter(character: string): string {
  const fixed = JS.get(character);
  if (fixed !== undefined) {
    return fixed;
  }
  const code = character.codePointAt(0) ?? 0;
  const isPlain = (code >= 0x20 && code < 0x80) || isStrayByte(code);
  return isPlain || (code >= 0x80 && isPrintable(character))
    ? character
    : `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Go's url.QueryEscape: a blank is a plus. */
export function escapeQuery(text: string): string {
  return Array.from(toBytes(text), escapeQueryByte).join("");
}

function escapeQueryByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (byte < 0x80 && /[A-Za-z0-9\-_.~]/.test(character)) {
    return character;
  }
  return character === " " ? "+" : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
