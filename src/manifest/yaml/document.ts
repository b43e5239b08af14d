import type { ErrorCode } from "../../errors/index.ts";
import type { Positions } from "./positions.ts";

/** A document that reads. */
export interface ValueDocument {
  readonly kind: "value";
  readonly value: unknown;
  /** The document's own text; offsets count in it. */
  readonly text: string;
  /** 1-based line of the file on which {@link text} starts. */
  readonly firstLine: number;
  /** Offset of its first token. */
  readonly start: number;
  readonly positions: Positions;
}

/** A document that does not read; others of the file do. */
export interface FaultDocument {
  readonly kind: "fault";
  readonly code: ErrorCode;
  readonly message: string;
  readonly text: string;
  readonly firstLine: number;
  /** Offset of the fault in {@link text}. */
  readonly start: number;
}

export type Document = ValueDocument | FaultDocument;

/** 1-based line of `offset` in a document. */
export function lineAt(document: Pick<Document, "text" | "firstLine">, offset: number): number {
  return document.firstLine + countLines(document.text, 0, offset);
}

/** Line breaks of `text` between two offsets: LF, and CR, which is LF's stand-in in very old files. */
export function countLines(text: string, from: number, to: number): number {
  const part = text.slice(from, to);
  return countOf(part, "\n") + countOf(part, "\r");
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}
