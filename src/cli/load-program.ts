import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";
import { CodeCache } from "./code-cache.ts";
import { EXIT } from "./exit-codes.ts";

export interface LoadOptions {
  /** The first argument of the command line. */
  readonly command: string | undefined;
  /** Whether code that was compiled before may be used, and is kept for the next time. */
  readonly isCached: boolean;
}

/**
 * Loads a bundle in CommonJS form and returns its exports. Compiling a bundle takes as long as Node.js itself takes to
 * start; a command finds what the run before it has compiled.
 */
export function loadProgram(file: string, { command = "", isCached }: LoadOptions): unknown {
  const require = createRequire(file);
  // Node.js reads source maps only of what it loads itself.
  if (!isCached || process.sourceMapsEnabled === true) return require(file);
  const source = readFileSync(file, "latin1");
  const cache = CodeCache.of({ environment: process.env, command, source });
  const cachedData = cache?.read();
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
  const script = new Script(wrapped, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  const isUsed = cachedData !== undefined && script.cachedDataRejected !== true;
  // At the end, as by then the functions are compiled that this command needs; not of a command that did nothing.
  process.once("exit", (code) => {
    if (!isUsed && (code === EXIT.ok || code === EXIT.changes)) cache?.write(script.createCachedData());
  });
  return module.exports;
}
