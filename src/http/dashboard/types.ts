/**
 * The dashboard's API as data: what the JSON routes under `/api/v1` answer and take. Imports nothing, so that the pages
 * (`ui/`) share it. Times are RFC 3339 texts; values of Secrets are masked before they get here.
 */

/** What names one object; `namespace` is "" for cluster-scoped objects, `group` "" for the core. */
export interface ObjectName {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One word for the whole set. */
export type Phase = "starting" | "waiting" | "progressing" | "degraded" | "converged" | "paused";

/**
 * How an object stands to its manifest: as declared; about to be written; failed; waiting for something else; two
 * managers pull at it; not repaired on request; its prune waits for a person; kept by a rule; to be deleted soon.
 */
export type ObjectState = (typeof OBJECT_STATES)[number];

/** From what needs a person to what does not. */
export const OBJECT_STATES = [
  "failed",
  "fighting",
  "blocked",
  "held",
  "pending",
  "leaving",
  "paused",
  "kept",
  "converged",
] as const;

/** What the cluster made of the object (kstatus); `Unknown` where nothing has told yet. */
export type Readiness = "Current" | "InProgress" | "Failed" | "Terminating" | "NotFound" | "Unknown";

/** One row of the objects page. */
export interface ObjectRow extends ObjectName {
  /** Identifies the object in this API. */
  readonly key: string;
  /** `Reconcile` or `EnsureExists`; absent where the object is not in the directory. */
  readonly mode?: string;
  readonly state: ObjectState;
  readonly readiness: Readiness;
  /** Why the state or the readiness is what it is; absent where there is nothing to say. */
  readonly message?: string;
  /** Path relative to the directory. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
}

/** Something wrong with the files or the settings. */
export interface Problem {
  /** "" where no file is meant. */
  readonly file: string;
  /** From 1; 0 where the whole file is meant. */
  readonly line: number;
  readonly message: string;
}

/** An object that prune leaves alone. */
export interface HeldObject extends ObjectName {
  readonly key: string;
  readonly uid: string;
  readonly reason: string;
  /** Whether a confirmation releases it. */
  readonly confirmable: boolean;
}

/** What prune holds; `digest` names exactly the confirmable objects and is absent where there is none. */
export interface HeldList {
  readonly digest?: string;
  readonly objects: readonly HeldObject[];
  /** All that are confirmable; `objects` may be cut. */
  readonly confirmable: number;
}

/** One field that differs; `before` is absent where it was added, `after` where it was removed. */
export interface FieldChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  /** The field manager that set the other value, where that is known. */
  readonly manager?: string;
}

/** Something that happened to an object, or that a person asked for. */
export interface TimelineEntry {
  /** Grows; unique within one run of the daemon. */
  readonly id: number;
  readonly at: string;
  /** The object; absent for what concerns the whole set. */
  readonly key?: string;
  readonly object?: ObjectName;
  /**
   * - `drift`: somebody else changed it, and it was put back.
   * - `write`: it was written for another reason (file, revision, missing …).
   * - `failed`: a write was refused.
   * - `action`: a person asked for something.
   */
  readonly kind: "drift" | "write" | "failed" | "action";
  /** `created`, `configured`, `deleted`, `released`, `failed`; the action's name for an action. */
  readonly outcome: string;
  /** Why, in words. */
  readonly reason: string;
  /** Who: field managers of a drift, the user of an action. */
  readonly authors: readonly string[];
  readonly changes: readonly FieldChange[];
  readonly file?: string;
  readonly line?: number;
  /** Milliseconds from first request to last answer. */
  readonly ms?: number;
}

/** What drift is not repaired of, until when. */
export interface Pause {
  readonly target: PauseTarget;
  readonly until: string;
  readonly by?: string;
  readonly reason?: string;
}

/** One object by its key, or all objects of a file. */
export type PauseTarget =
  | { readonly kind: "object"; readonly key: string }
  | { readonly kind: "file"; readonly file: string };

/** The set stays at a revision; changes of the directory wait. */
export interface Hold {
  readonly revision: number;
  readonly since?: string;
  readonly by?: string;
  readonly reason?: string;
  /** Objects that differ between the directory and the revision; absent where that is not known. */
  readonly waiting?: number;
}

/** Who acts. */
export interface Leader {
  /** Whether this instance does. */
  readonly kind: "leading" | "following" | "unknown";
  /** `holderIdentity`; absent where nobody holds the lead. */
  readonly holder?: string;
  readonly reason?: string;
}

/** How many objects there are, by state; `ready` by readiness. */
export interface Counts {
  readonly desired: number;
  readonly converged: number;
  readonly pending: number;
  readonly failed: number;
  readonly blocked: number;
  readonly fighting: number;
  readonly paused: number;
  /** Held until a person decides. */
  readonly held: number;
  /** Kept by a rule, not confirmable. */
  readonly kept: number;
  readonly ready: number;
  readonly notReady: number;
}

/** The overview page. */
export interface Overview {
  readonly version: string;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  /** The directory it reads. */
  readonly path: string;
  readonly instance: string;
  readonly now: string;
  readonly phase: Phase;
  /** Since when the phase is what it is, as far as this instance knows. */
  readonly since: string;
  readonly isReachable: boolean;
  readonly leader: Leader;
  /** The newest revision; absent where none is kept. */
  readonly revision?: Pick<Revision, "revision"> & Partial<Revision>;
  readonly hold?: Hold;
  readonly pauses: readonly Pause[];
  readonly counts: Counts;
  readonly problems: readonly Problem[];
  readonly held: HeldList;
  /** Objects that need a look: failed, fighting, blocked; the first 20. */
  readonly attention: readonly ObjectRow[];
  /** Newest first; the last 12. */
  readonly recent: readonly TimelineEntry[];
}

/** One file of the directory. */
export interface Addon {
  readonly file: string;
  readonly objects: number;
  /** The worst of its objects. */
  readonly state: ObjectState;
  readonly readiness: Readiness;
  /** How many of its objects are in a state. */
  readonly states: Readonly<Partial<Record<ObjectState, number>>>;
  /** Objects that are Current. */
  readonly ready: number;
  /** The first thing that stands in the way. */
  readonly message?: string;
  readonly problems: readonly Problem[];
  readonly pause?: Pause;
}

/** One field of a live object. */
export interface FieldView {
  /** `spec.template.spec.containers[name=dns].image` */
  readonly path: string;
  /** The live value as JSON or text, cut where it is long. */
  readonly value: string;
  /** Everybody who owns it; ourselves first. Empty: set by the API server (a default). */
  readonly owners: readonly FieldOwner[];
  readonly isOurs: boolean;
}

/** One owner of a field. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly isUs: boolean;
}

/** Where an object is declared, and what stands there. */
export interface ManifestView {
  readonly file: string;
  readonly line: number;
  /** The document as YAML, Secret values masked, cut where it is very long. */
  readonly text: string;
}

/** One object, in full. */
export interface ObjectDetail {
  readonly row: ObjectRow;
  readonly apiVersion?: string;
  readonly uid?: string;
  readonly created?: string;
  /** Whether the object is in the cluster; `unknown` where it could not be read, with the reason. */
  readonly live: "present" | "absent" | "unknown";
  readonly liveMessage?: string;
  /** Leaves of the live object in the order of their paths; at most 2,000. */
  readonly fields: readonly FieldView[];
  /** Fields that were left out. */
  readonly moreFields: number;
  readonly manifest?: ManifestView;
  /** Newest first. */
  readonly timeline: readonly TimelineEntry[];
  readonly pause?: Pause;
}

/** One revision of the set. */
export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly cause: string;
  readonly objects: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** `applied`, `partial`, …; absent where nothing was recorded. */
  readonly result?: string;
}

