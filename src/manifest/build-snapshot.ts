import type { FileLedger, TrackedFile } from "./file-ledger.ts";
import { buildProblem } from "./problem.ts";
import type { IgnoredFile, ManifestSnapshot, Problem } from "./snapshot.ts";

/** What a snapshot is made of. */
export interface SnapshotParts {
  readonly root: string;
  readonly ledger: FileLedger;
  readonly ignored: readonly IgnoredFile[];
  readonly sequence: number;
}

/** Puts together what a ledger shows. A missing root shows nothing, whatever is remembered of its files. */
export function buildSnapshot({ root, ledger, ignored, sequence }: SnapshotParts): ManifestSnapshot {
  const isRead = ledger.state.kind === "read";
  const files = isRead ? sortByPath([...ledger.files]) : [];
  return {
    root,
    state: ledger.state,
    sequence,
    objects: files.flatMap(({ shown }) => shown?.objects ?? []),
    problems: [...problemsOf(files), ...(isRead ? ledger.unknown.map(beingWritten) : [])],
    warnings: files.flatMap(({ shown }) => shown?.warnings ?? []),
    ignored: isRead ? ignored.toSorted((a, b) => compareBytes(a.file, b.file)) : [],
    files: files.filter(({ shown }) => shown !== undefined).length,
    reduced: ledger.reduced,
    unsettled: ledger.unsettled,
    oldestChange: ledger.takeOldestChange(),
  };
}

function problemsOf(files: readonly TrackedFile[]): readonly Problem[] {
  return files.flatMap(({ shown }) => shown?.problems ?? []);
}

/** A file that has not been quiet since the start may hold anything. */
function beingWritten(file: string): Problem {
  const message = "it is being written all the time: its objects are not known";
  return buildProblem({ code: "Unreadable", message, file, holds: true, digest: "unsettled" });
}

function sortByPath(files: TrackedFile[]): readonly TrackedFile[] {
  // A plain comparison does for paths without surrogates, and is many times as fast.
  const isPlain = !files.some(({ path }) => SURROGATE.test(path));
  return files.sort(isPlain ? (a, b) => (a.path < b.path ? -1 : 1) : (a, b) => compareBytes(a.path, b.path));
}

const SURROGATE = /[\ud800-\udfff]/;

/** Order of UTF-8 bytes. Code units give the same but for characters beyond U+FFFF. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  return SURROGATE.test(a + b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}
