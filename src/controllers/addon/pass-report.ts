import {
  type Change,
  type DesiredSet,
  describeReason,
  type EngineStatus,
  type Plan,
  refOfStep,
  type SetIdentity,
  type Step,
} from "../../converge/index.ts";
import { isAborted, isKeelsonError, type KeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { compareRefs, parseRefKey } from "../../object/index.ts";
import { comparePlaces } from "./compare-places.ts";
import type { DesiredAddons } from "./desired.ts";
import { failureText } from "./failure-text.ts";
import { placeOfFault } from "./fault-place.ts";
import { heldReport } from "./held.ts";
import { diffOfStep } from "./plan-diff.ts";
import type {
  ApplyReport,
  HeldReport,
  OmittedReport,
  OutcomeReport,
  PlanReport,
  ProblemReport,
  StepAction,
  StepReport,
  SummaryReport,
} from "./reports.ts";

/** What {@link planReport} works on. */
export interface PlanReportInput {
  readonly client: KubeClient;
  readonly plan: Plan;
  readonly desired: DesiredSet;
  readonly problems: readonly ProblemReport[];
  readonly omitted: readonly OmittedReport[];
  readonly identity: SetIdentity;
  /** The directory, for the lines of refused fields. */
  readonly root: string;
  readonly signal: AbortSignal;
}

/** The part of a {@link PlanReport} that is worked out from the plan; the rest says what it was made from. */
export type PlannedSteps = Pick<PlanReport, "steps" | "summary" | "held" | "problems" | "omitted">;

/** Diffs at once: each costs a GET and a dry run. */
const PARALLEL = 16;

/** What the API server's dry run makes of a step. */
type Judged =
  | { readonly kind: "step"; readonly report: StepReport }
  /** It would change nothing. */
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly problem: ProblemReport };

/**
 * The plan as data: every step with its reason and its field diff, in the order of execution, then what is kept. What
 * the API server refuses is a problem and no step: it changes nothing until its file is mended.
 */
export async function planReport(input: PlanReportInput): Promise<PlannedSteps> {
  const { plan } = input;
  const judged: Judged[] = [];
  for (let at = 0; at < plan.steps.length; at += PARALLEL) {
    const batch = plan.steps.slice(at, at + PARALLEL);
    judged.push(...(await Promise.all(batch.map((step) => judge(step, input)))));
  }
  const steps = judged.flatMap((each) => (each.kind === "step" ? [each.report] : []));
  const refused = judged.flatMap((each) => (each.kind === "refused" ? [each.problem] : []));
  const nothing = judged.length - steps.length - refused.length;
  steps.push(...keptSteps(plan, input.desired));
  const summary = summaryOf(steps, { unchanged: plan.converged + nothing, refused: refused.length });
  const problems = [...input.problems, ...refused.sort(comparePlaces)];
  return { steps, summary, held: heldReport(plan.kept), problems, omitted: input.omitted };
}

/**
 * Whether a step only makes sure: the server writes a quantity otherwise, say, and an apply most likely changes nothing.
 * Where it indeed does not, it is no change for anybody.
 */
export function isMereCheck(step: Step | undefined): step is Step & { readonly kind: "apply" } {
  if (step?.kind !== "apply" || step.reason.kind !== "unverified") return false;
  return !step.live.needsTakeover && step.live.isTrackingReliable;
}

async function judge(step: Step, input: PlanReportInput): Promise<Judged> {
  const { client, identity, signal, plan } = input;
  const bare = bareStep(step);
  try {
    const { diff, takes, remark } = await diffOfStep(step, { client, identity, signal, steps: plan.steps });
    if (isMereCheck(step) && diff.length === 0) return { kind: "nothing" };
    const reason = remark === undefined ? bare.reason : `${bare.reason}; ${remark}`;
    return { kind: "step", report: { ...bare, reason, diff, ...(takes.length === 0 ? {} : { takes }) } };
  } catch (error) {
    if (isAborted(error)) throw error;
    if (isKeelsonError(error) && isRefusal(error) && "desired" in step) {
      const place = placeOfFault(input.root, step.desired.origin, error);
      return { kind: "refused", problem: { ...place, message: `the API server refuses it: ${error.message}` } };
    }
    const reason = `${bare.reason}; the API server cannot tell what changes: ${messageOf(error)}`;
    return { kind: "step", report: { ...bare, reason } };
  }
}

