import { systemClock } from "../async/index.ts";
import {
  type AuditReport,
  type HistoryPorts,
  type HistoryReport,
  type HoldReport,
  type PauseReport,
  type Request,
  type ResumeReport,
  type RevisionDiffReport,
  type RevisionReport,
  readHistory,
  readRevision,
  readRevisionDiff,
  requestPause,
  requestResume,
  requestRollback,
  requestUnpause,
  type UnpauseReport,
} from "../controllers/addon/index.ts";
import { KeelsonError } from "../errors/index.ts";
import {
  followJournal,
  type JournalCheck,
  type JournalLine,
  type JournalPlace,
  type JournalQuery,
  parseObjectPattern,
  searchJournal,
  verifyJournal,
} from "../history/index.ts";
import type { KubeClient } from "../kube/index.ts";
import type { AuditQuery, OperationIo } from "./operations.ts";
import type { Settings } from "./settings.ts";
import { parseDuration } from "./settings-values.ts";
import { whoAsks } from "./who.ts";
import { withClient } from "./with-client.ts";

/** The revisions of the set. */
export function history(settings: Settings, io: OperationIo): Promise<HistoryReport> {
  return withClient(settings, io, (client) => readHistory(historyPorts(settings, client, io)));
}

/** One revision, with its objects. */
export function showRevision(settings: Settings, revision: number, io: OperationIo): Promise<RevisionReport> {
  return withClient(settings, io, (client) => readRevision(historyPorts(settings, client, io), revision));
}

/** What differs between two revisions. */
export function diffRevisions(
  settings: Settings,
  between: { readonly from: number; readonly to?: number | undefined },
  io: OperationIo,
): Promise<RevisionDiffReport> {
  return withClient(settings, io, (client) => readRevisionDiff(historyPorts(settings, client, io), between));
}

/** Goes back to a revision, and holds it. */
export function rollback(
  settings: Settings,
  to: { readonly revision: number; readonly reason?: string | undefined },
  io: OperationIo,
): Promise<HoldReport> {
  return withClient(settings, io, async (client) =>
    requestRollback(historyPorts(settings, client, io), { ...(await requestOf(client, io)), ...to }),
  );
}

/** Ends a hold. */
export function resume(settings: Settings, io: OperationIo): Promise<ResumeReport> {
  return withClient(settings, io, async (client) =>
    requestResume(historyPorts(settings, client, io), await requestOf(client, io)),
  );
}

/** Pauses an object or a file. `lasting` is a duration. */
export function pause(
  settings: Settings,
  asked: { readonly what: string; readonly lasting: string; readonly reason?: string | undefined },
  io: OperationIo,
): Promise<PauseReport> {
  const { what, lasting, reason } = asked;
  const forMs = durationOf("--for", lasting);
  return withClient(settings, io, async (client) =>
    requestPause(historyPorts(settings, client, io), { ...(await requestOf(client, io)), what, forMs, reason }),
  );
}

/** Ends pauses; `what` undefined: all. */
export function unpause(settings: Settings, what: string | undefined, io: OperationIo): Promise<UnpauseReport> {
  const now = systemClock.now();
  return withClient(settings, io, (client) => requestUnpause(historyPorts(settings, client, io), { what, now }));
}

/** Lines of this machine's journal. */
export async function audit(settings: Settings, query: AuditQuery): Promise<AuditReport> {
  return { lines: await searchJournal(placeOf(settings), queryOf(query)) };
}

/** Calls `onLine` for each line that is written from now on, until `io.signal` fires. */
export function followAudit(
  settings: Settings,
  query: AuditQuery & { readonly onLine: (line: JournalLine) => void },
  io: OperationIo,
): Promise<void> {
  const { onLine } = query;
  return followJournal(placeOf(settings), { ...queryOf(query), onLine, clock: systemClock }, io.signal);
}

/** Checks this machine's journal. */
export function verifyAudit(settings: Settings): Promise<JournalCheck> {
  return verifyJournal(placeOf(settings));
}

function historyPorts(settings: Settings, client: KubeClient, io: OperationIo): HistoryPorts {
  const { set, revisionNamespace } = settings;
  return { client, set, revisionNamespace, signal: io.signal };
}

async function requestOf(client: KubeClient, io: OperationIo): Promise<Request> {
  return { by: await whoAsks(client, io.environment, io.signal), now: systemClock.now() };
}

function placeOf({ stateDirs, set }: Settings): JournalPlace {
  return { directories: stateDirs, set };
}

function queryOf({ since, object, limit }: AuditQuery): JournalQuery {
  const pattern = object === undefined ? undefined : parseObjectPattern(object);
  if (object !== undefined && pattern === undefined) {
    const message = `--object="${object}": accepted: NAME, KIND/NAME or KIND/NAMESPACE/NAME`;
    throw new KeelsonError("InvalidFlag", message, { object: "--object" });
  }
  return { since: since === undefined ? undefined : timeOf(since), object: pattern, limit };
}

/** A duration back from now, or a point in time. */
function timeOf(since: string): number {
  const parsed = parseDuration(since);
  if (parsed.kind === "ok") return systemClock.now() - parsed.value;
  const time = Date.parse(since);
  if (!Number.isNaN(time)) return time;
  const message = `--since="${since}": accepted: a duration such as 90s, 1h30m, or a time such as 2030-01-31T12:00:00Z`;
  throw new KeelsonError("InvalidFlag", message, { object: "--since" });
}

function durationOf(flag: string, text: string): number {
  const parsed = parseDuration(text);
  if (parsed.kind === "ok" && parsed.value > 0) return parsed.value;
  const why = parsed.kind === "ok" ? "no time at all" : parsed.why;
  throw new KeelsonError("InvalidFlag", `${flag}="${text}": ${why}; accepted: a duration such as 30m, 2h, 1h30m`, {
    object: flag,
  });
}
