import type { DesiredSet, Step } from "../../converge/index.ts";
import { KeelsonError, messageOf } from "../../errors/index.ts";
import { type Digest, describeRef, digestOf, isJsonObject, refKey } from "../../object/index.ts";
import { bareStep } from "./pass-report.ts";
import type { PlanReport, StepAction, StepReport } from "./reports.ts";

/** What of a plan is held against the present: its own account of where it was made, and its steps. */
export type BoundPlan = Pick<PlanReport, "set" | "path" | "cluster" | "desired" | "steps">;

/** Differences that are named one by one. */
const SHOWN = 20;

const ACTIONS: ReadonlySet<string> = new Set<StepAction>([
  "create",
  "apply",
  "ensure",
  "delete",
  "release",
  "hold",
  "keep",
  "wait",
]);

/** The digest of a desired set: every declared object with its mode and its content, wherever its file stands. */
export function desiredDigest(desired: DesiredSet): Digest {
  return digestOf([...desired.objects.values()].map(({ key, mode, digest }) => [key, mode, digest]).sort());
}

/**
 * Reads a plan as `keelson plan -o json` prints it.
 *
 * @throws KeelsonError `InvalidManifest` where it is no such plan
 */
export function parseBoundPlan(text: string, from: string): BoundPlan {
  const value = parsed(text, from);
  if (!isJsonObject(value) || value.version !== 1 || !Array.isArray(value.steps))
    throw noPlan(from, 'it is not what "keelson plan -o json" prints (version 1)');
  const { set, path, cluster, desired } = value;
  if (typeof set !== "string" || typeof path !== "string" || typeof desired !== "string")
    throw noPlan(from, "it does not say of which set, directory and desired state it is");
  if (cluster !== undefined && typeof cluster !== "string") throw noPlan(from, "its cluster is no uid");
  const steps = value.steps.map((step: unknown, at) => {
    if (isStep(step)) return step;
    throw noPlan(from, `step ${at + 1} has no action or no object`);
  });
  return { set, path, desired, steps, ...(cluster === undefined ? {} : { cluster }) };
}

function parsed(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw noPlan(from, messageOf(error));
  }
}

function noPlan(from: string, why: string): KeelsonError {
  return new KeelsonError("InvalidManifest", `${from} is no plan: ${why}`, { object: from });
}

function isStep(value: unknown): value is StepReport {
  if (!isJsonObject(value) || typeof value.action !== "string" || !ACTIONS.has(value.action)) return false;
  const { object, takes = [] } = value;
  const { group, kind, namespace, name } = isJsonObject(object) ? object : {};
  const isObject = [group, kind, namespace, name].every((part) => typeof part === "string");
  const texts = [value.uid, value.resourceVersion, value.digest];
  return isObject && Array.isArray(takes) && texts.every((each) => each === undefined || typeof each === "string");
}

/** Where the difference between a plan and the present lies, in words; empty where the plan still fits. Pure. */
export function whatMoved(plan: BoundPlan, now: PlanReport): readonly string[] {
  const moved: string[] = [];
  if (plan.set !== now.set) moved.push(`it is for ${setName(plan.set)}, and this is ${setName(now.set)}`);
  if (plan.cluster === undefined || plan.cluster !== now.cluster) moved.push("it was made for another cluster");
  // Each object of another cluster differs: that says nothing more.
  if (moved.length > 0) return moved;
  const steps = stepsThatMoved(plan, now);
  if (plan.desired !== now.desired) moved.push(`the directory asks for something else (${now.desired})`);
  return [...moved, ...steps];
}

function setName(set: string): string {
  return set === "" ? "the set without a name" : `set "${set}"`;
}

function stepsThatMoved(plan: BoundPlan, now: PlanReport): readonly string[] {
  const planned = new Map(plan.steps.map((step) => [refKey(step.object), step]));
  const present = new Map(now.steps.map((step) => [refKey(step.object), step]));
  const moved: string[] = [];
  for (const [key, step] of planned) {
    if (!isWrite(step.action)) continue;
    const why = difference(step, present.get(key));
    if (why !== undefined) moved.push(`${describeRef(step.object)}: ${why}`);
  }
  for (const [key, step] of present) {
    const before = planned.get(key);
    if (!isWrite(step.action) || (before !== undefined && isWrite(before.action))) continue;
    moved.push(`${describeRef(step.object)}: it is not planned to ${step.action} it; now it would be: ${step.reason}`);
  }
  return moved;
}

function difference(planned: StepReport, now: StepReport | undefined): string | undefined {
  if (now === undefined) return `planned to ${planned.action}, and there is nothing to do about it now`;
  if (now.action !== planned.action) return `planned to ${planned.action}, and now to ${now.action}: ${now.reason}`;
  if (now.digest !== planned.digest) return "its manifest is another one now";
  if (now.uid !== planned.uid) return `it is another object now (uid ${now.uid ?? "none"}, planned ${planned.uid})`;
  if (now.resourceVersion !== planned.resourceVersion)
    return `it changed: resourceVersion ${now.resourceVersion}, planned ${planned.resourceVersion}`;
  const [takes, before] = [takesOf(now), takesOf(planned)];
  return takes === before ? undefined : `it would take with it ${takes || "nothing"}, planned ${before || "nothing"}`;
}

function takesOf({ takes = [] }: StepReport): string {
  return takes
    .map(({ kind, count }) => `${count} ${kind}`)
    .sort()
    .join(", ");
}

function isWrite(action: StepAction): boolean {
  return action !== "hold" && action !== "keep" && action !== "wait";
}

/** The refusal of a plan that no longer fits. */
export function stalePlan(from: string, moved: readonly string[]): KeelsonError {
  const shown = moved.slice(0, SHOWN);
  const more = moved.length - shown.length;
  const lines = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `- ${line}`);
  const message = `${from} does not fit any more: nothing was written; plan again\n${lines.join("\n")}`;
  return new KeelsonError("PlanStale", message, { object: from });
}

/**
 * Which steps a bound pass may take: those of the plan, each on the version that was planned, and the creation of what
 * only waited there (a custom resource for its definition). What the plan showed to change nothing, or to be refused, is
 * left alone; anything else moved after the plan was compared.
 */
export function admitPlanned(
  plan: BoundPlan,
  /** Objects of which there was something to do when the plan was compared. */
  compared: ReadonlySet<string>,
): (step: Step) => "execute" | "leave" | "refuse" {
  const planned = new Map<string, StepReport>(plan.steps.map((step) => [refKey(step.object), step]));
  return (step) => {
    const of = planned.get(step.key);
    if (of === undefined) return compared.has(step.key) ? "leave" : "refuse";
    if (of.action === "wait") return isCreationOf(of, step) ? "execute" : "refuse";
    if (!isWrite(of.action)) return "leave";
    return isSameStep(of, step) ? "execute" : "refuse";
  };
}

function isCreationOf(planned: StepReport, step: Step): boolean {
  return (step.kind === "create" || step.kind === "ensure") && planned.digest === step.desired.digest;
}

function isSameStep(planned: StepReport, step: Step): boolean {
  const { action, digest, uid, resourceVersion } = bareStep(step);
  const is = [action, digest, uid, resourceVersion];
  return [planned.action, planned.digest, planned.uid, planned.resourceVersion].every((was, at) => was === is[at]);
}
