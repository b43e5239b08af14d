import type { FaultDocument } from "./document.ts";

/** A part of a file that decodes, from a line on. */
export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  /** 1-based line of the file on which it starts. */
  readonly firstLine: number;
}

/**
 * Turns bytes into text with LF line ends: UTF-8, or UTF-16 behind a byte order mark. Bytes that are no character break
 * only the document that they stand in, so the parts before and behind it are given apart.
 */
export function decodeText(source: string | Uint8Array): readonly (TextPart | FaultDocument)[] {
  if (typeof source === "string") return [{ kind: "text", text: withLineFeeds(source), firstLine: 1 }];
  const encoding = encodingOf(source);
  const text = decode(source, encoding);
  if (text !== undefined) return [{ kind: "text", text: withLineFeeds(text), firstLine: 1 }];
  return encoding === "utf-8" ? decodeApart(source) : [badBytes("", `the file is no ${encoding.toUpperCase()}`, 1)];
}

function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
}

function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    // The mark of UTF-8 stays: each document may start with one.
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === "utf-8" }).decode(bytes);
  } catch {
    return undefined;
  }
}

function withLineFeeds(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** Latin-1 has one character a byte, and `---` and line feeds are the same in it: good enough to find the documents. */
function decodeApart(bytes: Uint8Array): readonly (TextPart | FaultDocument)[] {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const parts: (TextPart | FaultDocument)[] = [];
  let firstLine = 1;
  for (const chunk of raw.split(/(?<=\n)(?=---)/)) {
    const chunkBytes = Buffer.from(chunk, "latin1");
    const text = decode(chunkBytes, "utf-8");
    parts.push(
      text === undefined ? badChunk(chunkBytes, firstLine) : { kind: "text", text: withLineFeeds(text), firstLine },
    );
    firstLine += chunk.split("\n").length - 1;
  }
  return parts;
}

function badChunk(bytes: Buffer, firstLine: number): FaultDocument {
  const text = bytes.toString("utf8");
  const offset = text.indexOf("\ufffd");
  const fault = badBytes(text, "bytes that are no UTF-8: save the file as UTF-8", firstLine);
  return { ...fault, start: Math.max(offset, 0) };
}

function badBytes(text: string, message: string, firstLine: number): FaultDocument {
  return { kind: "fault", code: "InvalidYaml", message, text, firstLine, start: 0 };
}
