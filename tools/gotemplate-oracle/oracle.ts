import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** What Go is asked to render. */
export interface OracleRequest {
  readonly template: string;
  readonly data: unknown;
  readonly functions: "builtin" | "sprig";
  readonly missingkey: "default" | "zero" | "error";
}

/** What Go made of it: its output, or the text of its error. */
export interface OracleAnswer {
  readonly out: string;
  readonly error?: string;
}

const SOURCES = ["main.go", "go.mod", "go.sum"];

/** Why there is no Go to compare with; undefined where there is. */
export function missingGo(): string | undefined {
  try {
    runGo("version");
    return undefined;
  } catch {
    return "Go is not installed, so that templates cannot be compared with Go's own text/template";
  }
}

/** Builds the oracle once per state of its sources, outside the checkout, and returns the binary's path. */
export function buildOracle(): string {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    hash.update(readFileSync(join(import.meta.dirname, source)));
  }
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "keelson", "gotemplate-oracle", hash.digest("hex").slice(0, 16));
  const binary = join(folder, "gotemplate-oracle");
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    const partial = `${binary}.${process.pid}`;
    runGo("build", "-trimpath", "-o", partial, ".");
    // Renamed when complete, because another test run may look for it at the same time.
    renameSync(partial, binary);
  }
  return binary;
}

function runGo(...args: readonly string[]): void {
  // Where Go's own installer puts it, for shells whose PATH was not extended.
  const path = `${process.env.PATH ?? ""}:/usr/local/go/bin`;
  execFileSync("go", args, { cwd: import.meta.dirname, env: { ...process.env, PATH: path }, stdio: "pipe" });
}

/** A running oracle; answers come in the order of the requests. */
export class Oracle {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly waiting: { resolve: (answer: OracleAnswer) => void; reject: (error: Error) => void }[] = [];

  constructor(binary: string) {
    this.process = spawn(binary, { stdio: ["pipe", "pipe", "pipe"] });
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      this.waiting.shift()?.resolve(JSON.parse(line) as OracleAnswer);
    });
    this.process.on("exit", () => {
      for (const { reject } of this.waiting.splice(0)) {
        reject(new Error("the oracle has ended: the template brought Go down"));
      }
    });
  }

  render(request: OracleRequest): Promise<OracleAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.process.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  /** Ends the process once it has answered what it was asked. */
  close(): void {
    this.process.stdin.end();
  }
}
