import type { DriftedField, FieldOwner, ObjectRef } from "../object/index.ts";
import type { DesiredObject } from "./desired.ts";
import type { LiveRecord } from "./record.ts";

/** Why a step is taken, as data; {@link describeReason} puts it in words. */
export type Reason =
  | { readonly kind: "missing" }
  | { readonly kind: "deleted" }
  | { readonly kind: "changed"; readonly file: string; readonly line: number }
  | { readonly kind: "adopted" }
  | { readonly kind: "unverified" }
  | { readonly kind: "drifted"; readonly fields: readonly DriftedField[] }
  | { readonly kind: "mode-changed" }
  | { readonly kind: "left" }
  | { readonly kind: "unwanted" }
  | { readonly kind: "protected" }
  | { readonly kind: "filtered"; readonly filter: string; readonly text: string };

/** What is to be done about one object. The plan is a list of these, and the same values are executed. */
export type Step = CreateStep | ApplyStep | EnsureStep | RelabelStep | DeleteStep | ReleaseStep;

/** Server-side apply of an object that is not there. */
export interface CreateStep {
  readonly kind: "create";
  readonly key: string;
  readonly desired: DesiredObject;
  readonly reason: Reason;
}

/** Server-side apply onto the object that is there. */
export interface ApplyStep {
  readonly kind: "apply";
  readonly key: string;
  readonly desired: DesiredObject;
  readonly live: LiveRecord;
  readonly reason: Reason;
  /** Only while the object is the very version that was planned for; else `Conflict`. */
  readonly isBound?: true;
}

/** Plain create of an EnsureExists object. */
export interface EnsureStep {
  readonly kind: "ensure";
  readonly key: string;
  readonly desired: DesiredObject;
  readonly reason: Reason;
}

/** The mode label of an object that is now EnsureExists follows its file; nothing else is touched. */
export interface RelabelStep {
  readonly kind: "relabel";
  readonly key: string;
  readonly desired: DesiredObject;
  readonly live: LiveRecord;
  readonly reason: Reason;
  /** As for {@link ApplyStep}. */
  readonly isBound?: true;
}

/** Delete in the background, with uid and resourceVersion as preconditions. */
export interface DeleteStep {
  readonly kind: "delete";
  readonly key: string;
  readonly live: LiveRecord;
  readonly reason: Reason;
}

/** Our marks and entries are taken off; the object and its values stay. */
export interface ReleaseStep {
  readonly kind: "release";
  readonly key: string;
  readonly live: LiveRecord;
  readonly reason: Reason;
  /** As for {@link ApplyStep}. */
  readonly isBound?: true;
}

/** What is decided about one object. */
export type Decision =
  | { readonly kind: "converged" }
  | { readonly kind: "step"; readonly step: Step }
  /** Nothing can be done until something else happens; `detail` says what. */
  | { readonly kind: "blocked"; readonly detail: string }
  /** Not ours, not desired: nothing to do and nothing to say. */
  | { readonly kind: "ignored" }
  /** A live object that stays although nobody asks for it, because of the prune filter `filter`. */
  | {
      readonly kind: "kept";
      readonly live: LiveRecord;
      readonly filter: string;
      readonly reason: string;
      /** `prune --confirm` may release it. */
      readonly isConfirmable: boolean;
    }
  /** Something is to be done, but the object is paused until `until` (wall clock, milliseconds): nothing is written. */
  | { readonly kind: "paused"; readonly step: Step; readonly until: number }
  /** Will be deleted once `untilMs` (monotonic) has passed, unless it comes back. */
  | { readonly kind: "waiting"; readonly live: LiveRecord; readonly untilMs: number };

/** The same step, to be taken only on the very version of the object that it was planned for. A delete always is. */
export function boundStep(step: Step): Step {
  return step.kind === "apply" || step.kind === "relabel" || step.kind === "release"
    ? { ...step, isBound: true }
    : step;
}

/** The object that a step is about. */
export function refOfStep(step: Step): ObjectRef {
  return "desired" in step ? step.desired.ref : step.live.ref;
}

/** A reason in words, without the object: `file dns.yaml:12 changed`, `spec.replicas 2→5 by kubectl-edit`. */
export function describeReason(reason: Reason): string {
  switch (reason.kind) {
    case "missing":
      return "not in the cluster";
    case "deleted":
      return "was deleted";
    case "changed":
      return `file ${reason.file}:${reason.line} changed`;
    case "adopted":
      return "in the cluster, not yet kept by this set";
    case "unverified":
      return "the server stores other text than the file";
    case "drifted":
      return `drift: ${describeDrift(reason.fields)}`;
    case "mode-changed":
      return "is EnsureExists now: its label follows, nothing else";
    case "unwanted":
      return "must not be there";
    case "left":
      return "left the directory";
    case "protected":
      return "left the directory, and must never be deleted";
    case "filtered":
      return reason.text;
  }
}

const SHOWN_FIELDS = 3;

/** Drifted fields in words, with their writers; values longer than a few words are cut. */
export function describeDrift(fields: readonly DriftedField[]): string {
  if (fields.length === 0) return "our entry in managedFields was changed";
  const shown = fields.slice(0, SHOWN_FIELDS).map(describeField);
  const more = fields.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function describeField(field: DriftedField): string {
  const by = field.owner?.manager === undefined ? "" : ` by ${describeOwner(field.owner)}`;
  switch (field.kind) {
    case "changed":
      return `${field.path} ${short(field.desired)}→${short(field.live)}${by}`;
    case "removed":
      return `${field.path} removed${by}`;
    case "reordered":
      return `${field.path} reordered${by}`;
    case "unowned":
      return `${field.path} no longer owned${by}`;
    case "added":
      return `${field.path} applied under our name`;
  }
}

/**
 * `kubectl-edit at 2030-01-31T12:00:00Z`, with what is not the usual Update of the object itself: `hpa (scale) at …`,
 * `flux (Apply) at …`.
 */
function describeOwner({ manager, operation, subresource, time }: FieldOwner): string {
  const how = [...(operation === "Apply" ? ["Apply"] : []), ...(subresource === "" ? [] : [subresource])];
  return `${manager}${how.length === 0 ? "" : ` (${how.join(" of ")})`}${time === undefined ? "" : ` at ${time}`}`;
}

const SHOWN_LENGTH = 40;

function short(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, bigintAsText) ?? "");
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
