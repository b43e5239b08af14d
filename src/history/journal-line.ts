import { createHash } from "node:crypto";
import { isJsonObject, type ObjectRef } from "../object/index.ts";

/** One field that a write changed. Values of Secrets are masked before they get here. */
export interface JournalField {
  /** As a person writes it: `spec.template.spec.containers[name=dns].image`. */
  readonly path: string;
  /** Absent where the field was not there. */
  readonly before?: unknown;
  /** Absent where the field was removed. */
  readonly after?: unknown;
  /** Who had written `before`, where managedFields told. */
  readonly by?: {
    readonly manager: string;
    readonly operation: string;
    readonly subresource?: string;
    /** RFC 3339. */
    readonly time?: string;
  };
}

/** What is put into the journal: one write that was made or refused, or one decision of a person. */
export interface JournalEntry {
  /** Wall clock, milliseconds. */
  readonly at: number;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  /** The process that wrote. */
  readonly instance: string;
  /** The newest revision when the write was made; absent before the first. */
  readonly revision?: number;
  /** `create`, `apply`, `ensure`, `relabel`, `delete`, `release`, `hold`; `rollback`, `resume`, `pause`, `unpause`, `confirm`; `gap`. */
  readonly action: string;
  readonly object?: ObjectRef;
  readonly uid?: string;
  /** Absent where the write does not tell (a create, a delete). */
  readonly fields?: readonly JournalField[];
  readonly cause: string;
  /** `created`, `configured`, `unchanged`, `deleted`, `released`, `skipped`, `failed`, `held`, `accepted`, `refused`, `lost`. */
  readonly result: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly ms?: number;
  /** Of a gap: how many lines were lost. */
  readonly lost?: number;
}

/** A line of the journal. */
export interface JournalLine extends Omit<JournalEntry, "at"> {
  /** From 1, without a hole. */
  readonly seq: number;
  /** RFC 3339 with milliseconds. */
  readonly time: string;
  /** `hash` of the line before; 64 zeros for the first. */
  readonly prev: string;
  /** SHA-256 of the line's text up to this field. */
  readonly hash: string;
}

/** Where a chain of lines stands. */
export interface JournalTail {
  readonly sequence: number;
  readonly hash: string;
}

/** Before the first line. */
export const GENESIS: JournalTail = { sequence: 0, hash: "0".repeat(64) };

/** Values and texts longer than this are cut: a journal is no backup, and one line must not fill it. */
const LONGEST_VALUE = 4_096;
const MOST_FIELDS = 200;

/** An entry as text that lacks only its place in the chain. */
export function writeEntry(entry: JournalEntry): string {
  const { at, fields, ...rest } = entry;
  const shown = fields?.slice(0, MOST_FIELDS).map(cutField);
  const more = fields === undefined || fields.length <= MOST_FIELDS ? {} : { moreFields: fields.length - MOST_FIELDS };
  const line = {
    time: new Date(at).toISOString(),
    ...rest,
    ...(shown === undefined ? {} : { fields: shown }),
    ...more,
  };
  return JSON.stringify(line, bigintAsNumberText).slice(1, -1);
}

/** Puts an entry's text behind `tail`; the line, with its newline, and the new tail. */
export function chainEntry(text: string, tail: JournalTail): { readonly line: string; readonly tail: JournalTail } {
  const sequence = tail.sequence + 1;
  const body = `{"seq":${sequence},${text},"prev":"${tail.hash}"`;
  const hash = hashOf(body);
  return { line: `${body}${HASH_FIELD}${hash}"}\n`, tail: { sequence, hash } };
}

const HASH_FIELD = ',"hash":"';

/** What a line says of its place, and whether its text is what was hashed; undefined where it is no line of a journal. */
export function checkLine(
  text: string,
): { readonly tail: JournalTail; readonly prev: string; readonly isWhole: boolean } | undefined {
  const at = text.lastIndexOf(HASH_FIELD);
  const hash = text.slice(at + HASH_FIELD.length, -2);
  const line = parseLine(text);
  if (at < 0 || line === undefined) return undefined;
  const isWhole = hashOf(text.slice(0, at)) === hash && text.endsWith('"}');
  return { tail: { sequence: line.seq, hash }, prev: line.prev, isWhole };
}

/** Reads a line; undefined where it is none. */
export function parseLine(text: string): JournalLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The time of a line without parsing it: lines begin with their number and time. "" where it is no line. */
export function timeOfLine(text: string): string {
  const at = text.indexOf('"time":"');
  return at < 0 || at > 40 ? "" : text.slice(at + 8, at + 32);
}

function isLine(value: unknown): value is JournalLine {
  if (!isJsonObject(value)) return false;
  const { seq, time, action, prev, hash } = value;
  return (
    typeof seq === "number" &&
    [time, action, prev, hash].every((text) => typeof text === "string") &&
    (value.object === undefined || isJsonObject(value.object))
  );
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function cutField(field: JournalField): JournalField {
  const cut = { ...field };
  if (field.before !== undefined) Object.assign(cut, { before: cutValue(field.before) });
  if (field.after !== undefined) Object.assign(cut, { after: cutValue(field.after) });
  return cut;
}

function cutValue(value: unknown): unknown {
  const text = typeof value === "string" ? value : (JSON.stringify(value, bigintAsNumberText) ?? "");
  return text.length <= LONGEST_VALUE ? value : `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)`;
}

function bigintAsNumberText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
