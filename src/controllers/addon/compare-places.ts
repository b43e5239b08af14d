import type { ProblemReport } from "./reports.ts";

/** Orders by file, then line: as somebody goes through the files. */
export function comparePlaces(
  a: Pick<ProblemReport, "file" | "line">,
  b: Pick<ProblemReport, "file" | "line">,
): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line;
}
