import type { JournalLine, RevisionMode, RevisionSummary } from "../../history/index.ts";
import type { KubeObject, ObjectRef } from "../../object/index.ts";
import type { Right } from "./rights.ts";

/**
 * What the operations answer, as plain data: printed as tables, or as they are with `-o json|yaml`. Field names are
 * part of the command line's interface. Values of Secrets are masked before they get here.
 */

/** Where a thing stands: a path relative to the directory, and a line from 1; absent for what has no file. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
}

/** Something wrong with the files or the settings. */
export interface ProblemReport {
  readonly file: string;
  /** From 1; 0 where the whole file is meant. */
  readonly line: number;
  readonly message: string;
}

/** What a pass does to one object. */
export type StepAction = "create" | "apply" | "ensure" | "delete" | "release" | "hold" | "keep" | "wait";

/** One field that differs between the live object and what a pass would make of it. */
export interface FieldChange {
  /** As a person writes it: `spec.template.spec.containers[name=dns].image`. */
  readonly path: string;
  /** Absent where the field is added. */
  readonly before?: unknown;
  /** Absent where the field is removed. */
  readonly after?: unknown;
  /** The field manager that set the live value, where managedFields tell. */
  readonly manager?: string;
}

/** How many objects of one kind go with a deleted one (a Namespace's content, a CRD's instances). */
export interface TakesReport {
  readonly kind: string;
  readonly count: number;
}

/** One step of a plan. */
export interface StepReport extends Place {
  readonly action: StepAction;
  readonly object: ObjectRef;
  readonly reason: string;
  readonly diff: readonly FieldChange[];
  readonly takes?: readonly TakesReport[];
  /** Of the live object that it is about; absent where there must be none. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Of the desired object; absent for one that is not desired. */
  readonly digest?: string;
}

/** One document that no label selects, and why that may be a slip. */
export interface OmittedReport extends Place {
  readonly object: ObjectRef;
  readonly hint?: string;
}

/** How many objects came to what. */
export type SummaryReport = Readonly<Record<string, number>>;

/** One object that prune leaves alone until someone decides. */
export interface HeldObject {
  readonly object: ObjectRef;
  readonly uid: string;
  readonly reason: string;
  /** Whether `keelson prune --confirm` releases it (a mistyped document is not confirmable). */
  readonly confirmable: boolean;
}

/** The held list; `digest` is what `keelson prune --confirm` takes, absent where nothing is confirmable. */
export interface HeldReport {
  readonly digest?: string;
  readonly objects: readonly HeldObject[];
}

/** What the directory holds otherwise than the revision that is held: it is applied when somebody resumes. */
export interface WaitingReport {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** The first of them. */
  readonly objects: readonly WaitingObject[];
}

/** One object that waits for the end of a hold. */
export interface WaitingObject extends Place {
  readonly action: "added" | "changed" | "removed";
  /** Its namespace is as written: "" where the manifest names none. */
  readonly object: ObjectRef;
}

/** A rollback that is in force. */
export interface HoldReport {
  readonly revision: number;
  /** Who asked for it: `alice (alice@cp-1)`. */
  readonly by: string;
  /** RFC 3339; absent where nobody has said when. */
  readonly since?: string;
  readonly reason?: string;
  /** Why it is not in force: the revision is gone or damaged. */
  readonly refused?: string;
  readonly waiting?: WaitingReport;
}

/** Something that is not written to for a while. Either `object` or `file` is there. */
export interface PauseReport {
  readonly object?: ObjectRef;
  readonly file?: string;
  /** RFC 3339. */
  readonly until: string;
  readonly by: string;
  /** RFC 3339; absent where nobody has said when. */
  readonly since?: string;
  readonly reason?: string;
}

/** What a pass would do. The same text, given to `keelson apply --plan`, is what that executes, or refuses. */
export interface PlanReport {
  /** Format of this report; it changes when an older program could misread it. */
  readonly version: 1;
  /** Name of the set (`--set`), empty for the only one. */
  readonly set: string;
  /** The directory, absolute. */
  readonly path: string;
  /** What tells this cluster from any other: the uid of its Namespace kube-system; absent where that cannot be read. */
  readonly cluster?: string;
  /** Digest of the desired set: every declared object with its mode and its content. */
  readonly desired: string;
  /** Steps that change something or hold; converged objects are only counted. */
  readonly steps: readonly StepReport[];
  /** By action, and `unchanged`. */
  readonly summary: SummaryReport;
  readonly held: HeldReport;
  /** Broken documents, and objects that the API server refuses in a dry run. */
  readonly problems: readonly ProblemReport[];
  /** Documents that no label selects: they are not applied. */
  readonly omitted: readonly OmittedReport[];
  /** The revision that is planned for, instead of the directory. */
  readonly hold?: HoldReport;
}

/** Who owns which fields of a live object. */
export interface OwnerReport {
  readonly manager: string;
  readonly operation: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** RFC 3339; when the entry last changed. */
  readonly time?: string;
  /** It is this set's own Apply entry. */
  readonly isOurs: boolean;
  readonly fields: readonly string[];
}

/** One object, explained. */
export interface ExplainReport extends Place {
  readonly object: ObjectRef;
  /** `omitted`: its document carries no label that selects it; `undeclared`: it has no document. */
  readonly mode: LintMode | "undeclared";
  /** What a pass would do about it, and why. */
  readonly decision: string;
  readonly diff: readonly FieldChange[];
  /** The live object; absent where there is none. */
  readonly live?: {
    readonly uid: string;
    readonly resourceVersion: string;
    /** By the rules of kstatus, with the reason. */
    readonly readiness: string;
  };
  /** Our own entry first. */
  readonly owners: readonly OwnerReport[];
  /** Fields of ours that others own too: they stay when they leave the manifest. */
  readonly shared: readonly { readonly field: string; readonly managers: readonly string[] }[];
}

