import type { AddonView } from "../../controllers/addon/index.ts";
import type { DesiredObject, EngineStatus, LiveRecord, Plan } from "../../converge/index.ts";
import type { ObjectName, ObjectRow, ObjectState, Readiness } from "../../http/index.ts";
import type { ObjectRef } from "../../object/index.ts";
import { shortText } from "./texts.ts";

/** Whether something is paused; the words say by whom and why. */
export type PauseOf = (desired: DesiredObject) => string | undefined;

/** Everything that rows are made from, worked out once for all of them. */
export interface Standing {
  readonly view: AddonView;
  readonly engine: EngineStatus;
  readonly plan: Plan;
  readonly pending: ReadonlyMap<string, string>;
  readonly pauseOf: PauseOf;
}

/** How all objects stand now. Walks over all objects. */
export function standingOf(
  view: AddonView,
  pauseOf: PauseOf,
  describe: (step: Plan["steps"][number]) => string,
): Standing {
  const plan = view.engine.plan();
  const pending = new Map(plan.steps.map((step) => [step.key, describe(step)]));
  return { view, engine: view.engine.status(plan), plan, pending, pauseOf };
}

/** One row for each desired object, and for each live one of the class that nobody asks for. */
export function rowsOf(standing: Standing): readonly ObjectRow[] {
  const { view, plan } = standing;
  const rows: ObjectRow[] = [];
  for (const desired of view.engine.desired.objects.values()) rows.push(desiredRow(standing, desired));
  for (const { live, reason, isConfirmable } of plan.kept)
    rows.push(leftRow(live, isConfirmable ? "held" : "kept", reason));
  for (const { live } of plan.waiting)
    rows.push(leftRow(live, "leaving", "its file has just left; it is deleted soon"));
  for (const step of plan.steps)
    if (!("desired" in step)) rows.push(leftRow(step.live, "leaving", standing.pending.get(step.key) ?? ""));
  return rows;
}

/** The row of a desired object. */
export function desiredRow(standing: Standing, desired: DesiredObject): ObjectRow {
  const { key, ref, mode, origin } = desired;
  const live = standing.view.engine.records.get(key);
  const { state, message } = stateOf(standing, desired);
  const said = message === "" ? (live?.unready ?? "") : message;
  return {
    ...nameOf(ref),
    key,
    mode,
    state,
    readiness: readinessOf(live),
    ...(said === "" ? {} : { message: shortText(said) }),
    file: origin.file,
    line: origin.line,
  };
}

function stateOf(
  standing: Standing,
  desired: DesiredObject,
): { readonly state: ObjectState; readonly message: string } {
  const { engine, pending, pauseOf } = standing;
  const { key } = desired;
  const paused = pauseOf(desired);
  if (paused !== undefined) return { state: "paused", message: paused };
  const failure = engine.failures.get(key);
  if (failure !== undefined) return { state: "failed", message: `${failure.error.code}: ${failure.error.message}` };
  const fight = engine.fights.get(key);
  if (fight !== undefined) {
    const { manager, path } = fight;
    return { state: "fighting", message: `${manager} keeps changing ${path}: leave the field out, or stop ${manager}` };
  }
  const blocked = engine.blocked.get(key);
  if (blocked !== undefined) return { state: "blocked", message: blocked };
  const step = pending.get(key);
  return step === undefined ? { state: "converged", message: "" } : { state: "pending", message: step };
}

function leftRow(live: LiveRecord, state: ObjectState, message: string): ObjectRow {
  return {
    ...nameOf(live.ref),
    key: live.key,
    state,
    readiness: readinessOf(live),
    ...(message === "" ? {} : { message: shortText(message) }),
  };
}

function readinessOf(live: LiveRecord | undefined): Readiness {
  return live === undefined ? "NotFound" : (live.readiness ?? "Unknown");
}

/** A reference as the API names objects. */
export function nameOf({ group, kind, namespace, name }: ObjectRef): ObjectName {
  return { group, kind, namespace, name };
}
