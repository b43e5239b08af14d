/**
 * # converge: the engine
 *
 * Keeps one set of objects in one cluster as desired: ownership, plan, policy, order, apply, prune, change set.
 *
 * - `desired.ts` finds each declared object's place; `observe.ts` reduces a live object to a record; `plan.ts` decides
 *   (pure), with the prune rules of `prune-filters.ts` and the memory of `missing.ts`; `planner.ts` keeps what decisions
 *   depend on, and `plan-index.ts` which objects need no second look.
 * - `apply.ts`, `ensure.ts`, `prune.ts`, `recreate.ts` are the verbs; `worker.ts` runs them, phase by phase, with
 *   back-off; `engine.ts` ties a source, the watches of `live-cache.ts` and the worker together.
 *
 * Invariants: every decision about one object is made by `decide`; what is planned is what is executed; nothing is
 * written outside a term of leadership; nothing is deleted without proof, uid and resourceVersion; server output is only
 * compared with server output; in steady state no request is made.
 *
 * It does not read files, know labels' meanings (the {@link SetIdentity} says), elect leaders, or keep whole objects.
 */
export type { Change, Executed, Outcome } from "./change-set.ts";
export type { ChangedField } from "./changed-fields.ts";
export type { Cluster } from "./cluster.ts";
export type {
  Declared,
  DesiredInput,
  DesiredObject,
  DesiredSet,
  MentionedObject,
  Mode,
  RefusedObject,
  SetRemark,
} from "./desired.ts";
export { bodyOf, desiredTree, resolveDesired } from "./desired.ts";
export { Engine } from "./engine.ts";
export type { EngineListener, EngineOptions, EngineState, EngineStatus, PrunePolicy } from "./engine-types.ts";
export { executeStep } from "./execute.ts";
export type { Failure } from "./failures.ts";
export type { Fight } from "./fights.ts";
export type { EngineFigures } from "./figures.ts";
export { meteredListener } from "./metered-listener.ts";
export type { PausedUntil, Plan, PruneLimit } from "./plan.ts";
export type { LiveRecord } from "./record.ts";
export type { SetIdentity } from "./set.ts";
export { type Decision, describeReason, type Reason, refOfStep, type Step } from "./step.ts";
