import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  watch,
} from "node:fs";
import { KeelsonError, messageOf } from "../errors/index.ts";

/** What a path leads to. */
export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  /** Device and inode: the same directory however it is reached. */
  readonly inode: string;
  /** Differs as soon as the content may: device, inode, size, mtime and ctime (to a quarter of a microsecond). */
  readonly identity: string;
  readonly size: number;
  /** The later of mtime and ctime, in milliseconds since the epoch. */
  readonly changedMs: number;
  /** What it is, for messages: `a FIFO`. */
  readonly what: string;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/** A file's content and what it was when it was read. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly identity: string;
}

/** One directory being watched. */
export interface DirectoryWatch {
  close(): void;
}

export interface WatchCallbacks {
  /** Something happened to the entry of this name; undefined where the system does not tell. */
  onEvent(name: string | undefined): void;
  onError(error: FileError): void;
}

/**
 * The file system as the directory source sees it. Synchronous on purpose: a stat costs 4 µs that way and three times as
 * much through the thread pool, and a scan is nothing but stats. Every method throws {@link FileError}.
 */
export interface FileSystem {
  list(directory: string): readonly DirectoryEntry[];
  /** Follows links; undefined where there is nothing. */
  stat(path: string): FileStat | undefined;
  /** Where a link points, as written in it. */
  readLink(path: string): string;
  realPath(path: string): string;
  /** Reads at most `limit` + 1 bytes of a regular file; never blocks on a FIFO that has taken its place. */
  read(path: string, limit: number): ReadFile;
  watch(directory: string, callbacks: WatchCallbacks): DirectoryWatch;
}

/** A system call failed. `errno` is its name: `EACCES`, `ENOSPC`. */
export class FileError extends KeelsonError {
  readonly errno: string;

  constructor(errno: string, message: string, cause?: unknown) {
    super("Unreadable", message, { cause });
    this.name = "FileError";
    this.errno = errno;
  }
}

/** The machine's own file system. */
export const nodeFileSystem: FileSystem = {
  list: (directory) =>
    attempt(() =>
      readdirSync(directory, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
    ),
  stat(path) {
    return attempt(() => {
      const stats = statSync(path, { throwIfNoEntry: false });
      const isEnough = stats === undefined || isExact(stats);
      const exact = isEnough ? stats : statSync(path, { bigint: true, throwIfNoEntry: false });
      return exact === undefined ? undefined : describe(exact);
    });
  },
  readLink: (path) => attempt(() => readlinkSync(path)),
  realPath: (path) => attempt(() => realpathSync.native(path)),
  read: (path, limit) => attempt(() => readRegularFile(path, limit)),
  watch: (directory, { onEvent, onError }) =>
    attempt(() => {
      // One watcher a directory: `recursive` is emulated on Linux in Node 20 and loses track of renamed directories.
      const watcher = watch(directory, { persistent: false }, (_, name) => onEvent(name ?? undefined));
      watcher.on("error", (error) => onError(fileError(error)));
      return watcher;
    }),
};

function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fileError(error);
  }
}

function fileError(error: unknown): FileError {
  if (error instanceof FileError) return error;
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return new FileError(typeof code === "string" ? code : "EUNKNOWN", messageOf(error), error);
}

function readRegularFile(path: string, limit: number): ReadFile {
  // A regular file ignores O_NONBLOCK; opening a FIFO without it would wait for a writer.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const before = describeOpen(descriptor);
    if (before.kind !== "file") throw new FileError("EINVAL", `it is ${before.what}`);
    const bytes = readUpTo(descriptor, Math.min(before.size, limit) + 1);
    const after = describeOpen(descriptor);
    // Written to meanwhile: what was read belongs to neither state.
    return { bytes, identity: before.identity === after.identity ? after.identity : "" };
  } finally {
    closeSync(descriptor);
  }
}

function readUpTo(descriptor: number, length: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, null);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

interface FileTypes {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(entry: FileTypes): DirectoryEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

/**
 * Whether numbers hold what identifies a file. They do on most file systems, and cost a fifth of what bigints do: a scan is
 * nothing but stats.
 */
function isExact({ dev, ino }: Stats): boolean {
  return Number.isSafeInteger(dev) && Number.isSafeInteger(ino);
}

function describeOpen(descriptor: number): FileStat {
  const stats = fstatSync(descriptor);
  return describe(isExact(stats) ? stats : fstatSync(descriptor, { bigint: true }));
}

function describe(stats: Stats | BigIntStats): FileStat {
  const inode = `${stats.dev}:${stats.ino}`;
  const isBig = "mtimeNs" in stats;
  const written = isBig ? stats.mtimeNs : stats.mtimeMs;
  const changed = isBig ? stats.ctimeNs : stats.ctimeMs;
  return {
    kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other",
    inode,
    identity: `${inode}:${stats.size}:${written}:${changed}`,
    size: Number(stats.size),
    changedMs: Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs)),
    what: nameOfType(stats),
  };
}

function nameOfType(stats: Stats | BigIntStats): string {
  if (stats.isFile()) return "a file";
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a FIFO";
  if (stats.isSocket()) return "a socket";
  return "a device";
}
