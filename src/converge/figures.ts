import type { Count, SetFigures } from "../metrics/index.ts";
import type { DesiredSet } from "./desired.ts";
import type { EngineStatus } from "./engine-types.ts";
import type { Plan } from "./plan.ts";
import type { LiveRecord } from "./record.ts";

/** An engine in numbers. */
export interface EngineFigures extends SetFigures {
  readonly isReachable: boolean;
}

/** Counts what an engine knows. Pure. */
export function engineFigures(of: {
  readonly plan: Plan;
  readonly status: EngineStatus;
  readonly desired: DesiredSet;
  readonly records: ReadonlyMap<string, LiveRecord>;
}): EngineFigures {
  const { plan, status, desired, records } = of;
  const held = plan.kept.filter(({ isConfirmable }) => isConfirmable);
  return {
    isSynced: status.isSynced,
    isReachable: status.isReachable,
    isConverged: status.isSynced && plan.converged === status.desired && status.failures.size === 0,
    objects: countObjects(desired, records),
    converged: plan.converged,
    blocked: plan.blocked.size,
    failed: countBy("code", status.failures.values(), ({ error }) => error.code),
    steps: countBy("action", plan.steps, ({ kind }) => kind),
    held: countBy("reason", held, ({ filter }) => filter),
    fights: status.fights.size,
    unavailableKinds: status.unavailable.size,
  };
}

function countObjects(
  desired: DesiredSet,
  records: ReadonlyMap<string, LiveRecord>,
): readonly Count<"mode" | "readiness">[] {
  const counts = new Map<string, { labels: { mode: string; readiness: string }; count: number }>();
  for (const { key, mode } of desired.objects.values()) {
    if (mode === "Absent") continue;
    const record = records.get(key);
    const readiness = record === undefined ? "NotFound" : (record.readiness ?? "Unknown");
    const id = `${mode} ${readiness}`;
    const known = counts.get(id);
    if (known === undefined) counts.set(id, { labels: { mode, readiness }, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()];
}

function countBy<T, L extends string>(label: L, items: Iterable<T>, wordOf: (item: T) => string): readonly Count<L>[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(wordOf(item), (counts.get(wordOf(item)) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ labels: { [label]: value } as Record<L, string>, count }));
}
