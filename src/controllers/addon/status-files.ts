import type { DesiredSet, EngineStatus, LiveRecord, Plan } from "../../converge/index.ts";
import type { ChangeMemory } from "./change-memory.ts";
import type { ProblemReport } from "./reports.ts";
import type { FileState, FileStatus, UnreadyReport } from "./status-reports.ts";

/** What the state of each file is worked out from. */
export interface FilesInput {
  readonly desired: DesiredSet;
  readonly records: ReadonlyMap<string, LiveRecord>;
  readonly plan: Pick<Plan, "steps">;
  readonly engine: Pick<EngineStatus, "failures" | "blocked" | "fights">;
  readonly problems: readonly ProblemReport[];
  readonly memory: ChangeMemory | undefined;
}

/** Objects that a file is shown to wait for. */
const SHOWN = 3;

interface Tally {
  objects: number;
  converged: number;
  ready: number;
  failed: number;
  problems: number;
  readonly unready: UnreadyReport[];
}

/** One line for each file (an add-on, as a rule): how many objects, how many as declared, how many ready. Pure. */
export function fileStatuses(input: FilesInput): readonly FileStatus[] {
  const { desired, records, engine, memory } = input;
  const pending = new Set(input.plan.steps.map(({ key }) => key));
  const tallies = new Map<string, Tally>();
  const tallyOf = (file: string): Tally => {
    const tally = tallies.get(file) ?? { objects: 0, converged: 0, ready: 0, failed: 0, problems: 0, unready: [] };
    tallies.set(file, tally);
    return tally;
  };
  for (const { key, ref, origin } of desired.objects.values()) {
    const tally = tallyOf(origin.file);
    const live = records.get(key);
    const isTroubled = engine.failures.has(key) || engine.blocked.has(key) || engine.fights.has(key);
    const isConverged = live !== undefined && !pending.has(key) && !isTroubled;
    tally.objects += 1;
    if (isTroubled) tally.failed += 1;
    if (isConverged) tally.converged += 1;
    // Of what only its metadata was seen of (an EnsureExists object without labels) it is enough that it is there.
    const readiness = live === undefined ? "NotFound" : (live.readiness ?? "Current");
    if (readiness === "Current") tally.ready += 1;
    else if (tally.unready.length < SHOWN)
      tally.unready.push({ object: ref, readiness, message: live?.unready ?? "it is not there" });
  }
  for (const { file } of input.problems) if (file !== "") tallyOf(file).problems += 1;
  memory?.keep(new Set(tallies.keys()));
  return [...tallies]
    .map(([file, tally]) => fileStatus(file, tally, memory))
    .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
}

function fileStatus(file: string, tally: Tally, memory: ChangeMemory | undefined): FileStatus {
  const { objects, converged, ready, unready } = tally;
  const state = stateOf(tally);
  return {
    file,
    state,
    objects,
    converged,
    ready,
    ...(unready.length === 0 ? {} : { unready }),
    ...memory?.of(file),
  };
}

function stateOf({ objects, converged, ready, failed, problems, unready }: Tally): FileState {
  if (problems > 0) return "broken";
  if (failed > 0 || unready.some(({ readiness }) => readiness === "Failed")) return "failed";
  if (converged < objects) return "progressing";
  return ready < objects ? "waiting" : "ready";
}

/** Files in the order of what a reader should see where not all can be shown: trouble first. */
export function byUrgency(files: readonly FileStatus[]): readonly FileStatus[] {
  return [...files].sort((a, b) => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state));
}

const URGENCY: readonly FileState[] = ["broken", "failed", "progressing", "waiting", "ready"];
