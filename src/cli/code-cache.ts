import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";

const DIGEST_BYTES = 32;
/** A file that nobody has written for so long belongs to a build that is gone, or to a draft that was never finished. */
const STALE_MS = 86_400_000;
const OTHERS_MAY_WRITE = 0o022;

export interface CodeCacheOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the user runs; each command has a file of its own, as each runs other functions. */
  readonly command: string;
  /** The text of the program. */
  readonly source: string;
}

/**
 * Where V8's compiled code of a command lies between two runs: `keelson/code/` in the user's cache folder
 * ($XDG_CACHE_HOME, else ~/.cache), one file for each command, named after program, Node.js, its flags and architecture.
 * As it is code that will be run, a file counts only where it is whole, and where it, its folder and the folders above, up
 * to the user's own, are this user's alone. Nothing here throws: without a cache all works, 80 ms later.
 */
export class CodeCache {
  /** The user's own folder, then those below it that are ours. */
  readonly #folders: readonly string[];
  readonly #command: string;
  readonly #key: string;

  private constructor(folders: readonly string[], { command, source, environment }: CodeCacheOptions) {
    this.#folders = folders;
    this.#command = command;
    const engine = [process.version, process.arch, ...process.execArgv, environment.NODE_OPTIONS ?? ""];
    this.#key = createHash("sha256").update(engine.join("\n")).update(source).digest("hex").slice(0, 16);
  }

  /** Undefined where there is no home, where KEELSON_CODE_CACHE is `off`, and for commands that are no plain words. */
  static of(options: CodeCacheOptions): CodeCache | undefined {
    const { KEELSON_CODE_CACHE, XDG_CACHE_HOME = "", HOME = "" } = options.environment;
    if (KEELSON_CODE_CACHE === "off" || !/^[a-z][a-z-]{0,31}$/.test(options.command)) return undefined;
    if (isAbsolute(XDG_CACHE_HOME)) return new CodeCache(below(XDG_CACHE_HOME, "keelson", "code"), options);
    return isAbsolute(HOME) ? new CodeCache(below(HOME, ".cache", "keelson", "code"), options) : undefined;
  }

  get #directory(): string {
    return this.#folders.at(-1) ?? "";
  }

  get #file(): string {
    return join(this.#directory, `${this.#command}-${this.#key}.jsc`);
  }

  /** What {@link write} wrote; undefined where there is nothing that can be trusted. */
  read(): Buffer | undefined {
    try {
      if (!this.#folders.every(isOwnFolder)) return undefined;
      const bytes = readOwn(this.#file);
      if (bytes === undefined) return undefined;
      const data = bytes.subarray(DIGEST_BYTES);
      return digestOf(data).equals(bytes.subarray(0, DIGEST_BYTES)) ? data : undefined;
    } catch {
      return undefined;
    }
  }

  /** Replaces the file as a whole, and removes what is stale beside it. */
  write(data: Uint8Array): void {
    try {
      // Of another user's home (sudo keeps HOME) it keeps out: the files would be in that user's way.
      if (!this.#makeFolders()) return;
      const draft = join(this.#directory, `${randomBytes(8).toString("hex")}.draft`);
      try {
        writeFileSync(draft, Buffer.concat([digestOf(data), data]), { mode: 0o600, flag: "wx" });
        renameSync(draft, this.#file);
      } finally {
        rmSync(draft, { force: true });
      }
      this.#removeStale();
    } catch {
      // The next run tries again.
    }
  }

  /** Makes what is missing below the user's own folder; false as soon as one is not this user's alone. */
  #makeFolders(): boolean {
    return this.#folders.every((folder, depth) => {
      if (depth > 0) mkdirSync(folder, { recursive: true, mode: 0o700 });
      return isOwnFolder(folder);
    });
  }

  #removeStale(): void {
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (/[.](jsc|draft)$/.test(name) && statSync(path).mtimeMs < Date.now() - STALE_MS) rmSync(path, { force: true });
    }
  }
}

function below(own: string, ...names: readonly string[]): readonly string[] {
  return [own, ...names.map((_, at) => join(own, ...names.slice(0, at + 1)))];
}

/** A folder that is this user's and that nobody else may write; where it is reached by a link, that is this user's, too. */
function isOwnFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && isOwn(stats) && lstatSync(path).uid === stats.uid;
}

/** The content of a file of this user that nobody else may write; undefined for any other. */
function readOwn(path: string): Buffer | undefined {
  // A link is not followed, and a pipe not waited for.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    return stats.isFile() && isOwn(stats) ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

function isOwn({ uid, mode }: Stats): boolean {
  return uid === process.geteuid?.() && (mode & OTHERS_MAY_WRITE) === 0;
}

function digestOf(data: Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}
