import { compareRefs, type ObjectRef } from "../object/index.ts";
import type { DesiredObject, DesiredSet } from "./desired.ts";
import { deletePhaseOf } from "./phase.ts";
import { judgePrune, type PruneContext } from "./prune-filters.ts";
import { type Baseline, equalsBaseline, type LiveRecord } from "./record.ts";
import { type Decision, type Reason, refOfStep, type Step } from "./step.ts";

/** Everything that a decision about an object depends on. */
export interface PlanInput {
  readonly desired: DesiredSet;
  readonly records: ReadonlyMap<string, LiveRecord>;
  readonly baselines: ReadonlyMap<string, Baseline>;
  readonly prune: PruneContext;
  /** Until when (wall clock, milliseconds) nothing is to be written to an object; undefined: it is not paused. */
  readonly pausedUntil?: PausedUntil;
  /** `--prune-limit`: how many deletes one plan may hold; undefined: any number. */
  readonly pruneLimit: PruneLimit | undefined;
}

/** Looks up whether an object is paused; `file` is the one that declares it, or did so last. */
export type PausedUntil = (ref: ObjectRef, file: string | undefined) => number | undefined;

/** The largest prune that needs no confirmation: a number of objects, or percent of the objects that are ours. */
export type PruneLimit =
  | { readonly kind: "count"; readonly count: number }
  | { readonly kind: "percent"; readonly percent: number };

/** What a pass would do, as data. */
export interface Plan {
  /** In the order of execution: phases, EnsureExists first within one, deletes last and in reverse. */
  readonly steps: readonly Step[];
  /** Live objects of the class that stay although they are not desired. */
  readonly kept: readonly (Decision & { readonly kind: "kept" })[];
  readonly waiting: readonly (Decision & { readonly kind: "waiting" })[];
  /** What is not done because the object is paused. */
  readonly paused: readonly (Decision & { readonly kind: "paused" })[];
  /** Desired objects that wait for something else, by key. */
  readonly blocked: ReadonlyMap<string, string>;
  /** How many desired objects are as desired. */
  readonly converged: number;
}

/**
 * Decides about one object. The single pass, the daemon, `plan` and the sandbox all ask this function; nothing else
 * decides. Pure.
 */
export function decide(key: string, input: PlanInput): Decision {
  const decision = decideUnpaused(key, input);
  if (decision.kind !== "step" || input.pausedUntil === undefined) return decision;
  const { step } = decision;
  const file = "desired" in step ? step.desired.origin.file : input.prune.missing.of(key).file;
  const until = input.pausedUntil(refOfStep(step), file);
  if (until === undefined) return decision;
  if ("desired" in step) return { kind: "paused", step, until };
  // Row 11: what left the directory is held like anything else that prune keeps.
  const reason = `paused until ${new Date(until).toISOString()}`;
  return { kind: "kept", live: step.live, filter: "paused", reason, isConfirmable: false };
}

function decideUnpaused(key: string, input: PlanInput): Decision {
  const desired = input.desired.objects.get(key);
  const live = input.records.get(key);
  if (desired !== undefined) return decideDesired(desired, live, input.baselines.get(key));
  return live === undefined ? { kind: "ignored" } : decidePrune(live, input.prune);
}

function decideDesired(desired: DesiredObject, live: LiveRecord | undefined, baseline: Baseline | undefined): Decision {
  if (desired.mode === "Absent") return decideAbsent(desired, live);
  if (desired.resource === undefined) return { kind: "blocked", detail: "the API server does not serve its kind" };
  if (live?.terminating !== undefined) return { kind: "blocked", detail: terminatingDetail(live.terminating) };
  return desired.mode === "Reconcile" ? decideReconcile(desired, live, baseline) : decideEnsure(desired, live);
}

function decideAbsent(desired: DesiredObject, live: LiveRecord | undefined): Decision {
  const { key } = desired;
  // A kind that is not served has no objects.
  if (live === undefined || desired.resource === undefined) return { kind: "converged" };
  if (live.terminating !== undefined) return { kind: "blocked", detail: deletingDetail(live.terminating) };
  return { kind: "step", step: { kind: "delete", key, live, reason: { kind: "unwanted" } } };
}

function terminatingDetail(finalizers: readonly string[]): string {
  return `${deletingDetail(finalizers)}: created again when it is gone`;
}

function deletingDetail(finalizers: readonly string[]): string {
  return finalizers.length === 0 ? "it is being deleted" : `it is being deleted (finalizers: ${finalizers.join(", ")})`;
}

function decideReconcile(
  desired: DesiredObject,
  live: LiveRecord | undefined,
  baseline: Baseline | undefined,
): Decision {
  const { key } = desired;
  if (live === undefined) {
    const reason: Reason = { kind: baseline === undefined ? "missing" : "deleted" };
    return { kind: "step", step: { kind: "create", key, desired, reason } };
  }
  if (isConverged(desired, live, baseline)) return { kind: "converged" };
  return { kind: "step", step: { kind: "apply", key, desired, live, reason: applyReason(desired, live, baseline) } };
}

/** Converged: equal to what our last apply left, or, before any apply of this process, the same text by text. */
export function isConverged(desired: DesiredObject, live: LiveRecord, baseline: Baseline | undefined): boolean {
  if (baseline === undefined) return live.holdsDesired && live.applied === desired.digest;
  return baseline.digest === desired.digest && equalsBaseline(live, baseline) && live.isTrackingReliable;
}

function applyReason(desired: DesiredObject, live: LiveRecord, baseline: Baseline | undefined): Reason {
  const { file, line } = desired.origin;
  if (baseline !== undefined && baseline.digest !== desired.digest) return { kind: "changed", file, line };
  if (baseline === undefined && !live.hasApplyEntry) return { kind: "adopted" };
  if (baseline === undefined && live.applied !== desired.digest) return { kind: "changed", file, line };
  if (live.drift.length === 0 && baseline === undefined) return { kind: "unverified" };
  return { kind: "drifted", fields: live.drift };
}

