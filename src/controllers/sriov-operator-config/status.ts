import type { EngineStatus, Plan } from "../../converge/index.ts";
import type { KeelsonError } from "../../errors/index.ts";
import { describeRef, isJsonObject, type JsonObject, parseRefKey } from "../../object/index.ts";
import type { ComponentName } from "./components.ts";
import type { RenderedComponent } from "./desired.ts";

/** One entry of `status.components`. */
export interface ComponentStatus {
  readonly name: ComponentName;
  readonly enabled: boolean;
  /** Objects that must be there or, switched off, must not. */
  readonly objects: number;
  readonly ready: boolean;
  readonly message?: string;
}

/** One entry of `status.conditions` (KEP-1623). */
export interface Condition {
  readonly type: "Ready" | "Progressing" | "Degraded";
  readonly status: "True" | "False";
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** `status` of a SriovOperatorConfig. */
export interface ConfigStatus {
  readonly injector: "Enabled" | "Disabled";
  readonly operatorWebhook: "Enabled" | "Disabled";
  readonly observedGeneration: number;
  readonly components: readonly ComponentStatus[];
  readonly conditions: readonly Condition[];
}

/** What a status is made from. */
export interface StatusInput {
  readonly generation: number;
  readonly components: readonly RenderedComponent[];
  readonly engine: Pick<EngineStatus, "failures" | "blocked" | "unavailable">;
  readonly plan: Pick<Plan, "steps">;
  /** What failed beside the components: the list of policies. */
  readonly errors: readonly KeelsonError[];
  /** `status` as it stands in the object, for the times of conditions that have not changed. */
  readonly previous: JsonObject;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/** What is wrong with one component or object. */
interface Trouble {
  /** `failed`: somebody has to act, or it is tried again; `waiting`: it goes on by itself. */
  readonly kind: "failed" | "waiting";
  readonly reason: string;
  readonly message: string;
}

const MAX_MESSAGE = 2_000;

/** The account of a config, as it stands in its status. Pure. */
export function configStatus(input: StatusInput): ConfigStatus {
  const { components, generation } = input;
  const troubles = components.map((component) => ({ component, found: troublesOf(component, input) }));
  const isEnabled = (name: ComponentName): "Enabled" | "Disabled" =>
    components.some((component) => component.name === name && component.isEnabled) ? "Enabled" : "Disabled";
  const all = troubles.flatMap(({ component, found }) =>
    found.map((trouble) => ({ ...trouble, message: `${component.name}: ${trouble.message}` })),
  );
  const others = input.errors.map(({ code, message }) => ({ kind: "failed" as const, reason: code, message }));
  return {
    injector: isEnabled("injector"),
    operatorWebhook: isEnabled("operator-webhook"),
    observedGeneration: generation,
    components: troubles.map(({ component, found }) => componentStatus(component, found)),
    conditions: conditionsOf([...all, ...others], input),
  };
}

function componentStatus(component: RenderedComponent, found: readonly Trouble[]): ComponentStatus {
  const { name, isEnabled, keys } = component;
  const base = { name, enabled: isEnabled, objects: keys.length, ready: found.length === 0 };
  return found.length === 0 ? base : { ...base, message: textOf(found) };
}

function troublesOf(component: RenderedComponent, { engine, plan }: StatusInput): readonly Trouble[] {
  const troubles: Trouble[] = component.errors.map(errorTrouble);
  const pending = new Set(plan.steps.map(({ key }) => key));
  for (const key of component.keys) {
    const name = describeRef(parseRefKey(key));
    const failure = engine.failures.get(key);
    const blocked = engine.blocked.get(key);
    if (failure !== undefined) {
      const { code, message } = failure.error;
      const reason = code === "Forbidden" ? "MissingRights" : "ComponentFailed";
      troubles.push({ kind: "failed", reason, message: message.includes(name) ? message : `${name}: ${message}` });
    } else if (blocked !== undefined)
      troubles.push({ kind: "waiting", reason: "Waiting", message: `${name}: ${blocked}` });
    else if (pending.has(key)) {
      troubles.push({
        kind: "waiting",
        reason: "Applying",
        message: `${name}: ${component.isEnabled ? "being applied" : "being deleted"}`,
      });
    }
  }
  return troubles;
}

function errorTrouble({ code, message }: KeelsonError): Trouble {
  return { kind: "failed", reason: code === "Refused" ? "UnsupportedConfiguration" : "ComponentFailed", message };
}

function conditionsOf(troubles: readonly Trouble[], input: StatusInput): readonly Condition[] {
  const failed = troubles.filter(({ kind }) => kind === "failed");
  const waiting = troubles.filter(({ kind }) => kind === "waiting");
  const blind = [...input.engine.unavailable].map(
    ([kind, error]): Trouble => ({
      kind: "failed",
      reason: "MissingRights",
      message: `${kind} cannot be listed and watched, its drift is looked for every 5 minutes only: ${error.message}`,
    }),
  );
  const first = failed[0] ?? waiting[0];
  const ready =
    first === undefined
      ? { status: "True" as const, reason: "AsDeclared", message: "every component is as declared" }
      : { status: "False" as const, reason: first.reason, message: textOf(failed.length > 0 ? failed : waiting) };
  return [
    condition("Ready", ready, input),
    condition("Progressing", troubleCondition(waiting, "Settled", "nothing is under way"), input),
    condition("Degraded", troubleCondition([...failed, ...blind], "AsDeclared", "nothing failed"), input),
  ];
}

type Verdict = Pick<Condition, "status" | "reason" | "message">;

function troubleCondition(troubles: readonly Trouble[], reason: string, message: string): Verdict {
  const [first] = troubles;
  if (first === undefined) return { status: "False", reason, message };
  return { status: "True", reason: first.reason, message: textOf(troubles) };
}

function textOf(troubles: readonly Trouble[]): string {
  const text = troubles.map(({ message }) => message).join("; ");
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text;
}

function condition(type: Condition["type"], verdict: Verdict, { generation, previous, now }: StatusInput): Condition {
  const before = conditionIn(previous, type);
  const since = before?.status === verdict.status ? before.lastTransitionTime : undefined;
  const lastTransitionTime = typeof since === "string" ? since : `${new Date(now).toISOString().slice(0, 19)}Z`;
  return { type, ...verdict, observedGeneration: generation, lastTransitionTime };
}

/** A condition of a status as it stands in the object. */
export function conditionIn(status: JsonObject, type: Condition["type"]): JsonObject | undefined {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return undefined;
  return conditions.filter(isJsonObject).find((each) => each.type === type);
}
