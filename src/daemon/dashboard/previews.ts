import { type AddonView, type HoldReport, heldDigest } from "../../controllers/addon/index.ts";
import type { ActionPreview, ActionRequest, PauseTarget, PlannedStep, RevisionDiff } from "../../http/index.ts";
import type { ObjectRef } from "../../object/index.ts";
import { nameOf } from "./rows.ts";
import { shortText } from "./texts.ts";

/** What an action would do. */
export type Preview = Omit<ActionPreview, "digest">;

const MAX_STEPS = 200;
const GUARDED = "Objects that are to be deleted pass the same guards as every prune.";

/** Something that cannot be done, and why. */
export function refusal(refused: string): Preview {
  return { summary: "Nothing would be done.", steps: [], more: 0, warnings: [], refused };
}

const TAKES: Readonly<Record<string, string>> = {
  Namespace: "Everything in a deleted namespace goes with it.",
  CustomResourceDefinition: "All custom resources of a deleted definition go with it.",
  PersistentVolumeClaim: "A deleted claim may take its volume, and what is stored there, with it.",
  PersistentVolume: "What is stored on a deleted volume may be lost.",
};

/** The held deletes. Pure. */
export function previewPrune({ engine }: Pick<AddonView, "engine">, digest: string): Preview {
  const { kept } = engine.status();
  const held = kept.filter(({ isConfirmable }) => isConfirmable);
  const now = heldDigest(kept);
  if (now === undefined) return refusal("Nothing is held any more.");
  if (now !== digest) return refusal("The list of held objects has changed: close this and look at it again.");
  const steps = held.map(({ live, reason }) => stepOf("delete", live.ref, reason));
  const summary = `${counted(held.length, "object is", "objects are")} deleted from the cluster.`;
  return previewOf(summary, steps, warningsOf(steps));
}

/** What is otherwise in a revision than in the newest one. Pure. */
export function previewRollback(diff: RevisionDiff, unserved: readonly string[]): Preview {
  const { to, objects, more } = diff;
  const steps = objects.map(({ object, change, changes }): PlannedStep => {
    const reason = change === "removed" ? `not in revision ${to}` : `as in revision ${to}`;
    return { action: ACTIONS[change], object, reason, changes };
  });
  const total = objects.length + more;
  const summary = `The set becomes that of revision ${to} (${counted(total, "object differs", "objects differ")}) and stays so until somebody resumes.`;
  const warnings = ["Changes of the directory wait until then.", ...warningsOf(steps)];
  const preview = { ...previewOf(summary, steps, warnings), more };
  if (unserved.length === 0) return preview;
  const kinds = unserved.join(", ");
  return { ...preview, refused: `The API server does not serve ${kinds}: the set of that revision cannot exist.` };
}

/** What the directory holds otherwise than the revision that is held. Pure. */
export function previewResume(hold: HoldReport | undefined): Preview {
  if (hold === undefined) return refusal("No revision is held.");
  const { objects = [], added = 0, changed = 0, removed = 0 } = hold.waiting ?? {};
  const steps = objects.map(({ action, object, file, line }) => {
    const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}`;
    return stepOf(ACTIONS[action], object, action === "removed" ? "not in the directory" : place);
  });
  const total = added + changed + removed;
  const summary = `Revision ${hold.revision} is no longer held, and the directory is applied again: ${counted(total, "object differs", "objects differ")}.`;
  return { ...previewOf(summary, steps, warningsOf(steps)), more: Math.max(0, total - steps.length) };
}

const ACTIONS = { added: "create", changed: "apply", removed: "delete" } as const;

/** What a pause is about. Pure. */
export function previewPause(
  view: Pick<AddonView, "engine">,
  request: ActionRequest & { readonly kind: "pause" | "unpause" },
  isPaused: boolean,
): Preview {
  const { target } = request;
  const number = numberOf(view, target);
  if (request.kind === "unpause" && !isPaused) return refusal("It is not paused.");
  if (request.kind === "pause" && number === 0) return refusal("The directory declares no such object or file.");
  const objects = counted(number, "object", "objects");
  const summary =
    request.kind === "unpause"
      ? `${objects}: drift is repaired and changes of the file are applied again, at once.`
      : `${objects}: nothing is written until the time is over; drift is reported, and changes of the file wait.`;
  return previewOf(summary, [], []);
}

function numberOf({ engine }: Pick<AddonView, "engine">, target: PauseTarget): number {
  const { objects } = engine.desired;
  if (target.kind === "object") return objects.has(target.key) ? 1 : 0;
  let number = 0;
  for (const { origin } of objects.values()) if (origin.file === target.file) number += 1;
  return number;
}

function previewOf(summary: string, steps: readonly PlannedStep[], warnings: readonly string[]): Preview {
  return { summary, steps: steps.slice(0, MAX_STEPS), more: Math.max(0, steps.length - MAX_STEPS), warnings };
}

function stepOf(action: PlannedStep["action"], ref: ObjectRef, reason: string): PlannedStep {
  return { action, object: nameOf(ref), reason: shortText(reason), changes: [] };
}

function warningsOf(steps: readonly PlannedStep[]): readonly string[] {
  const deleted = new Set(steps.filter(({ action }) => action === "delete").map(({ object }) => object.kind));
  if (deleted.size === 0) return [];
  return [GUARDED, ...Object.entries(TAKES).flatMap(([kind, warning]) => (deleted.has(kind) ? [warning] : []))];
}

function counted(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
