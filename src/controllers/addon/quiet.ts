import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../async/index.ts";

/** For how long nothing may have changed. Milliseconds. */
interface QuietOptions {
  readonly path: string;
  /** For files. */
  readonly settleMs: number;
  /** For directories: what left one may be pruned. */
  readonly prune: { readonly settleMs: number };
}

/** Waits until no directory or file has changed for the settle time; what is older is stable at once. */
export async function waitUntilQuiet(options: QuietOptions, clock: Clock, signal: AbortSignal): Promise<void> {
  const newest = await newestChange(options.path, 0);
  const rest = Math.max(newest.file + options.settleMs, newest.directory + options.prune.settleMs) - clock.now();
  // A time in the future is no reason to wait for it.
  if (rest > 0) await clock.sleep(Math.min(rest, options.prune.settleMs + options.settleMs), signal);
}

const MAX_DEPTH = 32;

async function newestChange(
  path: string,
  depth: number,
): Promise<{ readonly file: number; readonly directory: number }> {
  let file = 0;
  let directory = 0;
  try {
    directory = (await stat(path)).mtimeMs;
    for (const entry of depth > MAX_DEPTH ? [] : await readdir(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) {
        const below = await newestChange(child, depth + 1);
        file = Math.max(file, below.file);
        directory = Math.max(directory, below.directory);
      } else if (entry.isFile()) file = Math.max(file, (await stat(child)).mtimeMs);
    }
  } catch {
    // What cannot be read is the source's to report.
  }
  return { file, directory };
}