/** An answer that stays the same until somebody mends the file, a right or the namespace. */
function isRefusal(error: KeelsonError): boolean {
  return error.disposition === "user" || error.code === "NamespaceNotFound";
}

/** A step without its diff: the line that plan prints and that apply executes. */
export function bareStep(step: Step): StepReport {
  const bare = { action: actionOf(step), object: refOfStep(step), reason: describeReason(step.reason), diff: [] };
  const live = "live" in step ? { uid: step.live.uid, resourceVersion: step.live.resourceVersion } : {};
  const desired = "desired" in step ? { ...step.desired.origin, digest: step.desired.digest } : {};
  return { ...bare, ...desired, ...live };
}

function actionOf(step: Step): StepAction {
  return step.kind === "relabel" ? "ensure" : step.kind;
}

function keptSteps(plan: Plan, desired: DesiredSet): readonly StepReport[] {
  const kept = plan.kept.map(
    ({ live, reason, isConfirmable }): StepReport => ({
      action: isConfirmable ? "hold" : "keep",
      object: live.ref,
      reason,
      diff: [],
      uid: live.uid,
    }),
  );
  const blocked = [...plan.blocked].map(([key, detail]): StepReport => {
    const of = desired.objects.get(key);
    const place = of === undefined ? {} : { ...of.origin, digest: of.digest };
    return { action: "wait", object: parseRefKey(key), reason: detail, diff: [], ...place };
  });
  return [...kept, ...blocked];
}

function summaryOf(steps: readonly StepReport[], counts: Readonly<Record<string, number>>): SummaryReport {
  const summary: Record<string, number> = { unchanged: counts.unchanged ?? 0 };
  for (const { action } of steps) summary[action] = (summary[action] ?? 0) + 1;
  if ((counts.refused ?? 0) > 0) summary.refused = counts.refused ?? 0;
  return summary;
}

/** The documents that no label selects, with a hint where one looks like a slip. */
export function omittedReport({ omitted }: DesiredAddons): readonly OmittedReport[] {
  return omitted.map(({ manifest, hint }) => {
    const { apiVersion, kind, name, namespace = "", origin } = manifest;
    const slash = apiVersion.indexOf("/");
    const object = { group: slash < 0 ? "" : apiVersion.slice(0, slash), kind, namespace, name };
    return { ...origin, object, ...(hint === undefined ? {} : { hint }) };
  });
}

/** What {@link applyReport} works on. */
export interface ApplyReportInput {
  /** The plan as it was before the first write. */
  readonly planned: Plan;
  readonly changes: readonly Change[];
  readonly status: EngineStatus;
  readonly problems: readonly ProblemReport[];
  readonly omitted: readonly OmittedReport[];
  readonly held: HeldReport;
  /** The directory, for the lines of refused fields. */
  readonly root: string;
}

/** What a pass did: one outcome for each object that was touched or failed, and the count of those that were not. */
export function applyReport(input: ApplyReportInput): ApplyReport {
  const { changes, status, planned, root } = input;
  const last = new Map<string, Change>();
  for (const change of changes) last.set(change.key, change);
  const isNothing = (step: Step): boolean => isMereCheck(step) && last.get(step.key)?.outcome === "unchanged";
  const told = [...last.values()].filter(({ step }) => !isNothing(step));
  const objects: OutcomeReport[] = told.map((change) => outcomeReport(change, root));
  for (const [key, detail] of status.blocked) {
    objects.push({ outcome: "skipped", object: parseRefKey(key), message: detail });
  }
  objects.sort((a, b) => compareRefs(a.object, b.object));
  const steps = planned.steps.filter((step) => !isNothing(step)).map(bareStep);
  const unchanged = planned.converged + planned.steps.length - steps.length;
  const summary: Record<string, number> = { unchanged };
  for (const { outcome } of objects) summary[outcome] = (summary[outcome] ?? 0) + 1;
  const { held, problems, omitted } = input;
  return { steps, objects, summary, held, problems, omitted };
}

function outcomeReport(change: Change, root: string): OutcomeReport {
  const { ref, outcome, error, reason, origin, remarks } = change;
  if (error === undefined)
    return { outcome, object: ref, message: [reason, ...remarks].join("; "), ...(origin === undefined ? {} : origin) };
  const place = origin === undefined ? {} : placeOfFault(root, origin, error);
  return { outcome, object: ref, message: failureText(ref, error), ...place };
}
