import { createHash } from "node:crypto";
import { fromBytes, toBytes } from "../go/bytes.ts";
import type { GoFunction } from "../go/values.ts";
import { fn, text } from "./signature.ts";

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const PADDING = "=";

/** sprig's encodings and checksums. A decoder returns the text of its error, as sprig's do. */
export const ENCODING_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  b64enc: fn([text], text, (str) => Buffer.from(toBytes(str)).toString("base64")),
  b64dec: fn([text], text, (str) => decoded(str, decodeBase64)),
  b32enc: fn([text], text, encodeBase32),
  b32dec: fn([text], text, (str) => decoded(str, decodeBase32)),
  sha1sum: fn([text], text, (str) => hashed(str, "sha1")),
  sha256sum: fn([text], text, (str) => hashed(str, "sha256")),
  sha512sum: fn([text], text, (str) => hashed(str, "sha512")),
  adler32sum: fn([text], text, adler32),
};

function hashed(str: string, algorithm: "sha1" | "sha256" | "sha512"): string {
  return createHash(algorithm).update(toBytes(str)).digest("hex");
}

function adler32(str: string): string {
  let low = 1;
  let high = 0;
  for (const byte of toBytes(str)) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return String(high * 65536 + low);
}

/** What a decoder found: bytes, or the place of the first byte that does not belong there. */
type Decoded = { readonly bytes: readonly number[] } | { readonly corruptAt: number };

function decoded(str: string, decode: (input: Uint8Array) => Decoded & { readonly name: string }): string {
  const result = decode(toBytes(str));
  return "bytes" in result
    ? fromBytes(Uint8Array.from(result.bytes))
    : `illegal ${result.name} data at input byte ${result.corruptAt}`;
}

function isNewLine(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d;
}

/** Groups of four characters, newlines between them ignored, padding where the last group is short. */
function decodeBase64(input: Uint8Array): Decoded & { readonly name: string } {
  const name = "base64";
  const bytes: number[] = [];
  let group: number[] = [];
  for (let at = 0; at < input.length; at += 1) {
    const byte = input[at] ?? 0;
    const value = BASE64.indexOf(String.fromCharCode(byte));
    if (value >= 0) {
      group.push(value);
      if (group.length === 4) {
        bytes.push(...groupBytes(group));
        group = [];
      }
    } else if (byte === PADDING.charCodeAt(0)) {
      const end = paddingEnd(input, at, group.length);
      return "corruptAt" in end ? { name, ...end } : { name, bytes: [...bytes, ...groupBytes(group)] };
    } else if (!isNewLine(byte)) {
      return { name, corruptAt: at };
    }
  }
  return group.length === 0 ? { name, bytes } : { name, corruptAt: input.length - group.length };
}

function groupBytes(group: readonly number[]): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = group;
  const value = (a << 18) | (b << 12) | (c << 6) | d;
  return [value >> 16, (value >> 8) & 0xff, value & 0xff].slice(0, group.length - 1);
}

/** Checks what follows the first padding character of a group that has `count` characters before it. */
function paddingEnd(
  input: Uint8Array,
  at: number,
  count: number,
): { readonly corruptAt: number } | { readonly isComplete: true } {
  if (count < 2) {
    return { corruptAt: at };
  }
  let next = at + 1;
  if (count === 2) {
    next = skipNewLines(input, next);
    if (next === input.length) {
      return { corruptAt: input.length };
    }
    if (input[next] !== PADDING.charCodeAt(0)) {
      return { corruptAt: next - 1 };
    }
    next += 1;
  }
  next = skipNewLines(input, next);
  return next < input.length ? { corruptAt: next } : { isComplete: true };
}

function skipNewLines(input: Uint8Array, at: number): number {
  let next = at;
  while (next < input.length && isNewLine(input[next])) {
    next += 1;
  }
  return next;
}

function encodeBase32(str: string): string {
  let result = "";
  const bytes = toBytes(str);
  for (let at = 0; at < bytes.length; at += 5) {
    const chunk = bytes.subarray(at, at + 5);
    const bits = Array.from(chunk, (byte) => byte.toString(2).padStart(8, "0")).join("");
    const symbols = bits.match(/.{1,5}/g) ?? [];
    const letters = symbols.map((group) => BASE32[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
    result += letters.padEnd(8, PADDING);
  }
  return result;
}

/** Groups of eight characters; short last groups of 2, 4, 5 or 7 and their padding. */
function decodeBase32(source: Uint8Array): Decoded & { readonly name: string } {
  const name = "base32";
  const input = source.filter((byte) => !isNewLine(byte));
  let bits = "";
  for (let start = 0; start < input.length; start += 8) {
    for (let offset = 0; offset < 8; offset += 1) {
      const at = start + offset;
      if (at >= input.length) {
        return { name, corruptAt: start };
      }
      const character = String.fromCharCode(input[at] ?? 0);
      const rest = input.length - at - 1;
      if (character === PADDING && offset >= 2 && rest < 8) {
        const corruptAt = base32PaddingFault(input, at, offset);
        return corruptAt === undefined ? { name, bytes: wholeBytes(bits) } : { name, corruptAt };
      }
      const value = BASE32.indexOf(character);
      if (value < 0) {
        return { name, corruptAt: at };
      }
      bits += value.toString(2).padStart(5, "0");
    }
  }
  return { name, bytes: wholeBytes(bits) };
}

function base32PaddingFault(input: Uint8Array, at: number, offset: number): number | undefined {
  const rest = input.length - at - 1;
  if (rest + offset < 7) {
    return input.length;
  }
  for (let index = 0; index < 7 - offset && index < rest; index += 1) {
    if (input[at + 1 + index] !== PADDING.charCodeAt(0)) {
      return at + index;
    }
  }
  return offset === 3 || offset === 6 ? at : undefined;
}

function wholeBytes(bits: string): readonly number[] {
  return (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
}
