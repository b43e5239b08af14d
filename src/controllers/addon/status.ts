import type { Clock } from "../../async/index.ts";
import {
  type DesiredSet,
  describeReason,
  type Engine,
  type EngineStatus,
  type LiveRecord,
  type Plan,
  refOfStep,
} from "../../converge/index.ts";
import type { ManifestSnapshot } from "../../manifest/index.ts";
import { parseRefKey } from "../../object/index.ts";
import type { ChangeMemory } from "./change-memory.ts";
import { adviceOn } from "./contested.ts";
import type { DesiredAddons } from "./desired.ts";
import { heldReport } from "./held.ts";
import type { HoldReport, PauseReport, ProblemReport } from "./reports.ts";
import { byUrgency, fileStatuses } from "./status-files.ts";
import type { LeaderReport, LeftOutReport, StatusObject, StatusReport } from "./status-reports.ts";

/**
 * Bytes of each list, as JSON: together with the state that survives restarts a status stays below the limit of a
 * ConfigMap, 1 MiB, whatever the number of objects and the length of messages. What does not fit is counted.
 */
const BUDGET = { objects: 150_000, held: 150_000, problems: 150_000, files: 250_000 } as const;
/** Longest message; answers of webhooks may be as long as they like. */
const MAX_MESSAGE = 1_000;

/** What a status is made from. */
export interface StatusInput {
  readonly set: string;
  readonly instance: string;
  readonly path: string;
  readonly engine: EngineStatus;
  readonly addons: DesiredAddons | undefined;
  readonly snapshot: ManifestSnapshot | undefined;
  /** Wall clock, milliseconds. */
  readonly now: number;
  /** The newest revision that is known. */
  readonly revision?: number | undefined;
  readonly hold?: HoldReport | undefined;
  readonly pauses?: readonly PauseReport[];
  /** For what is said of each file. */
  readonly overview?: StatusOverview;
  /** What keeps the set from being an ApplySet, where it is to be one. */
  readonly applySet?: string | undefined;
}

/** The engine's objects, and what is known beyond them. */
export interface StatusOverview {
  readonly desired: DesiredSet;
  readonly records: ReadonlyMap<string, LiveRecord>;
  readonly plan: Plan;
  readonly memory: ChangeMemory | undefined;
  readonly leader: LeaderReport | undefined;
  /** Milliseconds, on the clock of failures' next tries. */
  readonly monotonic: number;
}

/** What the status says beyond the engine's own summary. */
export function overviewOf(
  engine: Engine,
  { plan, memory, leader, clock }: Pick<StatusOverview, "plan" | "memory" | "leader"> & { readonly clock: Clock },
): StatusOverview {
  const { desired, records } = engine;
  return { desired, records, plan, memory, leader, monotonic: clock.monotonic() };
}

/** The daemon's account of itself, as it stands in the status ConfigMap. Pure. */
export function statusReport(input: StatusInput): StatusReport {
  const { engine, addons, snapshot, overview } = input;
  const objects = [...troubledObjects(input), ...omittedObjects(addons)].map(shortened);
  const problems = problemReports(snapshot, engine, input.applySet).map(shortened);
  const held = heldReport(engine.kept);
  const files = overview === undefined ? [] : fileStatuses({ ...overview, engine, problems });
  const lists = {
    objects: within(objects, BUDGET.objects),
    held: within(held.objects, BUDGET.held),
    problems: within(problems, BUDGET.problems),
    files: within(byUrgency(files), BUDGET.files),
  };
  const leftOut = leftOutOf(lists, { objects, held: engine.kept, problems, files });
  const ready = files.reduce((sum, file) => sum + file.ready, 0);
  return {
    version: 1,
    set: input.set,
    instance: input.instance,
    updated: new Date(input.now).toISOString(),
    path: input.path,
    ...(overview?.leader === undefined ? {} : { leader: overview.leader }),
    phase: phaseOf(engine, problems),
    summary: {
      desired: engine.desired,
      converged: engine.converged,
      ...(overview === undefined ? {} : { ready }),
      failed: engine.failures.size,
      blocked: engine.blocked.size,
      fighting: engine.fights.size,
      kept: engine.kept.length,
      held: engine.kept.filter(({ isConfirmable }) => isConfirmable).length,
      paused: engine.paused.length,
      omitted: addons?.omitted.length ?? 0,
      problems: problems.length,
    },
    ...overview?.memory?.all,
    files: [...lists.files].sort((a, b) => (a.file < b.file ? -1 : 1)),
    objects: lists.objects,
    held: { ...held, objects: lists.held },
    problems: lists.problems,
    ...(leftOut === undefined ? {} : { leftOut }),
    ...historyOf(input),
  };
}

function historyOf({ revision, hold, pauses = [] }: StatusInput): Pick<StatusReport, "revision" | "hold" | "pauses"> {
  return {
    ...(revision === undefined ? {} : { revision }),
    ...(hold === undefined ? {} : { hold }),
    ...(pauses.length === 0 ? {} : { pauses }),
  };
}

/** One word for the whole: `starting`, `progressing`, `degraded`, `paused` or `converged`. */
function phaseOf(engine: EngineStatus, problems: readonly ProblemReport[]): string {
  if (!engine.isSynced) return "starting";
  const isHeld = engine.kept.some(({ isConfirmable }) => isConfirmable);
  const isTroubled = engine.failures.size > 0 || engine.blocked.size > 0 || engine.fights.size > 0;
  if (isTroubled || isHeld || problems.length > 0 || engine.unavailable.size > 0) return "degraded";
  if (engine.converged + engine.paused.length < engine.desired) return "progressing";
  return engine.paused.length > 0 ? "paused" : "converged";
}

