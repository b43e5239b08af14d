import type { ErrorCode } from "../errors/index.ts";
import type { Digest } from "../object/index.ts";

/** Where an object is declared. */
export interface Origin {
  /** Path relative to the snapshot's root, with `/`; byte-exact, never normalised. */
  readonly file: string;
  /** 1-based line on which the object's document (or its item of a List) starts. */
  readonly line: number;
}

/** Something in a readable object that was changed or that deserves a look. */
export interface ObjectWarning {
  /** What was found and what was done about it, without the place. */
  readonly message: string;
  /** 1-based line in the object's file. */
  readonly line: number;
}

/** What names an object before its scope is known: the namespace as written. */
export interface ManifestIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** As written; undefined where the manifest names none. */
  readonly namespace: string | undefined;
}

/**
 * One desired object. Compact on purpose: the normalised object is kept as JSON text ({@link body}), not as a tree, so
 * that 20,000 objects stay in tens of megabytes.
 */
export interface ManifestObject extends ManifestIdentity {
  /** `metadata.labels` of the normalised object. What the labels mean is decided above. */
  readonly labels: Readonly<Record<string, string>>;
  /** The annotations that start with `keelson.dev/`, no others. */
  readonly annotations: Readonly<Record<string, string>>;
  /** JSON text of the normalised object; integers are exact. Read it with `parseJson` of the object folder. */
  readonly body: string;
  /** Canonical digest of the normalised object. */
  readonly digest: Digest;
  readonly origin: Origin;
  readonly warnings: readonly ObjectWarning[];
}

/** A file, or a document of one, that yields no usable object. */
export interface Problem {
  /** `Unreadable`, `InvalidYaml`, `InvalidManifest`, `UnrenderedTemplate` or `LimitExceeded`. */
  readonly code: ErrorCode;
  /** What is wrong and what to do, without the place. */
  readonly message: string;
  /** Path relative to the root, with `/`; "" for the root itself. */
  readonly file: string;
  /** 1-based line of the fault; undefined where the whole file is concerned. */
  readonly line: number | undefined;
  /** Whether objects may hide behind this problem: unreadable, unparsable, or without identity (`design`: prune rule 8). */
  readonly holds: boolean;
  /** Digest of the unreadable bytes or of the document's text; the system's error code where nothing could be read. */
  readonly digest: string;
  /** `FILE@DIGEST`: the same problem in two snapshots has the same key. */
  readonly key: string;
  /** The object, where the document parses and names one but cannot be applied: it is still in the directory. */
  readonly identity: ManifestIdentity | undefined;
}

/** A remark about a file as a whole. */
export interface FileWarning {
  readonly message: string;
  readonly file: string;
  readonly line: number | undefined;
}

/** An entry of the directory that a rule leaves out. */
export interface IgnoredFile {
  readonly file: string;
  /** Why, as a phrase: `an editor's swap file`. */
  readonly reason: string;
}

/** Whether the root could be read. `missing`: absent, no directory, or not readable; `error` is the system's code. */
export type SnapshotState =
  | { readonly kind: "read" }
  | { readonly kind: "missing"; readonly error: string; readonly message: string };

/** What a source holds at one moment. Immutable. */
export interface ManifestSnapshot {
  /** The directory, as given. */
  readonly root: string;
  readonly state: SnapshotState;
  /** Grows by one with every snapshot of a source. */
  readonly sequence: number;
  /** By path bytewise, then by line, then by place in the document. Duplicates are all listed. */
  readonly objects: readonly ManifestObject[];
  /** By path bytewise, then by line. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly FileWarning[];
  readonly ignored: readonly IgnoredFile[];
  /** How many manifest files were read or tried. */
  readonly files: number;
  /**
   * Files that vanished, that hold fewer bytes than before, or that lack an object which they held, each with the
   * monotonic time in milliseconds since when the file has been as it is. A write to it starts that time anew, and is a
   * new snapshot. An object that was last seen in such a file must not be pruned before the prune settle time has passed
   * since then: the file may be half written, cut between two documents. Entries leave after ten minutes.
   */
  readonly reduced: ReadonlyMap<string, number>;
  /** Files that are being written right now: their objects are those of the last quiet content. */
  readonly unsettled: ReadonlySet<string>;
  /** Monotonic time in milliseconds at which the oldest change that this snapshot shows for the first time was seen. */
  readonly oldestChange: number | undefined;
}
