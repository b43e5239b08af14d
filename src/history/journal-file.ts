import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { KeelsonError } from "../errors/index.ts";
import { makeFolder } from "../log/index.ts";
import { checkLine, GENESIS, type JournalTail } from "./journal-line.ts";

/** Size at which the file becomes number 1. */
const MAX_BYTES = 10 << 20;
/** Files in all, the current one included: 100 MiB of journal. */
export const MOST_FILES = 10;
/** More than the longest line. */
const TAIL_BYTES = 4 << 20;
/** A lock that is older belongs to nobody any more: one is held for microseconds. */
const STALE_LOCK_MS = 10_000;

/** Path of a set's journal; `age` 0 is the current file, 1 the one before it. */
export function journalPath(directory: string, set: string, age = 0): string {
  return join(directory, `${stem(set)}${age === 0 ? "" : `.${age}`}.jsonl`);
}

/** Where the journal stood when it was last made durable: lines that went from its end show by it. */
export function headPath(directory: string, set: string): string {
  return join(directory, `${stem(set)}.head`);
}

function stem(set: string): string {
  return set === "" ? "audit" : `audit-${set}`;
}

/** What an append is made from, once it is known behind what. */
export type MakeLines = (
  tail: JournalTail,
  /** Bytes of a line that a crash had left half written; they are gone. */
  tornBytes: number,
) => { readonly text: string; readonly tail: JournalTail };

/**
 * The file of a journal. Every append looks at what is there first, under a lock: a single pass and a daemon may write the
 * same one. Throws what the system says; the caller buffers.
 */
export class JournalFile {
  readonly #directory: string;
  readonly #set: string;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  /** What the file was after our last append. */
  #seen: { readonly size: number; readonly tail: JournalTail } | undefined;

  constructor(directory: string, set: string, maxBytes: number = MAX_BYTES) {
    this.#directory = directory;
    this.#set = set;
    this.#maxBytes = maxBytes;
  }

  get path(): string {
    return journalPath(this.#directory, this.#set);
  }

  /** Appends lines. Where it throws, nothing counts as written; half a line is taken off by the next append. */
  append(make: MakeLines): JournalTail {
    makeFolder(this.#directory);
    const lock = join(this.#directory, `${stem(this.#set)}.lock`);
    takeLock(lock);
    try {
      return this.#appendLocked(make);
    } catch (error) {
      this.#release();
      throw error;
    } finally {
      unlinkSync(lock);
    }
  }

  /** Makes what was written durable; `onDone` gets the error where that fails. */
  sync(onDone: (error: Error | null) => void): void {
    const seen = this.#seen;
    if (this.#descriptor === undefined || seen === undefined) return;
    fdatasync(this.#descriptor, (error) => {
      if (error === null) this.#writeHead(seen.tail);
      onDone(error);
    });
  }

  close(): void {
    if (this.#descriptor !== undefined && this.#seen !== undefined) {
      try {
        fdatasyncSync(this.#descriptor);
        this.#writeHead(this.#seen.tail);
      } catch {
        // What is written is written; the next start finds out.
      }
    }
    this.#release();
  }

  #appendLocked(make: MakeLines): JournalTail {
    let torn = 0;
    const descriptor = this.#open();
    const { size } = fstatSync(descriptor);
    if (this.#seen?.size !== size) {
      const found = readTail(descriptor, size);
      torn = found.torn;
      if (torn > 0) ftruncateSync(descriptor, size - torn);
      this.#seen = { size: size - torn, tail: found.tail ?? this.#tailBefore() };
    }
    const before = this.#seen;
    const { text, tail } = make(before.tail, torn);
    const bytes = Buffer.from(text);
    if (before.size > 0 && before.size + bytes.length > this.#maxBytes) {
      this.#rotate();
      return this.#write(bytes, 0, tail);
    }
    return this.#write(bytes, before.size, tail);
  }

  #write(bytes: Buffer, size: number, tail: JournalTail): JournalTail {
    const descriptor = this.#open();
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      // A disk that became full takes some lines of many: they come again.
      takeBack(descriptor, { size, written: at });
      throw error;
    }
    this.#seen = { size: size + bytes.length, tail };
    return tail;
  }

  /** Opens the file, or opens it anew where another process has rotated it. */
  #open(): number {
    if (this.#descriptor !== undefined) {
      const there = statSync(this.path, { throwIfNoEntry: false });
      if (there !== undefined && there.ino === fstatSync(this.#descriptor).ino) return this.#descriptor;
      this.#release();
    }
    this.#descriptor = openSync(this.path, "a+", 0o600);
    return this.#descriptor;
  }

  #rotate(): void {
    if (this.#descriptor !== undefined) fdatasyncSync(this.#descriptor);
    this.#release();
    for (let age = MOST_FILES - 1; age >= 1; age -= 1) {
      const from = journalPath(this.#directory, this.#set, age - 1);
      if (existsSync(from)) renameSync(from, journalPath(this.#directory, this.#set, age));
    }
  }

  /** A file that is empty goes on where the one before it ended. */
  #tailBefore(): JournalTail {
    const path = journalPath(this.#directory, this.#set, 1);
    if (!existsSync(path)) return GENESIS;
    const descriptor = openSync(path, "r");
    try {
      return readTail(descriptor, fstatSync(descriptor).size).tail ?? GENESIS;
    } finally {
      closeSync(descriptor);
    }
  }

  #writeHead({ sequence, hash }: JournalTail): void {
    const path = headPath(this.#directory, this.#set);
    try {
      writeFileSync(`${path}.new`, `${JSON.stringify({ seq: sequence, hash })}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch {
      // An older head is still true.
    }
  }

  #release(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    this.#seen = undefined;
    if (descriptor === undefined) return;
    try {
      closeSync(descriptor);
    } catch {
      // The descriptor is gone either way.
    }
  }
}

/** Unless another process has written behind it: a write that hung for long has lost its lock. */
function takeBack(descriptor: number, { size, written }: { readonly size: number; readonly written: number }): void {
  try {
    if (fstatSync(descriptor).size === size + written) ftruncateSync(descriptor, size);
  } catch {
    // What is no file of a disk has nothing to take back.
  }
}

/** The last whole line's place in the chain (undefined: there is none), and how many bytes stand behind it. */
function readTail(descriptor: number, size: number): { readonly tail: JournalTail | undefined; readonly torn: number } {
  const length = Math.min(size, TAIL_BYTES);
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, size - length);
  const end = bytes.lastIndexOf(0x0a);
  const torn = length - end - 1;
  // From the end: a line that somebody has damaged does not begin a new chain; `audit verify` shows it.
  for (const line of bytes.subarray(0, Math.max(0, end)).toString().split("\n").reverse()) {
    const checked = checkLine(line);
    if (checked !== undefined) return { tail: checked.tail, torn };
  }
  return { tail: undefined, torn };
}

/** @throws KeelsonError Conflict where another process holds it */
function takeLock(path: string): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      if (attempt > 0 || !isStale(path)) {
        throw new KeelsonError("Conflict", `${path}: another process writes the journal`, { cause: error });
      }
      rmIfThere(path);
    }
  }
}

/** A process that was killed while it held the lock leaves it behind. */
function isStale(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || Date.now() - there.mtimeMs > STALE_LOCK_MS) return true;
  const pid = Number(readFileSync(path, "utf8"));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

function rmIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else was faster.
  }
}
