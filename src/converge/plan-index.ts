import type { DesiredSet } from "./desired.ts";
import { decide, type Plan, PlanDraft, type PlanInput } from "./plan.ts";
import type { LiveRecord } from "./record.ts";
import type { Decision } from "./step.ts";

/**
 * Remembers which objects need no second look, so that a plan after one edit looks at one object and not at thousands.
 * Settled is an object of which nothing but its own record, declaration or baseline could make another decision: its
 * owner says when one of those has changed ({@link touch}), or that all may have ({@link reset}).
 */
export class PlanIndex {
  /** Keys to be looked at. */
  readonly #open: Set<string> = new Set();
  /** Keys of settled objects that are as desired. */
  readonly #converged: Set<string> = new Set();
  /** Keys of live objects that nobody desires, and that may be ours or the original's. */
  readonly #undesired: Set<string> = new Set();
  #isStale = true;

  /** The record, the declaration or the baseline of an object has changed. */
  touch(key: string): void {
    if (this.#isStale) return;
    this.#converged.delete(key);
    this.#open.add(key);
  }

  /** Anything may have changed. */
  reset(): void {
    this.#isStale = true;
  }

  /** What {@link plan} makes of the same input. */
  plan(input: PlanInput): Plan {
    const decisions = this.#look(input);
    const draft = new PlanDraft(this.#converged.size);
    for (const [key, decision] of decisions) draft.add(key, decision);
    return draft.finish(input);
  }

  /** Keys of the live objects of the class that are not desired, and may be ours or the original's. */
  undesired(input: PlanInput): ReadonlySet<string> {
    this.#look(input);
    return this.#undesired;
  }

  /** Looks at what is open; the decisions about what stays so. */
  #look(input: PlanInput): ReadonlyMap<string, Decision> {
    if (this.#isStale) this.#fill(input);
    const decisions = new Map<string, Decision>();
    for (const key of this.#open) {
      if (mayBeLeft(input.records.get(key), input.desired)) this.#undesired.add(key);
      else this.#undesired.delete(key);
      const decision = decide(key, input);
      if (!isSettled(decision, key, input)) {
        decisions.set(key, decision);
        continue;
      }
      this.#open.delete(key);
      if (decision.kind === "converged") this.#converged.add(key);
    }
    return decisions;
  }

  #fill({ desired, records }: PlanInput): void {
    this.#open.clear();
    this.#converged.clear();
    this.#undesired.clear();
    for (const key of desired.objects.keys()) this.#open.add(key);
    for (const key of records.keys()) this.#open.add(key);
    this.#isStale = false;
  }
}

/** Whether only a change of the object itself could make another decision. */
function isSettled(decision: Decision, key: string, { desired, records, prune }: PlanInput): boolean {
  if (decision.kind === "converged") return true;
  if (decision.kind !== "ignored" || desired.objects.has(key)) return false;
  const live = records.get(key);
  // What is ignored for its uid alone is looked at again: the uid may cease to be that of a desired object.
  return live === undefined || (!mayBeLeft(live, desired) && !prune.isDesiredUid(live.uid));
}

/** Copies of labels (Endpoints, ReplicaSets) come and go by themselves and are never pruned. */
function mayBeLeft(live: LiveRecord | undefined, desired: DesiredSet): boolean {
  if (live === undefined || live.classLabels.length === 0 || desired.objects.has(live.key)) return false;
  return live.isProven || live.hasLastApplied;
}
