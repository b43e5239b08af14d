import { messageOf } from "../errors/index.ts";
import { FileError, type FileSystem } from "./file-system.ts";
import type { Interner } from "./interner.ts";
import { loadText, MAX_FILE_BYTES } from "./load-text.ts";
import { buildProblem, contentDigest } from "./problem.ts";
import type { ScannedFile } from "./scan.ts";
import type { FileWarning, ManifestObject, Problem } from "./snapshot.ts";

/** A file's content as snapshots show it. */
export interface LoadedFile {
  /** Of the file that was read. */
  readonly identity: string;
  /** Bytes; 0 where nothing could be read. */
  readonly size: number;
  /** Of the bytes: a file that was only touched is not read anew. */
  readonly digest: string;
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly FileWarning[];
  /** Reading failed though the file is there: it may work later without the file changing. */
  readonly mayRecover: boolean;
}

export interface LoadOptions {
  readonly fileSystem: FileSystem;
  readonly interner: Interner;
  /** What was loaded from this path before. */
  readonly previous: LoadedFile | undefined;
}

/** Reads and parses one file; undefined where it is not, or no longer, what the scan saw: look again. */
export function loadFile(file: ScannedFile, options: LoadOptions): LoadedFile | undefined {
  if (file.kind === "unreadable") return unreadable(file.path, file, false);
  try {
    const { bytes, identity } = options.fileSystem.read(file.readPath, MAX_FILE_BYTES);
    if (identity !== file.identity) return undefined;
    const digest = contentDigest(bytes);
    const { previous } = options;
    if (previous?.digest === digest) return { ...previous, identity, warnings: warningsOf(file) };
    const { objects, problems } = loadText(bytes, file.path, options.interner);
    return { identity, size: file.size, digest, objects, problems, warnings: warningsOf(file), mayRecover: false };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.errno === "ENOENT" || error.errno === "ESTALE") return undefined;
    return unreadable(file.path, { identity: error.errno, message: messageOf(error) }, true);
  }
}

function unreadable(
  file: string,
  { identity, message }: { readonly identity: string; readonly message: string },
  mayRecover: boolean,
): LoadedFile {
  const problem = buildProblem({
    code: "Unreadable",
    message: `it cannot be read: ${message}`,
    file,
    holds: true,
    digest: identity,
  });
  return { identity, size: 0, digest: `!${identity}`, objects: [], problems: [problem], warnings: [], mayRecover };
}

function warningsOf(file: ScannedFile): readonly FileWarning[] {
  if (file.kind !== "file" || file.warning === undefined) return [];
  return [{ message: file.warning, file: file.path, line: undefined }];
}
