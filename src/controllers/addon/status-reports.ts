import type { ObjectRef } from "../../object/index.ts";
import type { HeldReport, HoldReport, PauseReport, Place, ProblemReport, SummaryReport } from "./reports.ts";

// What `keelson status` answers, and what the status ConfigMap holds.

/** One object that is not as declared. */
export interface StatusObject extends Place {
  readonly object: ObjectRef;
  /** `failed`, `fighting`, `waiting`, `paused`, `omitted`. */
  readonly state: string;
  readonly message: string;
  /** RFC 3339; since when. */
  readonly since?: string;
  /** RFC 3339; when it is tried again. Absent: when the object or its file changes. */
  readonly retry?: string;
}

/** Something that was done to an object. */
export interface ChangeNote {
  /** RFC 3339. */
  readonly at: string;
  readonly object: ObjectRef;
  /** Outcome and reason. */
  readonly text: string;
}

/**
 * - `broken`: a document of it cannot be used.
 * - `failed`: an object cannot be applied, is fought over, or has failed in the cluster.
 * - `progressing`: objects are not yet as declared.
 * - `waiting`: all are as declared, and not all are ready.
 * - `ready`: all are as declared and ready.
 */
export type FileState = "broken" | "failed" | "progressing" | "waiting" | "ready";

/** One object that is not ready, by the rules of kstatus. */
export interface UnreadyReport {
  readonly object: ObjectRef;
  /** `InProgress`, `Failed`, `Terminating` or `NotFound`. */
  readonly readiness: string;
  readonly message: string;
}

/** One file of the directory: an add-on, as a rule. */
export interface FileStatus {
  readonly file: string;
  readonly state: FileState;
  readonly objects: number;
  /** How many are as declared. */
  readonly converged: number;
  /** How many are ready. */
  readonly ready: number;
  /** The first objects that are not ready. */
  readonly unready?: readonly UnreadyReport[];
  /** The last write to one of its objects. */
  readonly lastChange?: ChangeNote;
  /** The last repair of what somebody else had changed. */
  readonly lastDrift?: ChangeNote;
}

/** How the writer of a status came to act. */
export interface LeaderReport {
  /** `follow`: where the controller manager leads; `lease`: by a Lease of its own; `always`: without election. */
  readonly election: "follow" | "lease" | "always";
  /** `NAMESPACE/NAME` of the Lease, where there is one. */
  readonly lease?: string;
}

/** How many entries did not fit into the status. */
export interface LeftOutReport {
  readonly files?: number;
  readonly objects?: number;
  readonly held?: number;
  readonly problems?: number;
}

/** What the daemon says of itself: the content of the status ConfigMap (`status.json`). */
export interface StatusReport {
  /** Format of this record; readers ignore fields they do not know. */
  readonly version: 1;
  /** Name of the set (`--set`), empty for the only one. */
  readonly set: string;
  /** The instance that wrote it: `HOST_PID_START`. */
  readonly instance: string;
  /** RFC 3339; when it was written. */
  readonly updated: string;
  /** The directory it reads. */
  readonly path: string;
  /** Absent where a single pass wrote it. */
  readonly leader?: LeaderReport;
  /** `starting`, `progressing`, `degraded`, `paused` (all is as declared but for what is paused), `converged`. */
  readonly phase: string;
  readonly message?: string;
  /** By state: `desired`, `converged`, `ready`, `failed`, `held`, … */
  readonly summary: SummaryReport;
  /** Of any object, also of those that left. */
  readonly lastChange?: ChangeNote;
  readonly lastDrift?: ChangeNote;
  /** By path. */
  readonly files?: readonly FileStatus[];
  /** Everything that is not converged. */
  readonly objects: readonly StatusObject[];
  readonly held: HeldReport;
  readonly problems: readonly ProblemReport[];
  /** What did not fit; the summary counts everything. */
  readonly leftOut?: LeftOutReport;
  /** The newest revision of the set; absent before the first. */
  readonly revision?: number;
  /** The rollback that is in force. */
  readonly hold?: HoldReport;
  /** What is paused now. */
  readonly pauses?: readonly PauseReport[];
}

/** Whether the daemon that wrote a status still runs. */
export interface DaemonReport {
  readonly state: "running" | "stopped" | "unknown";
  /** How that is known. */
  readonly message: string;
}

/** A status as `keelson status` shows it: the record, and what became of its writer. */
export interface StatusView extends StatusReport {
  readonly daemon: DaemonReport;
}