/** The history page. */
export interface Revisions {
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly hold?: Hold;
  /** Why there is none to show; absent where there is. */
  readonly unavailable?: string;
}

/** How one object differs between two revisions. */
export interface ObjectDiff {
  readonly object: ObjectName;
  readonly change: "added" | "changed" | "removed";
  readonly changes: readonly FieldChange[];
}

/** How two revisions differ. */
export interface RevisionDiff {
  readonly from: number;
  readonly to: number;
  readonly objects: readonly ObjectDiff[];
  /** Objects that were left out. */
  readonly more: number;
}

/** What a person asks for. `forMs` is milliseconds. */
export type ActionRequest =
  | { readonly kind: "rollback"; readonly revision: number; readonly reason?: string }
  | { readonly kind: "resume" }
  | { readonly kind: "pause"; readonly target: PauseTarget; readonly forMs: number; readonly reason?: string }
  | { readonly kind: "unpause"; readonly target: PauseTarget }
  | { readonly kind: "confirm-prune"; readonly digest: string };

/** Names of the actions, as in `/api/v1/actions/NAME`. */
export type ActionName = ActionRequest["kind"];

/** What an action would do to one object. */
export interface PlannedStep {
  readonly action: "create" | "apply" | "delete" | "release" | "hold" | "keep" | "none";
  readonly object: ObjectName;
  readonly reason: string;
  readonly changes: readonly FieldChange[];
}

/** What an action would do; shown before it is done. */
export interface ActionPreview {
  /** One sentence. */
  readonly summary: string;
  /** The first 200. */
  readonly steps: readonly PlannedStep[];
  readonly more: number;
  /** Things to think of: what goes with a deleted object, what waits. */
  readonly warnings: readonly string[];
  /** Why it cannot be done; absent where it can. */
  readonly refused?: string;
  /** Names what was shown: doing something else than that is refused. */
  readonly digest: string;
}

/** Body of `POST /api/v1/actions/NAME`; `digest` is that of the preview. */
export interface ActionOrder {
  readonly request: ActionRequest;
  readonly digest: string;
}

/** What became of it. */
export interface ActionResult {
  readonly message: string;
}

/** Body of every answer that is no success. */
export interface ApiError {
  readonly error: string;
}

/** Who asks, and what they may do. */
export interface Me {
  readonly user: string;
  /** Actions that this user has the right to. */
  readonly may: readonly ActionName[];
}

/** One server-sent event: `event:` is the kind, `data:` this as JSON. */
export type LiveEvent =
  | { readonly kind: "hello"; readonly instance: string }
  | { readonly kind: "overview"; readonly overview: Overview }
  | { readonly kind: "rows"; readonly changed: readonly ObjectRow[]; readonly removed: readonly string[] }
  /** So much has changed that the list is to be fetched again. */
  | { readonly kind: "reload" }
  | { readonly kind: "timeline"; readonly entry: TimelineEntry };
