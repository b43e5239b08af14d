import { composeDocument } from "./compose.ts";
import { decodeText } from "./decode.ts";
import { countLines, type Document, type FaultDocument, type ValueDocument } from "./document.ts";
import { readJson, skipJsonSpace } from "./json-reader.ts";
import { newPositions, type Positions } from "./positions.ts";
import { YamlFault } from "./yaml-fault.ts";

/** What the control characters are that no YAML text may hold. Surrogates come in pairs: the text was decoded strictly. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** What a template leaves where it was not rendered: `{{ … }}`, or a name between double underscores. */
export const PLACEHOLDER: RegExp = /\{\{[^\n]*?\}\}|__[A-Z][A-Z0-9_]*__/;

/** Options of {@link readDocuments}. */
export interface ReadOptions {
  /** Note where every key and item stands; default false. Costs time and memory. */
  readonly withParts?: boolean;
}

/**
 * Reads the documents of a file as kubectl splits them: a stream of JSON objects where the first thing is a `{`, and
 * YAML separated by lines that start with `---` from where that ends. Empty documents and `null` are left out. A broken
 * document is one {@link FaultDocument} and hides no other.
 */
export function readDocuments(source: string | Uint8Array, options: ReadOptions = {}): readonly Document[] {
  const documents: Document[] = [];
  for (const part of decodeText(source)) {
    if (part.kind === "fault") documents.push(part);
    else documents.push(...readText(part.text, part.firstLine, options));
  }
  return documents;
}

function readText(text: string, firstLine: number, options: ReadOptions): Document[] {
  const documents: Document[] = [];
  const json = readJsonStream(text, firstLine, options);
  documents.push(...json.documents);
  let line = firstLine + countLines(text, 0, json.end);
  for (const chunk of splitYaml(text.slice(json.end))) {
    const document = readChunk({ ...chunk, firstLine: line }, options);
    if (document !== undefined) documents.push(document);
    line += countLines(chunk.text, 0, chunk.text.length) + chunk.separatorLines;
  }
  return documents;
}

interface JsonStream {
  readonly documents: readonly Document[];
  /** Where YAML begins. */
  readonly end: number;
}

function readJsonStream(text: string, firstLine: number, options: ReadOptions): JsonStream {
  const documents: Document[] = [];
  let end = 0;
  let line = firstLine;
  for (;;) {
    const start = skipJsonSpace(text, end);
    // Only a `{` makes the first thing JSON; behind it kubectl takes any JSON value.
    if (start === text.length || (end === 0 && text[start] !== "{")) break;
    try {
      const read = readJson(text, start, options.withParts);
      const document = { text: text.slice(end, read.end), firstLine: line, start: start - end };
      line += countLines(text, end, read.end);
      if (read.value !== null) documents.push(jsonDocument(read, document, end));
      end = read.end;
    } catch (error) {
      if (error instanceof YamlFault) break;
      throw error;
    }
  }
  if (end === 0 && text[skipJsonSpace(text, 0)] !== "{") return { documents, end };
  // kubectl drops white space up to the first line feed when it changes from JSON to YAML.
  return { documents, end: end + (/^[^\S\n]*\n?/.exec(text.slice(end, end + 1024))?.[0].length ?? 0) };
}

type Place = Pick<ValueDocument, "text" | "firstLine" | "start">;

function jsonDocument(read: ReturnType<typeof readJson>, place: Place, base: number): Document {
  if (read.duplicate !== undefined) {
    const message = `the key "${read.duplicate.key}" stands twice in this object`;
    return { ...place, kind: "fault", code: "InvalidYaml", message, start: read.duplicate.offset - base };
  }
  return { ...place, kind: "value", value: read.value, positions: shift(read.positions, base) };
}

/** Positions as offsets in the document instead of the file. */
function shift(positions: Positions, base: number): Positions {
  if (base === 0) return positions;
  const shifted = newPositions(positions.parts !== undefined);
  for (const [item, offset] of positions.items) shifted.items.set(item, offset - base);
  for (const [container, parts] of positions.parts ?? []) {
    shifted.parts?.set(container, new Map([...parts].map(([key, offset]) => [key, offset - base])));
  }
  return shifted;
}

interface Chunk {
  readonly text: string;
  /** 1 where a separator line follows, which belongs to no document. */
  readonly separatorLines: number;
  /** The text starts with a separator that has content on its line, which kubectl refuses. */
  readonly hasBadSeparator: boolean;
}

/** Splits at lines that start with `---`, wherever they stand: kubectl does so inside block scalars and quotes, too. */
function splitYaml(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  let hasBadSeparator = false;
  for (let at = text.startsWith("---") ? 0 : nextSeparator(text, 0); at >= 0; at = nextSeparator(text, at)) {
    const lineEnd = text.indexOf("\n", at);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    const behind = text.slice(at + 3, end).trim();
    const isBad = behind !== "" && !behind.startsWith("#");
    chunks.push({ text: text.slice(start, at), separatorLines: isBad || lineEnd < 0 ? 0 : 1, hasBadSeparator });
    start = isBad ? at : end;
    hasBadSeparator = isBad;
  }
  chunks.push({ text: text.slice(start), separatorLines: 0, hasBadSeparator });
  return chunks;
}

function nextSeparator(text: string, from: number): number {
  const at = text.indexOf("\n---", from);
  return at < 0 ? -1 : at + 1;
}

function readChunk(chunk: Chunk & { readonly firstLine: number }, options: ReadOptions): Document | undefined {
  const { firstLine } = chunk;
  // kubectl's reader ends every line with a line feed, the last one too; one behind a CR makes a CRLF of it.
  const text = chunk.text.endsWith("\n") ? chunk.text : `${chunk.text.replace(/\r$/, "")}\n`;
  if (chunk.text === "") return undefined;
  try {
    if (chunk.hasBadSeparator) {
      throw new YamlFault('a line that starts with "---" ends a document: nothing else may stand on it', 0);
    }
    const control = FORBIDDEN.exec(text);
    if (control !== null)
      throw new YamlFault(`a control character (${codeName(control[0])}) is not allowed`, control.index);
    const { value, start, positions } = composeDocument(text, options);
    return value === undefined || value === null
      ? undefined
      : { kind: "value", value, text, firstLine, start, positions };
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    return faultDocument(error, text, firstLine);
  }
}

function codeName(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function faultDocument(fault: YamlFault, text: string, firstLine: number): FaultDocument {
  const placeholder = fault.code === "InvalidYaml" ? PLACEHOLDER.exec(text) : null;
  if (placeholder === null) {
    return { kind: "fault", code: fault.code, message: fault.message, text, firstLine, start: fault.offset };
  }
  const message = `looks like an unrendered template: ${placeholder[0]} is left in it (${fault.message})`;
  return { kind: "fault", code: "UnrenderedTemplate", message, text, firstLine, start: placeholder.index };
}
