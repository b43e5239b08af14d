import { closeSync, fstatSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Clock, systemClock } from "../async/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import { makeFolder } from "./make-folder.ts";
import { type LineSink, writeAll } from "./sink.ts";

/** What {@link rotatingFileSink} needs. */
export interface RotatingFileOptions {
  readonly path: string;
  /** Size in bytes at which the file becomes `PATH.1`; default 10 MiB. */
  readonly maxBytes?: number;
  /** Files kept in all, the current one included; default 3. */
  readonly files?: number;
  /** Default the system clock. */
  readonly clock?: Clock;
}

/** How often the path is looked at, to follow an outside rotation (logrotate's rename). */
const LOOK_INTERVAL_MS = 1000;

/**
 * A sink that appends to a file and rotates it by size: PATH, PATH.1, PATH.2. Throws `Unreadable` where the file cannot
 * be opened at first; later failures drop lines and are counted, as a full disk must not stop the work.
 */
export function rotatingFileSink(options: RotatingFileOptions): LineSink {
  const file = new RotatingFile(options);
  try {
    file.open();
  } catch (error) {
    throw new KeelsonError("Unreadable", `cannot open the log file ${options.path}: ${messageOf(error)}`, {
      object: options.path,
      cause: error,
    });
  }
  return file;
}

class RotatingFile implements LineSink {
  readonly #path: string;
  /** How much is written before the next rotation. */
  readonly #maxBytes: number;
  readonly #files: number;
  readonly #clock: Clock;
  #descriptor: number | undefined;
  #size = 0;
  #rotateAt: number;
  #lookedAt = 0;
  #closed = false;

  constructor(options: RotatingFileOptions) {
    this.#path = options.path;
    this.#maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
    this.#rotateAt = this.#maxBytes;
    this.#files = options.files ?? 3;
    this.#clock = options.clock ?? systemClock;
  }

  open(): number {
    makeFolder(dirname(this.#path));
    const descriptor = openSync(this.#path, "a", 0o640);
    this.#descriptor = descriptor;
    this.#size = fstatSync(descriptor).size;
    this.#lookedAt = this.#clock.monotonic();
    return descriptor;
  }

  write(line: string): boolean {
    if (this.#closed) return false;
    try {
      this.#append(line);
      return true;
    } catch {
      // Opening afresh with the next line heals a descriptor of a file system that went away.
      this.#release();
      return false;
    }
  }

  close(): void {
    this.#closed = true;
    this.#release();
  }

  #append(text: string): void {
    this.#followRename();
    const bytes = Buffer.byteLength(text);
    if (this.#size > 0 && this.#size + bytes > this.#rotateAt) this.#rotate();
    writeAll(this.#descriptor ?? this.open(), text);
    this.#size += bytes;
  }

  #rotate(): void {
    this.#release();
    this.#rotateAt = this.#maxBytes;
    try {
      for (let n = this.#files - 1; n > 1; n -= 1) rename(`${this.#path}.${n - 1}`, `${this.#path}.${n}`);
      rename(this.#path, `${this.#path}.1`);
    } catch {
      // A log file that is a mount point of its own (a pod's hostPath of type File) cannot be renamed: go on in it.
      this.#rotateAt = this.#size + this.#maxBytes;
    }
    this.open();
  }

  /** Opens the path anew where an outside rotation has moved or removed the file that is open. */
  #followRename(): void {
    const now = this.#clock.monotonic();
    if (this.#descriptor === undefined || now - this.#lookedAt < LOOK_INTERVAL_MS) return;
    this.#lookedAt = now;
    const ours = fstatSync(this.#descriptor);
    const there = statSync(this.#path, { throwIfNoEntry: false });
    if (there === undefined || there.ino !== ours.ino || there.dev !== ours.dev) this.#release();
    else this.#size = there.size;
  }

  #release(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor === undefined) return;
    try {
      closeSync(descriptor);
    } catch {
      // The descriptor is gone either way.
    }
  }
}

function rename(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to);
}
