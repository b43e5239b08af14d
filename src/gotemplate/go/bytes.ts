/**
 * Go strings are bytes. Here they are JavaScript strings, and a byte that is no part of valid UTF-8 is kept as the lone
 * surrogate U+DC00 + byte, so that cutting a character in half and joining it again loses nothing.
 */

const NON_ASCII = /[\u0080-\uffff]/;
const STRAY_BYTE = /[\udc80-\udcff]/u;
const STRAY_BASE = 0xdc00;
const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A decoded character: its code point, or -1 for a byte that is no UTF-8, and how many bytes it took. */
export interface Rune {
  readonly code: number;
  readonly size: number;
}

/** Whether the code unit stands for a byte that is no UTF-8. */
export function isStrayByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

export function isAscii(text: string): boolean {
  return !NON_ASCII.test(text);
}

/** The UTF-8 bytes that Go would hold. */
export function toBytes(text: string): Uint8Array {
  if (!STRAY_BYTE.test(text)) {
    return encoder.encode(text);
  }
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (isStrayByte(code)) {
      bytes.push(code - STRAY_BASE);
    } else {
      bytes.push(...encoder.encode(character));
    }
  }
  return Uint8Array.from(bytes);
}

/** The text of bytes; each byte that is no UTF-8 becomes a stray. */
export function fromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return fromBrokenBytes(bytes);
  }
}

function fromBrokenBytes(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; ) {
    const rune = decodeRune(bytes, index);
    text += String.fromCodePoint(rune.code >= 0 ? rune.code : STRAY_BASE + (bytes[index] ?? 0));
    index += rune.size;
  }
  return text;
}

/** Decodes one character as Go does: overlong forms, surrogates and truncated sequences are one bad byte each. */
export function decodeRune(bytes: Uint8Array, index: number): Rune {
  const first = bytes[index] ?? 0;
  if (first < 0x80) {
    return { code: first, size: 1 };
  }
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) {
    return { code: -1, size: 1 };
  }
  let code = first & (0xff >> (size + 1));
  for (let offset = 1; offset < size; offset += 1) {
    const next = bytes[index + offset] ?? 0;
    if ((next & 0xc0) !== 0x80) {
      return { code: -1, size: 1 };
    }
    code = (code << 6) | (next & 0x3f);
  }
  const isOverlong = (size === 3 && code < 0x800) || (size === 4 && code < 0x10000);
  const isInvalid = isOverlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return isInvalid ? { code: -1, size: 1 } : { code, size };
}

/** Go's len of a string. */
export function byteLength(text: string): number {
  return isAscii(text) ? text.length : toBytes(text).length;
}

/** Go's text[from:to], in bytes; the caller has checked the bounds. */
export function byteSlice(text: string, from: number, to: number): string {
  return isAscii(text) ? text.slice(from, to) : fromBytes(toBytes(text).slice(from, to));
}

/** Go's string order: by bytes, which is not JavaScript's order of UTF-16 units beyond the basic plane. */
export function compareStrings(left: string, right: string): number {
  if (left === right) {
    return 0;
  }
  if (isAscii(left) && isAscii(right)) {
    return left < right ? -1 : 1;
  }
  return Math.sign(Buffer.compare(toBytes(left), toBytes(right)));
}

/** Joins characters that were written in pieces, and replaces what is still no UTF-8 by U+FFFD. */
export function repairText(text: string): string {
  return STRAY_BYTE.test(text) ? wellFormed(fromBytes(toBytes(text))) : text;
}

/** The text with U+FFFD for each lone surrogate. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, "\ufffd");
}
