import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { Clock } from "../async/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import { isJsonObject } from "../object/index.ts";
import { headPath, journalPath, MOST_FILES } from "./journal-file.ts";
import { checkLine, type JournalLine, type JournalTail, parseLine, timeOfLine } from "./journal-line.ts";
import { matchesPattern, type ObjectPattern } from "./object-pattern.ts";

/** Where a journal is. */
export interface JournalPlace {
  /** Candidates for the state directory: the first that has a journal of the set is read. */
  readonly directories: readonly string[];
  /** Name of the set, "" for the only one. */
  readonly set: string;
}

/** Which lines are wanted. */
export interface JournalQuery {
  /** Wall clock, milliseconds; undefined: from the beginning. */
  readonly since?: number | undefined;
  readonly object?: ObjectPattern | undefined;
  /** Only the last so many. */
  readonly limit?: number | undefined;
}

/** Lines of the journal, oldest first. Lines that cannot be read are left out: `verifyJournal` tells of them. */
export async function searchJournal(place: JournalPlace, query: JournalQuery): Promise<readonly JournalLine[]> {
  const wants = filterOf(query);
  const found: JournalLine[] = [];
  for (const { path } of await filesOf(place)) {
    // A file that nobody has written since is not even opened.
    if (query.since !== undefined && (await stat(path)).mtimeMs < query.since) continue;
    for (const text of linesOf(await readText(path))) {
      const line = wants(text);
      if (line !== undefined) found.push(line);
    }
  }
  return query.limit === undefined ? found : found.slice(-query.limit);
}

/** Where the lines that are not wanted end: most are not even parsed. */
function filterOf({ since, object }: JournalQuery): (text: string) => JournalLine | undefined {
  const from = since === undefined ? "" : new Date(since).toISOString();
  const named = object === undefined ? undefined : `"name":${JSON.stringify(object.name)}`;
  return (text) => {
    if (from !== "" && timeOfLine(text) < from) return undefined;
    if (named !== undefined && !text.includes(named)) return undefined;
    const line = parseLine(text);
    if (line === undefined || object === undefined) return line;
    return line.object !== undefined && matchesPattern(line.object, object) ? line : undefined;
  };
}

/** Something wrong with a journal. */
export interface JournalFault {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** What {@link verifyJournal} found. */
export interface JournalCheck {
  /** The current file. */
  readonly path: string;
  readonly lines: number;
  /** Number of the first line that is there: older ones were rotated away. */
  readonly first: number;
  readonly last: number;
  /** Gaps that were recorded as such, and how many lines they stand for. */
  readonly gaps: number;
  readonly lost: number;
  /** Empty where every line is the one that was written, and none is missing. */
  readonly faults: readonly JournalFault[];
}

/** Checks each line's hash, that each follows the one before it, and that none has gone from the end. */
export async function verifyJournal(place: JournalPlace): Promise<JournalCheck> {
  const chain = new Chain();
  let path = "";
  for (const file of await filesOf(place)) {
    path = file.path;
    const text = await readText(path);
    const end = text.lastIndexOf("\n") + 1;
    for (const [at, line] of linesOf(text.slice(0, end)).entries()) chain.check(line, { file: path, line: at + 1 });
    // Half a line that a crash has left: the next line that is written records it as a gap.
    if (end < text.length) Object.assign(chain.sum, { gaps: chain.sum.gaps + 1, lost: chain.sum.lost + 1 });
  }
  const { sum, tail } = chain;
  const faults = [...chain.faults, ...(await faultsOfHead(place, { path, chain }))];
  return { path, ...sum, last: tail?.sequence ?? 0, faults };
}

/** The lines of a journal in order, as far as they have been checked. */
class Chain {
  readonly faults: JournalFault[] = [];
  readonly hashes: Map<number, string> = new Map();
  readonly sum: { lines: number; first: number; gaps: number; lost: number } = { lines: 0, first: 0, gaps: 0, lost: 0 };
  tail: JournalTail | undefined;

  check(text: string, where: { readonly file: string; readonly line: number }): void {
    this.sum.lines += 1;
    const checked = checkLine(text);
    if (checked === undefined) {
      this.faults.push({ ...where, message: "this is no line of a journal" });
      return;
    }
    if (!checked.isWhole) this.faults.push({ ...where, message: "this line was changed" });
    if (this.tail === undefined) this.sum.first = checked.tail.sequence;
    else this.faults.push(...breakOf(this.tail, checked).map((message) => ({ ...where, message })));
    this.tail = checked.tail;
    this.hashes.set(checked.tail.sequence, checked.tail.hash);
    if (text.includes('"action":"gap"')) this.#countGap(text);
  }

  #countGap(text: string): void {
    this.sum.gaps += 1;
    this.sum.lost += parseLine(text)?.lost ?? 0;
  }
}

