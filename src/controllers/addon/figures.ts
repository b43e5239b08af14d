import type { DesiredSet, EngineFigures } from "../../converge/index.ts";
import type { JournalState } from "../../history/index.ts";
import type { LeaderState } from "../../leader-election/index.ts";
import type { ManifestSnapshot } from "../../manifest/index.ts";
import type { ControllerFigures, HistoryFigures } from "../../metrics/index.ts";
import { problemReports } from "./status.ts";

/** Before the engine is built: nothing is known. */
const NOTHING_YET: EngineFigures = {
  isSynced: false,
  isReachable: false,
  isConverged: false,
  objects: [],
  converged: 0,
  blocked: 0,
  failed: [],
  steps: [],
  held: [],
  fights: 0,
  unavailableKinds: 0,
};

/** What of the controller's parts is counted. */
export interface CountedParts {
  readonly engine: { readonly desired: Pick<DesiredSet, "remarks">; figures(): EngineFigures };
  readonly revisions: { readonly newest: number | undefined; readonly made: number } | undefined;
  readonly declarations: { readonly hold: { readonly revision: number } | undefined };
  readonly pauses: { readonly current: readonly unknown[] };
  readonly applySet?: { readonly problem: string | undefined } | undefined;
}

/** The controller in numbers; `parts` are undefined before the cluster has answered. */
export function controllerFigures(of: {
  readonly parts: CountedParts | undefined;
  readonly snapshot: ManifestSnapshot | undefined;
  readonly leader: LeaderState;
  readonly journal: JournalState | undefined;
}): ControllerFigures {
  const { parts, snapshot, leader, journal } = of;
  // Kinds that are unavailable have a figure of their own.
  const told = { remarks: parts?.engine.desired.remarks ?? [], unavailable: new Map<string, never>() };
  return {
    controller: "addon",
    isLeading: leader.kind === "leading",
    ...(parts?.engine.figures() ?? NOTHING_YET),
    problems: problemReports(snapshot, told, parts?.applySet?.problem).length,
    history: parts === undefined ? undefined : historyFigures(parts, journal),
  };
}

function historyFigures(parts: CountedParts, journal: JournalState | undefined): HistoryFigures {
  const { revisions, declarations, pauses } = parts;
  return {
    revision: revisions?.newest,
    recorded: revisions?.made ?? 0,
    heldRevision: declarations.hold?.revision,
    pauses: pauses.current.length,
    isJournalWritable: journal?.trouble === undefined,
    journalGaps: journal?.gaps ?? 0,
    journalLostLines: journal?.lost ?? 0,
  };
}
