import { createHash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";

const SUFFIX = ".jsc";
const DIGEST_BYTES = 32;

export interface CodeCacheOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the user runs; each command has a file of its own, as each runs other functions. */
  readonly command: string;
  /** The text of the program. */
  readonly source: string;
}

/**
 * Where V8's compiled code of a command lies between two runs: `keelson/code/` in the user's cache folder ($XDG_CACHE_HOME,
 * else ~/.cache), one file for each command, named after program, Node.js and architecture. As it is code that will be
 * run, a file counts only where it is this user's alone and whole. Nothing here throws: without a cache all works, 80 ms
 * later.
 */
export class CodeCache {
  readonly #home: string;
  readonly #directory: string;
  readonly #command: string;
  readonly #key: string;

  private constructor(home: string, directory: string, { command, source }: CodeCacheOptions) {
    this.#home = home;
    this.#directory = directory;
    this.#command = command;
    this.#key = createHash("sha256")
      .update(`${process.version} ${process.arch} `)
      .update(source)
      .digest("hex")
      .slice(0, 16);
  }

  /** Undefined where there is no home, where KEELSON_CODE_CACHE is `off`, and for commands that are no plain words. */
  static of(options: CodeCacheOptions): CodeCache | undefined {
    const { KEELSON_CODE_CACHE, XDG_CACHE_HOME = "", HOME = "" } = options.environment;
    if (KEELSON_CODE_CACHE === "off" || !/^[a-z][a-z-]{0,31}$/.test(options.command)) return undefined;
    if (isAbsolute(XDG_CACHE_HOME)) return new CodeCache(XDG_CACHE_HOME, join(XDG_CACHE_HOME, "keelson/code"), options);
    return isAbsolute(HOME) ? new CodeCache(HOME, join(HOME, ".cache/keelson/code"), options) : undefined;
  }

  get #file(): string {
    return join(this.#directory, `${this.#command}-${this.#key}${SUFFIX}`);
  }

  /** What {@link write} wrote; undefined where there is nothing that can be trusted. */
  read(): Buffer | undefined {
    try {
      const bytes = readOwn(this.#file);
      const data = bytes?.subarray(DIGEST_BYTES);
      return data !== undefined && digestOf(data).equals(bytes?.subarray(0, DIGEST_BYTES) ?? data) ? data : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Replaces the file as a whole, and removes those of other builds of the same command. Two that write at once may spoil
   * their draft: its digest tells.
   */
  write(data: Uint8Array): void {
    const draft = join(this.#directory, `.${this.#command}.draft`);
    try {
      // Of another user's home (sudo keeps HOME) it keeps out: the files would be in that user's way.
      if (!isOwn(statSync(this.#home))) return;
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      writeFileSync(draft, Buffer.concat([digestOf(data), data]), { mode: 0o600 });
      renameSync(draft, this.#file);
      for (const name of readdirSync(this.#directory)) if (this.#isStale(name)) rmSync(join(this.#directory, name));
    } catch {
      removeQuietly(draft);
    }
  }

  #isStale(name: string): boolean {
    const [command, rest = ""] = [name.slice(0, this.#command.length), name.slice(this.#command.length)];
    return (
      command === this.#command && /^-[0-9a-f]{16}[.]jsc$/.test(rest) && join(this.#directory, name) !== this.#file
    );
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Not even its folder can be reached.
  }
}

/** The content of a file of this user that nobody else may write; undefined for any other. */
function readOwn(path: string): Buffer | undefined {
  const file = openSync(path, "r");
  try {
    const stats = fstatSync(file);
    return isOwn(stats) && (stats.mode & 0o022) === 0 ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

function isOwn({ uid }: { readonly uid: number }): boolean {
  return uid === process.geteuid?.();
}

function digestOf(data: Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}