/**
 * - `duplicate`: declared twice.
 * - `missing`: declared, and not in the cluster.
 * - `unproven`: declared and in the cluster, without our entry: nothing shows that it is ours.
 * - `foreign`: carries the labels or the entry of this set's class, and is another set's or nobody's.
 * - `leaked`: applied by this set and not declared any more, where no pass ever looks at it.
 * - `untracked`: managedFields name a version that is gone: the API server does not track its fields.
 * - `unrecorded`: not in the last revision as it is declared.
 */
export type FindingKind = "duplicate" | "missing" | "unproven" | "foreign" | "leaked" | "untracked" | "unrecorded";

/** Something that does not fit together. */
export interface FindingReport extends Place {
  readonly kind: FindingKind;
  readonly object: ObjectRef;
  readonly message: string;
  /** What to do; absent where nothing needs to be done. */
  readonly advice?: string;
  /** What `--fix` would do, or has done. */
  readonly fix?: string;
  readonly isFixed?: boolean;
  /** Why `--fix` did not succeed. */
  readonly error?: string;
}

/** What a check found. */
export interface FsckReport {
  readonly findings: readonly FindingReport[];
  /** What was looked at: `declared`, `live`, `kinds`, and the last `revision`. */
  readonly checked: SummaryReport;
  /** Kinds that could not be listed. */
  readonly problems: readonly ProblemReport[];
}

/** What became of one object in a pass. */
export type Outcome = "created" | "configured" | "unchanged" | "deleted" | "released" | "skipped" | "failed";

/** One object's outcome. */
export interface OutcomeReport extends Place {
  readonly outcome: Outcome;
  readonly object: ObjectRef;
  /** Why it was skipped or failed, or what changed. */
  readonly message?: string;
}

/** What a pass did. */
export interface ApplyReport {
  /** The plan that was executed: the same steps, reasons and order that `keelson plan` prints. */
  readonly steps: readonly StepReport[];
  readonly objects: readonly OutcomeReport[];
  /** By outcome. */
  readonly summary: SummaryReport;
  readonly held: HeldReport;
  readonly problems: readonly ProblemReport[];
  /** Documents that no label selects: they are not applied. */
  readonly omitted: readonly OmittedReport[];
  /** The revision that was applied, instead of the directory. */
  readonly hold?: HoldReport;
}

/** How a document of the directory is treated; `omitted` carries no label that selects it. */
export type LintMode = "Reconcile" | "EnsureExists" | "omitted";

/** One object of the directory. */
export interface LintObject {
  readonly file: string;
  readonly line: number;
  readonly mode: LintMode;
  readonly object: ObjectRef;
}

/** What the files say, without a cluster. */
export interface LintReport {
  readonly objects: readonly LintObject[];
  readonly problems: readonly ProblemReport[];
}

/** The least rights that a directory needs. */
export interface RbacReport {
  readonly rights: readonly Right[];
  /** The same as Kubernetes objects, in the order in which they are applied. */
  readonly objects: readonly KubeObject[];
  /** The prune list cut down to what the directory holds: `core/v1/ConfigMap`. */
  readonly pruneList: readonly string[];
  /** How many kinds are watched only because the prune list names them. */
  readonly watchedForPruneOnly: number;
  readonly problems: readonly ProblemReport[];
}

/** The revisions of a set, oldest first. */
export interface HistoryReport {
  readonly revisions: readonly RevisionSummary[];
  readonly hold?: HoldReport;
}

/** One object of a revision. */
export interface RevisionObjectReport extends Place {
  readonly object: ObjectRef;
  readonly mode: RevisionMode;
  readonly digest: string;
  /** As it is applied; values of Secrets are masked. */
  readonly manifest: KubeObject;
}

/** A revision with its objects. */
export interface RevisionReport extends RevisionSummary {
  readonly contents: readonly RevisionObjectReport[];
}

/** One object that two revisions have differently. */
export interface RevisionChangeReport extends Place {
  readonly action: "added" | "changed" | "removed";
  readonly object: ObjectRef;
  readonly diff: readonly FieldChange[];
}

/** What differs between two revisions. */
export interface RevisionDiffReport {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly RevisionChangeReport[];
}

/** The end of a hold; `was` is what ended, absent where nothing was held. */
export interface ResumeReport {
  readonly was?: HoldReport;
}

/** Pauses that ended. */
export interface UnpauseReport {
  readonly ended: readonly PauseReport[];
}

/** Lines of the audit journal, oldest first. */
export interface AuditReport {
  readonly lines: readonly JournalLine[];
}

/** A member of the ApplySet that is to be adopted. */
export interface AdoptedReport extends Place {
  readonly object: ObjectRef;
  /** `adopt`: fields and label become this set's; `relabel`: the label alone (EnsureExists); `leave`: it stays as it is. */
  readonly action: "adopt" | "relabel" | "leave";
  /** Why it is left. */
  readonly reason?: string;
  /** What kept it from being done. */
  readonly error?: string;
}

/** What an adoption did, or with `isDryRun` would do. */
export interface AdoptReport {
  readonly parent: ObjectRef;
  readonly id: string;
  /** Who kept it until now: `kubectl/v1.37.0`. */
  readonly tooling: string;
  readonly into: { readonly set: string; readonly parent: ObjectRef; readonly id: string };
  readonly isDryRun: boolean;
  readonly members: readonly AdoptedReport[];
  /** Of the directory, and kinds that the parent names and nobody serves. */
  readonly problems: readonly ProblemReport[];
}

/** What a confirmation released. */
export interface ConfirmReport {
  readonly digest: string;
  readonly released: readonly HeldObject[];
}