function breakOf(
  before: JournalTail,
  { tail, prev }: { readonly tail: JournalTail; readonly prev: string },
): readonly string[] {
  const expected = before.sequence + 1;
  if (tail.sequence > expected) return [`lines ${expected} to ${tail.sequence - 1} are missing before this one`];
  if (tail.sequence < expected) return [`line ${tail.sequence} comes after line ${before.sequence}`];
  return prev === before.hash ? [] : ["the line before this one is not the one that was written"];
}

/** The head was written after the line that it names: a journal without that line has lost its end. */
async function faultsOfHead(
  place: JournalPlace,
  read: { readonly path: string; readonly chain: Chain },
): Promise<readonly JournalFault[]> {
  const head = await readHead(place);
  if (head === undefined) return [];
  const { tail, hashes, sum } = read.chain;
  const where = { file: read.path, line: sum.lines };
  const last = tail?.sequence ?? 0;
  if (head.sequence > last)
    return [{ ...where, message: `lines ${last + 1} to ${head.sequence} are missing at the end` }];
  const hash = hashes.get(head.sequence);
  if (hash === undefined || hash === head.hash) return [];
  return [{ ...where, message: `line ${head.sequence} is another one than was written` }];
}

async function readHead({ directories, set }: JournalPlace): Promise<JournalTail | undefined> {
  const path = directories.map((directory) => headPath(directory, set)).find((each) => existsSync(each));
  if (path === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(await readText(path));
    const { seq, hash } = isJsonObject(value) ? value : {};
    return typeof seq === "number" && typeof hash === "string" ? { sequence: seq, hash } : undefined;
  } catch {
    return undefined;
  }
}

const LOOK_EVERY_MS = 250;

/** Calls `onLine` for every line that is written from now on and wanted, until `signal` fires. */
export async function followJournal(
  place: JournalPlace,
  query: JournalQuery & { readonly clock: Clock; readonly onLine: (line: JournalLine) => void },
  signal: AbortSignal,
): Promise<void> {
  const wants = filterOf(query);
  const path = currentPath(place);
  const files = new FollowedFile(path);
  try {
    while (!signal.aborted) {
      for (const text of files.read()) {
        const line = wants(text);
        if (line !== undefined) query.onLine(line);
      }
      await query.clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    }
  } finally {
    files.close();
  }
}

/** A file as it grows. It is kept open, so that what was written to it before a rotation is read to its end. */
class FollowedFile {
  readonly #path: string;
  #descriptor: number | undefined;
  #at: number;
  #rest = "";

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openIfThere(path);
    this.#at = this.#descriptor === undefined ? 0 : fstatSync(this.#descriptor).size;
  }

  /** Whole lines that have come since the last call. */
  read(): readonly string[] {
    this.#drain();
    const there = statSync(this.#path, { throwIfNoEntry: false });
    if (there !== undefined && (this.#descriptor === undefined || there.ino !== fstatSync(this.#descriptor).ino)) {
      this.#drain();
      this.close();
      this.#descriptor = openIfThere(this.#path);
      this.#at = 0;
      this.#drain();
    }
    const end = this.#rest.lastIndexOf("\n") + 1;
    const lines = linesOf(this.#rest.slice(0, end));
    this.#rest = this.#rest.slice(end);
    return lines;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #drain(): void {
    if (this.#descriptor === undefined) return;
    const length = fstatSync(this.#descriptor).size - this.#at;
    if (length <= 0) return;
    const bytes = Buffer.alloc(length);
    const count = readSync(this.#descriptor, bytes, 0, length, this.#at);
    this.#at += count;
    this.#rest += bytes.subarray(0, count).toString();
  }
}

function openIfThere(path: string): number | undefined {
  return existsSync(path) ? openSync(path, "r") : undefined;
}

/** The files of a journal, oldest first. Rejects with `NotFound` where there is none. */
async function filesOf({ directories, set }: JournalPlace): Promise<readonly { readonly path: string }[]> {
  for (const directory of directories) {
    const ages = Array.from({ length: MOST_FILES }, (_, age) => MOST_FILES - 1 - age);
    const paths = ages.map((age) => journalPath(directory, set, age)).filter((path) => existsSync(path));
    if (paths.length > 0) return paths.map((path) => ({ path }));
  }
  const looked = directories.map((directory) => journalPath(directory, set)).join(", ");
  const message = `there is no journal on this machine (looked for ${looked}): it is where the leader runs; --state-dir names another directory`;
  throw new KeelsonError("NotFound", message, { disposition: "user" });
}

function currentPath({ directories, set }: JournalPlace): string {
  const paths = directories.map((directory) => journalPath(directory, set));
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? "";
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new KeelsonError("Unreadable", `${path}: ${messageOf(cause)}`, { object: path, cause });
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
