import type { Change, ChangedField, Outcome, Step } from "../../converge/index.ts";
import { assertNever, type KeelsonError } from "../../errors/index.ts";
import type { JournalEntry, JournalField } from "../../history/index.ts";
import type { Said } from "./control.ts";
import type { HoldChange } from "./declarations.ts";
import { describeRollback } from "./declarations.ts";
import type { PauseChange } from "./pauses.ts";
import { describeTarget } from "./pauses.ts";

/** What the controller puts into the journal; set and instance are the journal's. */
export type Entry = Omit<JournalEntry, "set" | "instance">;

/** The line of an executed step: one that was made, or one that the API server refused. Pure. */
export function changeEntry(change: Change, revision: number | undefined): Entry {
  const { at, step, ref, uid, outcome, error, ms, remarks, fields } = change;
  return {
    at,
    ...(revision === undefined ? {} : { revision }),
    action: step.kind,
    object: ref,
    ...(uid === undefined ? {} : { uid }),
    ...(fields.length === 0 ? {} : { fields: fields.map(fieldEntry) }),
    cause: [causeOf(change), ...remarks].join("; "),
    ...resultOf({ outcome, error, ms }),
  };
}

/** A write of an admission control. */
export type AdmissionStep = Extract<Step, { readonly kind: "create" | "ensure" }>;

/** What became of it. */
export interface AdmissionResult {
  readonly outcome: Outcome;
  readonly uid: string | undefined;
  readonly error: KeelsonError | undefined;
}

/** The line of an admission control that was written, or refused. Pure. */
export function admissionEntry(
  { kind, desired }: AdmissionStep,
  { outcome, uid, error, at, ms }: AdmissionResult & { readonly at: number; readonly ms: number },
): Entry {
  const { ref, origin } = desired;
  return {
    at,
    action: kind,
    object: ref,
    ...(uid === undefined ? {} : { uid }),
    cause: `admission control ${origin.file}:${origin.line}`,
    ...resultOf({ outcome, error, ms }),
  };
}

/** How a write ended. */
function resultOf({
  outcome,
  error,
  ms,
}: Pick<Change, "outcome" | "error" | "ms">): Pick<Entry, "result" | "error" | "ms"> {
  return {
    result: outcome,
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ms: Math.round(ms * 10) / 10,
  };
}

function causeOf({ step, reason }: Change): string {
  switch (step.reason.kind) {
    case "adopted":
      return `takeover: ${reason}`;
    case "deleted":
      return "deleted";
    default:
      return reason;
  }
}

function fieldEntry({ path, before, after, owner }: ChangedField): JournalField {
  const values = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  if (owner === undefined) return { path, ...values };
  const { manager, operation, subresource, time } = owner;
  const by = {
    manager,
    operation,
    ...(subresource === "" ? {} : { subresource }),
    ...(time === undefined ? {} : { time }),
  };
  return { path, ...values, by };
}

/** The line of a rollback or of its end. Pure. */
export function holdEntry(change: HoldChange, at: number): Entry {
  switch (change.kind) {
    case "held":
      return { at, action: "rollback", cause: describeRollback(change.hold), result: "accepted" };
    case "refused": {
      const { code, message } = change.error;
      return {
        at,
        action: "rollback",
        cause: describeRollback(change.hold),
        result: "refused",
        error: { code, message },
      };
    }
    case "resumed": {
      const by = change.resumed?.by ?? "unknown";
      return {
        at,
        action: "resume",
        cause: `resume by ${by}, from revision ${change.hold.revision}`,
        result: "accepted",
      };
    }
    default:
      return assertNever(change);
  }
}

/** The line of a pause or of its end. Pure. */
export function pauseEntry({ kind, pause }: PauseChange, at: number): Entry {
  const { target, until, by, reason } = pause;
  const object = target.kind === "object" ? { object: target.ref } : {};
  const name = describeTarget(target);
  const why = reason === undefined ? "" : `: ${reason}`;
  const cause =
    kind === "began"
      ? `${name} paused until ${new Date(until).toISOString()} by ${by}${why}`
      : `the pause of ${name} ${kind === "over" ? "is over" : "was ended"}`;
  return { at, action: kind === "began" ? "pause" : "unpause", ...object, cause, result: "accepted" };
}

/** The line of a confirmed prune. Pure. */
export function confirmationEntry({ by }: Said, objects: number, at: number): Entry {
  const cause = `prune of ${objects} held ${objects === 1 ? "object" : "objects"} confirmed by ${by}`;
  return { at, action: "confirm", cause, result: "accepted" };
}

/** The line of a delete that a guard holds back. Pure. */
export function holdBackEntry(
  kept: { readonly live: { readonly ref: JournalEntry["object"]; readonly uid: string }; readonly reason: string },
  at: number,
): Entry {
  const { ref, uid } = kept.live;
  return { at, action: "hold", ...(ref === undefined ? {} : { object: ref }), uid, cause: kept.reason, result: "held" };
}