/** The first items whose JSON fits into so many bytes. */
function within<T>(items: readonly T[], bytes: number): readonly T[] {
  let left = bytes;
  const fitting: T[] = [];
  for (const item of items) {
    // Lines of a list are indented by four blanks, and each of their fields by six or more: a sixth more covers that.
    left -= Buffer.byteLength(JSON.stringify(item)) * 1.2 + 40;
    if (left < 0) break;
    fitting.push(item);
  }
  return fitting;
}

type Lists = { readonly [K in keyof Required<LeftOutReport>]: readonly unknown[] };

function leftOutOf(shown: Lists, all: Lists): LeftOutReport | undefined {
  const names = ["files", "objects", "held", "problems"] as const;
  const entries = names.map((name) => [name, all[name].length - shown[name].length] as const);
  const some = entries.filter(([, count]) => count > 0);
  return some.length === 0 ? undefined : Object.fromEntries(some);
}

function shortened<T extends { readonly message: string }>(item: T): T {
  const { message } = item;
  return message.length <= MAX_MESSAGE ? item : { ...item, message: `${message.slice(0, MAX_MESSAGE - 1)}…` };
}

function* troubledObjects({ engine, now, overview }: StatusInput): Iterable<StatusObject> {
  const placeOf = (key: string): Partial<StatusObject> => overview?.desired.objects.get(key)?.origin ?? {};
  for (const [key, { error, since, notBefore }] of engine.failures) {
    const message = `${error.code}: ${error.message}`;
    const wait = overview === undefined ? Number.POSITIVE_INFINITY : notBefore - overview.monotonic;
    const retry = Number.isFinite(wait) ? { retry: new Date(now + Math.max(0, wait)).toISOString() } : {};
    const times = { since: new Date(since).toISOString(), ...retry };
    yield { object: parseRefKey(key), state: "failed", message, ...times, ...placeOf(key) };
  }
  for (const [key, detail] of engine.blocked)
    yield { object: parseRefKey(key), state: "waiting", message: detail, ...placeOf(key) };
  for (const { step, until } of engine.paused) {
    const message = `paused until ${new Date(until).toISOString()}, not done: ${step.kind}: ${describeReason(step.reason)}`;
    yield { object: refOfStep(step), state: "paused", message, ...placeOf(step.key) };
  }
  for (const [key, fight] of engine.fights)
    yield {
      object: parseRefKey(key),
      state: "fighting",
      message: `${fight.manager} keeps changing ${fight.path}: ${adviceOn(fight)}`,
      ...placeOf(key),
    };
}

function* omittedObjects(addons: DesiredAddons | undefined): Iterable<StatusObject> {
  for (const { manifest, hint } of addons?.omitted ?? []) {
    const { kind, apiVersion, name, namespace = "", origin } = manifest;
    const slash = apiVersion.indexOf("/");
    const group = slash < 0 ? "" : apiVersion.slice(0, slash);
    const place = `${origin.file}:${origin.line}`;
    const message = `${place}: no label selects it${hint === undefined ? "" : `; ${hint}`}`;
    yield { object: { group, kind, namespace, name }, state: "omitted", message, ...origin };
  }
}

/** Everything wrong with the source, and what shows only beside the cluster. */
export function problemReports(
  snapshot: ManifestSnapshot | undefined,
  engine: Pick<EngineStatus, "remarks" | "unavailable">,
  applySet?: string,
): readonly ProblemReport[] {
  const problems: ProblemReport[] = [];
  if (applySet !== undefined) problems.push({ file: "", line: 0, message: applySet });
  if (snapshot?.state.kind === "missing")
    problems.push({ file: "", line: 0, message: `${snapshot.root}: ${snapshot.state.message}` });
  for (const { file, line, message } of snapshot?.problems ?? []) problems.push({ file, line: line ?? 0, message });
  for (const { severity, origin, message } of engine.remarks) {
    if (severity === "error") problems.push({ ...origin, message });
  }
  for (const [kind, error] of engine.unavailable) {
    problems.push({ file: "", line: 0, message: `${kind}: cannot be listed or watched: ${error.message}` });
  }
  return problems;
}

/**
 * The status without when it was written, by which process, and since when things are so: what decides whether it has to
 * be written. Another host that leads is worth a write.
 */
export function statusContent(report: StatusReport): string {
  const objects = report.objects.map(({ since: _, ...object }) => object);
  return JSON.stringify({ ...report, updated: "", instance: hostOf(report.instance), leader: undefined, objects });
}

/** The part of {@link statusContent} that is worth a write at once: what else moves (readiness, last changes) may wait. */
export function urgentContent(report: StatusReport): string {
  const { lastChange: _, lastDrift: __, files: ___, summary, objects, ...rest } = report;
  const { ready: ____, ...counts } = summary;
  const states = objects.map(({ object, state, message }) => ({ object, state, message }));
  return statusContent({ ...rest, files: [], summary: counts, objects: states });
}

function hostOf(instance: string): string {
  const end = instance.indexOf("_");
  return end < 0 ? instance : instance.slice(0, end);
}
