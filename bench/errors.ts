/** A measurement that could not be taken, as opposed to one that misses its bar. */
export class BenchError extends Error {
  override readonly name = "BenchError";
}

/** The first line of what went wrong. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
