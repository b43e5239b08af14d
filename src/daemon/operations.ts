import type { AdoptOptions } from "../controllers/addon/index.ts";
import type { JournalCheck, JournalLine } from "../history/index.ts";
import type { Logger } from "../log/index.ts";
import type { RbacOptions } from "./rbac-options.ts";
import type {
  AdoptReport,
  ApplyReport,
  AuditReport,
  ConfirmReport,
  ExplainReport,
  FsckReport,
  HistoryReport,
  HoldReport,
  LintReport,
  PauseReport,
  PlanReport,
  RbacReport,
  ResumeReport,
  RevisionDiffReport,
  RevisionReport,
  StatusReport,
  StatusView,
  UnpauseReport,
} from "./reports.ts";
import type { DemoOptions, SandboxOptions } from "./sandbox-options.ts";
import type { Settings } from "./settings.ts";

/** Environment variables, as the process was given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the admission webhook serves. */
export interface WebhookServer {
  readonly port: number;
  /** PEM files; read again when they change. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** What an operation is given of the process it runs in. */
export interface OperationIo {
  /** Fires once the operation is to end in good order (SIGTERM, SIGINT). */
  readonly signal: AbortSignal;
  /** The daemon's log (stdout or `--log-file`); warnings and worse of the other commands (stderr). */
  readonly log: Logger;
  /** For what a library takes from the environment: kubeconfig, proxies, credential plug-ins. */
  readonly environment: Environment;
  /** Says on stderr what is going on; overwritten by the next one on a terminal, silent elsewhere. */
  progress(message: string): void;
  /** Calls `listener` when the files are to be read anew at once (SIGHUP); the returned function ends that. */
  onRescan(listener: () => void): () => void;
  /** Of this program. */
  readonly version: string;
}

/** Which lines of the journal are wanted, as the command line has them. */
export interface AuditQuery {
  /** A duration back from now, or a time. */
  readonly since?: string | undefined;
  /** `NAME`, `KIND/NAME` or `KIND/NAMESPACE/NAME`. */
  readonly object?: string | undefined;
  /** Only the last so many. */
  readonly limit?: number | undefined;
}

/**
 * What the commands do, behind the command line. Failures are thrown as `KeelsonError`; per-object failures are data of
 * the report.
 */
export interface Operations {
  /** The daemon, until `io.signal` fires; the exit code. */
  run(settings: Settings, io: OperationIo): Promise<number>;
  /** What one pass would do. Writes nothing. */
  plan(settings: Settings, io: OperationIo): Promise<PlanReport>;
  /** The same against a saved cluster state (path of a snapshot file), or an empty cluster. Needs no cluster. */
  planOffline(settings: Settings, snapshot: string | undefined, io: OperationIo): Promise<PlanReport>;
  /** One object: its document, what a pass would do about it, who owns its fields. `NotFound` where there is neither. */
  explain(settings: Settings, object: string, io: OperationIo): Promise<ExplainReport>;
  /** What does not fit together between directory, cluster, ownership and history; with `isFixing` what is safe is mended. */
  fsck(settings: Settings, isFixing: boolean, io: OperationIo): Promise<FsckReport>;
  /** One pass. Throws `NotLeader` or `AnotherInstance`, having written nothing, where another one acts. */
  apply(settings: Settings, io: OperationIo): Promise<ApplyReport>;
  /** The steps of a plan (path of its JSON), and no others. Throws `PlanStale`, having written nothing, where it no longer fits. */
  applyPlan(
    settings: Settings,
    source: { readonly plan: string; readonly isDirectoryGiven: boolean },
    io: OperationIo,
  ): Promise<ApplyReport>;
  /**
   * Takes over the members of kubectl's ApplySet `parent` (KIND/NAME) that the directory declares; deletes nothing. Throws
   * `Refused`, having written nothing, where it is not kubectl's, or its members cannot be listed.
   */
  adopt(
    settings: Settings,
    what: Pick<AdoptOptions, "parent" | "fieldManager" | "isDryRun">,
    io: OperationIo,
  ): Promise<AdoptReport>;
  /** Reads the directory; needs no cluster. */
  lint(settings: Settings, io: OperationIo): Promise<LintReport>;
  /** The least rights that a daemon with these settings needs for the directory; needs a cluster only where asked to. */
  rbac(settings: Settings, options: RbacOptions, io: OperationIo): Promise<RbacReport>;
  /** The daemon's own record in the cluster, and whether it still runs. Throws `NotFound` where there is none. */
  status(settings: Settings, io: OperationIo): Promise<StatusView>;
  /**
   * Calls `onStatus` with that record (undefined: there is none), now and after each change, until it returns true or
   * `io.signal` fires. Answers whether it returned true.
   */
  watchStatus(
    settings: Settings,
    onStatus: (report: StatusReport | undefined) => boolean,
    io: OperationIo,
  ): Promise<boolean>;
  /** The admission webhook of the SR-IOV operator's resources, until `io.signal` fires; the exit code. */
  sriovWebhook(settings: Settings, server: WebhookServer, io: OperationIo): Promise<number>;
  /** Releases the held objects that `digest` covers. Throws `Refused` where the list has changed since. */
  confirmPrune(settings: Settings, digest: string, io: OperationIo): Promise<ConfirmReport>;
  /** The revisions of the set, and what is held. */
  history(settings: Settings, io: OperationIo): Promise<HistoryReport>;
  /** A revision with its objects. Throws `NotFound`, naming those there are. */
  showRevision(settings: Settings, revision: number, io: OperationIo): Promise<RevisionReport>;
  /** What differs from one revision to another; `to` undefined: the newest. */
  diffRevisions(
    settings: Settings,
    between: { readonly from: number; readonly to?: number | undefined },
    io: OperationIo,
  ): Promise<RevisionDiffReport>;
  /** Asks the leader to go back to a revision and hold it. Throws `Refused` where its set cannot exist. */
  rollback(
    settings: Settings,
    to: { readonly revision: number; readonly reason?: string | undefined },
    io: OperationIo,
  ): Promise<HoldReport>;
  /** Asks the leader to keep the directory again. */
  resume(settings: Settings, io: OperationIo): Promise<ResumeReport>;
  /** Asks the leader not to write to an object or a file's objects for a while; `lasting` is a duration. */
  pause(
    settings: Settings,
    asked: { readonly what: string; readonly lasting: string; readonly reason?: string | undefined },
    io: OperationIo,
  ): Promise<PauseReport>;
  /** Ends pauses before their time; `what` undefined: all of them. */
  unpause(settings: Settings, what: string | undefined, io: OperationIo): Promise<UnpauseReport>;
  /** Lines of this machine's audit journal. Needs no cluster. */
  audit(settings: Settings, query: AuditQuery): Promise<AuditReport>;
  /** The same, line by line as they are written, until `io.signal` fires. */
  followAudit(
    settings: Settings,
    query: AuditQuery & { readonly onLine: (line: JournalLine) => void },
    io: OperationIo,
  ): Promise<void>;
  /** Whether this machine's journal is whole. */
  verifyAudit(settings: Settings): Promise<JournalCheck>;
  /** An API server of our own on loopback, until `io.signal` fires. */
  sandbox(options: SandboxOptions, io: OperationIo): Promise<void>;
  /** A tour of the daemon on a sandbox. */
  demo(options: DemoOptions, io: OperationIo): Promise<void>;
}