function decideEnsure(desired: DesiredObject, live: LiveRecord | undefined): Decision {
  const { key } = desired;
  if (live === undefined) return { kind: "step", step: { kind: "ensure", key, desired, reason: { kind: "missing" } } };
  // Ours from the time when its file said Reconcile: as long as our Apply entry holds the label it would count as ours to prune.
  if (!live.ownsModeLabel && !live.isProven) return { kind: "converged" };
  return { kind: "step", step: { kind: "relabel", key, desired, live, reason: { kind: "mode-changed" } } };
}

function decidePrune(live: LiveRecord, context: PruneContext): Decision {
  const { key } = live;
  const judged = judgePrune(live, context);
  if (judged === undefined) return { kind: "step", step: { kind: "delete", key, live, reason: { kind: "left" } } };
  const { filter, verdict } = judged;
  switch (verdict.kind) {
    case "ignore":
      return { kind: "ignored" };
    case "release":
      return { kind: "step", step: { kind: "release", key, live, reason: { kind: "protected" } } };
    case "keep":
      return { kind: "kept", live, filter, reason: verdict.reason, isConfirmable: verdict.isConfirmable };
    case "wait":
      return { kind: "waiting", live, untilMs: verdict.untilMs };
  }
}

/** Decides about every object that is desired or live, applies the prune limit, and puts the steps in order. Pure. */
export function plan(input: PlanInput): Plan {
  const draft = new PlanDraft();
  for (const key of new Set([...input.desired.objects.keys(), ...input.records.keys()]))
    draft.add(key, decide(key, input));
  return draft.finish(input);
}

/** A plan as it is put together from decisions. */
export class PlanDraft {
  readonly #steps: Step[] = [];
  readonly #kept: (Decision & { kind: "kept" })[] = [];
  readonly #waiting: (Decision & { kind: "waiting" })[] = [];
  readonly #paused: (Decision & { kind: "paused" })[] = [];
  readonly #blocked: Map<string, string> = new Map();
  #converged: number;

  /** `converged`: how many desired objects are known to be as desired, and are not added. */
  constructor(converged = 0) {
    this.#converged = converged;
  }

  add(key: string, decision: Decision): void {
    if (decision.kind === "step") this.#steps.push(decision.step);
    else if (decision.kind === "kept") this.#kept.push(decision);
    else if (decision.kind === "waiting") this.#waiting.push(decision);
    else if (decision.kind === "paused") this.#paused.push(decision);
    else if (decision.kind === "blocked") this.#blocked.set(key, decision.detail);
    else if (decision.kind === "converged") this.#converged += 1;
  }

  finish(input: PlanInput): Plan {
    const limited = limitPrune(this.#steps, this.#waiting, input);
    const kept = [...this.#kept, ...limited.held].sort((a, b) => compareRefs(a.live.ref, b.live.ref));
    const steps = limited.steps.sort(compareSteps);
    const waiting = this.#waiting.sort((a, b) => compareRefs(a.live.ref, b.live.ref));
    const paused = this.#paused.sort((a, b) => compareRefs(refOfStep(a.step), refOfStep(b.step)));
    const blocked = new Map([...this.#blocked].sort(([a], [b]) => (a < b ? -1 : 1)));
    return { steps, kept, waiting, paused, blocked, converged: this.#converged };
  }
}

/**
 * Row 12: a prune larger than the limit is held as a whole; confirmed objects do not count. Those that wait for their
 * files to settle do: each file has its own time, and a large prune must not slip through one object at a time.
 */
function limitPrune(
  steps: readonly Step[],
  waiting: readonly (Decision & { readonly kind: "waiting" })[],
  input: PlanInput,
): { readonly steps: Step[]; readonly held: (Decision & { kind: "kept" })[] } {
  const { pruneLimit } = input;
  const isConfirmed = ({ uid }: LiveRecord): boolean => input.prune.confirmed.has(uid);
  const isCounted = (step: Step): boolean =>
    step.kind === "delete" && step.reason.kind !== "unwanted" && !isConfirmed(step.live);
  const deletes = steps.filter(isCounted).length + waiting.filter(({ live }) => !isConfirmed(live)).length;
  const isAllowed = pruneLimit === undefined || deletes === 0 || deletes <= allowedDeletes(pruneLimit, input);
  if (isAllowed) return { steps: [...steps], held: [] };
  const reason = `${deletes} deletes in one prune are more than --prune-limit allows`;
  const held = steps.flatMap((step) =>
    step.kind === "delete" && isCounted(step)
      ? [{ kind: "kept", live: step.live, filter: "prune-limit", reason, isConfirmable: true } as const]
      : [],
  );
  return { steps: steps.filter((step) => !isCounted(step)), held };
}

function allowedDeletes(limit: PruneLimit, input: PlanInput): number {
  if (limit.kind === "count") return limit.count;
  const ours = [...input.records.values()].filter((live) => live.isProven).length;
  return Math.floor((ours * limit.percent) / 100);
}

/** The place of a step in a pass: lower is earlier. */
export function phaseOfStep(step: Step): number {
  return "desired" in step ? step.desired.phase : deletePhaseOf(step.live.ref);
}

function compareSteps(a: Step, b: Step): number {
  return phaseOfStep(a) - phaseOfStep(b) || modeRank(a) - modeRank(b) || compareRefs(refOfStep(a), refOfStep(b));
}

function modeRank(step: Step): number {
  return "desired" in step && step.desired.mode === "EnsureExists" ? 0 : 1;
}
