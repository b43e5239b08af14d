import type { AddonView, StatusReport } from "../../controllers/addon/index.ts";
import type {
  Counts,
  HeldList,
  Leader,
  ObjectRow,
  ObjectState,
  Overview,
  Phase,
  Problem,
  TimelineEntry,
} from "../../http/index.ts";
import { refKey } from "../../object/index.ts";
import type { Control } from "./control.ts";
import { nameOf } from "./rows.ts";
import { shortText } from "./texts.ts";

/** What an overview is made from. */
export interface OverviewInput {
  readonly version: string;
  readonly now: number;
  /** Since when the phase is what it is; wall clock, milliseconds. */
  readonly since: number;
  readonly view: AddonView;
  readonly status: StatusReport;
  readonly rows: readonly ObjectRow[];
  readonly isReachable: boolean;
  readonly control: Control;
  readonly revision: Overview["revision"];
  readonly recent: readonly TimelineEntry[];
}

const MAX_ATTENTION = 20;
const MAX_PROBLEMS = 200;
const MAX_HELD = 200;
const NEEDS_A_LOOK: ReadonlySet<ObjectState> = new Set(["failed", "fighting", "blocked"]);
const PHASES: ReadonlySet<string> = new Set(["starting", "waiting", "progressing", "degraded", "converged", "paused"]);

/** How things stand, for the overview page. Pure. */
export function overviewOf(input: OverviewInput): Overview {
  const { view, status, rows, control, revision } = input;
  const { hold, pauses } = control;
  return {
    version: input.version,
    set: status.set,
    path: status.path,
    instance: status.instance,
    now: new Date(input.now).toISOString(),
    phase: phaseOf(status),
    since: new Date(input.since).toISOString(),
    isReachable: input.isReachable,
    leader: leaderOf(view),
    ...(revision === undefined ? {} : { revision }),
    ...(hold === undefined ? {} : { hold }),
    pauses,
    counts: countsOf(rows),
    problems: problemsOf(status).slice(0, MAX_PROBLEMS),
    held: heldOf(status),
    attention: rows.filter(({ state }) => NEEDS_A_LOOK.has(state)).slice(0, MAX_ATTENTION),
    recent: input.recent,
  };
}

/** The phase of a status; one that this program does not know counts as one that needs a look. */
export function phaseOf({ phase }: Pick<StatusReport, "phase">): Phase {
  return PHASES.has(phase) ? (phase as Phase) : "degraded";
}

/** What is wrong with the files, with messages of bounded length. */
export function problemsOf({ problems }: StatusReport): readonly Problem[] {
  return problems.map(({ file, line, message }) => ({ file, line, message: shortText(message) }));
}

function heldOf({ held }: StatusReport): HeldList {
  const { digest, objects } = held;
  return {
    ...(digest === undefined ? {} : { digest }),
    confirmable: objects.filter(({ confirmable }) => confirmable).length,
    objects: objects.slice(0, MAX_HELD).map(({ object, uid, reason, confirmable }) => ({
      ...nameOf(object),
      key: refKey(object),
      uid,
      reason: shortText(reason),
      confirmable,
    })),
  };
}

function leaderOf({ leader }: AddonView): Leader {
  switch (leader.kind) {
    case "leading":
      return { kind: "leading", holder: leader.holder };
    case "following":
      return {
        kind: "following",
        reason: leader.reason,
        ...(leader.holder === undefined ? {} : { holder: leader.holder }),
      };
    case "unknown":
      return { kind: "unknown", reason: leader.reason };
  }
}

function countsOf(rows: readonly ObjectRow[]): Counts {
  const number = (state: ObjectState): number => rows.filter((row) => row.state === state).length;
  const desired = rows.filter(({ mode }) => mode !== undefined);
  const notReady = desired.filter(({ readiness }) => readiness !== "Current" && readiness !== "Unknown").length;
  return {
    desired: desired.length,
    converged: number("converged"),
    pending: number("pending") + number("leaving"),
    failed: number("failed"),
    blocked: number("blocked"),
    fighting: number("fighting"),
    paused: number("paused"),
    held: number("held"),
    kept: number("kept"),
    ready: desired.length - notReady,
    notReady,
  };
}
