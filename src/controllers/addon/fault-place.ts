import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { KeelsonError } from "../../errors/index.ts";
import { lineOf, type Origin } from "../../manifest/index.ts";

/** A larger file is not read again for the sake of a line number. */
const MAX_BYTES = 1 << 20;

/**
 * Where the fault that an API server's answer names stands: the line of the very field where the answer names one that
 * the file holds, else the object's own. Reads the file again, so it is for errors that are told for the first time.
 */
export function placeOfFault(root: string, origin: Origin, error: Pick<KeelsonError, "causes">): Origin {
  const fields = error.causes.flatMap(({ field }) => (field === undefined || field === "" ? [] : [field]));
  if (fields.length === 0) return origin;
  try {
    const path = join(root, origin.file);
    if (statSync(path).size > MAX_BYTES) return origin;
    const text = readFileSync(path);
    for (const field of fields) {
      const line = lineOf(text, origin.line, field);
      if (line !== undefined && line !== origin.line) return { ...origin, line };
    }
  } catch {
    // The file is gone or changed meanwhile: the object's place, as it was read, is as good as any.
  }
  return origin;
}
