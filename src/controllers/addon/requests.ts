import { KeelsonError } from "../../errors/index.ts";
import {
  contentOf,
  diffRevisions,
  matchesPattern,
  type ObjectPattern,
  parseObjectPattern,
  RevisionStore,
  unservedKinds,
} from "../../history/index.ts";
import type { ApiResource, KubeClient } from "../../kube/index.ts";
import type { ObjectRef } from "../../object/index.ts";
import {
  type Hold,
  NOTHING_SAID,
  type Pause,
  type PauseTarget,
  parseControl,
  removePauses,
  writeHold,
  writePause,
  writeResume,
} from "./control.ts";
import { namesOf } from "./identity.ts";
import { readOwn } from "./own-config-map.ts";
import type {
  HistoryReport,
  HoldReport,
  PauseReport,
  ResumeReport,
  RevisionDiffReport,
  RevisionReport,
  UnpauseReport,
} from "./reports.ts";
import { STATUS_KEY } from "./state.ts";

/** Of which cluster and set. */
export interface HistoryPorts {
  readonly client: KubeClient;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  /** Namespace of the revisions. */
  readonly revisionNamespace: string;
  readonly signal: AbortSignal;
}

/** Who asks, and when. */
export interface Request {
  /** As journal, history and status show it: `alice (alice@cp-1)`. */
  readonly by: string;
  /** Wall clock, milliseconds. */
  readonly now: number;
  readonly reason?: string | undefined;
}

/** The revisions of a set, oldest first, and what is held. */
export async function readHistory(ports: HistoryPorts): Promise<HistoryReport> {
  const [revisions, { hold }] = await Promise.all([storeOf(ports).list(ports.signal), controlOf(ports)]);
  return { revisions, ...(hold === undefined ? {} : { hold: holdReport(hold) }) };
}

/** A revision with its objects, Secrets masked. Rejects with `NotFound`, naming the revisions that there are. */
export async function readRevision(ports: HistoryPorts, revision: number): Promise<RevisionReport> {
  const { contents, ...summary } = await storeOf(ports).load(revision, ports.signal);
  return {
    ...summary,
    contents: contents.map((object) => ({
      object: object.ref,
      mode: object.mode,
      digest: object.manifest.digest,
      ...object.manifest.origin,
      manifest: contentOf(object),
    })),
  };
}

/** What differs from one revision to another (default: the newest), Secrets masked. */
export async function readRevisionDiff(
  ports: HistoryPorts,
  between: { readonly from: number; readonly to?: number | undefined },
): Promise<RevisionDiffReport> {
  const store = storeOf(ports);
  const { from } = between;
  const to = between.to ?? (await store.list(ports.signal)).at(-1)?.revision ?? from;
  const before = await store.load(from, ports.signal);
  const after = await store.load(to, ports.signal);
  const changes = diffRevisions(before, after).map(({ action, ref, file, line, fields }) => ({
    action,
    object: ref,
    file,
    line,
    diff: fields.map(({ path, before: was, after: is }) => ({
      path,
      ...(was === undefined ? {} : { before: was }),
      ...(is === undefined ? {} : { after: is }),
    })),
  }));
  return { from, to, changes };
}

/**
 * Asks the leader to go back to a revision and to hold it there. Rejects with `NotFound` where there is no such revision,
 * and with `Refused` where its set cannot exist: the API server no longer serves a kind of it.
 */
export async function requestRollback(
  ports: HistoryPorts,
  request: Request & { readonly revision: number },
): Promise<HoldReport> {
  const { client, signal } = ports;
  const { revision, by, now, reason } = request;
  const { contents, unserved: never = [] } = await storeOf(ports).load(revision, signal);
  const unserved = await unservedKinds(contents, client.discovery, signal);
  // What was not served when the revision was applied does not make it another set now.
  const lost = unserved.filter((kind) => !never.includes(kind));
  if (lost.length > 0) {
    const message = `rollback ${revision}: the API server no longer serves ${lost.join(", ")}: the set of that revision cannot exist; nothing was changed`;
    throw new KeelsonError("Refused", message, { object: `revision ${revision}` });
  }
  await writeHold(client, namesOf(ports.set), { revision, by, at: isoOf(now), reason, signal });
  return holdReport({ revision, by, at: now, reason });
}

/** Asks the leader to keep the directory again. */
export async function requestResume(ports: HistoryPorts, { by, now }: Request): Promise<ResumeReport> {
  const { client, signal } = ports;
  const { hold } = await controlOf(ports);
  if (hold === undefined) return {};
  await writeResume(client, namesOf(ports.set), { by, at: isoOf(now), signal });
  return { was: holdReport(hold) };
}

/**
 * Asks the leader not to write to an object, or to what a file declares, for a while. `what` is an object
 * (`KIND/NAMESPACE/NAME`, `KIND/NAME`) or a path of the directory. Rejects with `InvalidFlag` where it is neither.
 */
export async function requestPause(
  ports: HistoryPorts,
  request: Request & { readonly what: string; readonly forMs: number },
): Promise<PauseReport> {
  const { client, signal, set } = ports;
  const { what, forMs, by, now, reason } = request;
  const target = await targetOf(ports, what);
  const until = now + forMs;
  const { pauses } = await controlOf(ports);
  const over = pauses.filter((pause) => pause.until <= now).map((pause) => pause.target);
  if (over.length > 0) await removePauses(client, namesOf(set), { targets: over, signal });
  await writePause(client, namesOf(set), { target, until, by, at: isoOf(now), reason, signal });
  return pauseReport({ target, until, by, at: now, reason });
}

/** Ends pauses before their time: of what is named, or all. Rejects with `NotFound` where what is named is not paused. */
export async function requestUnpause(
  ports: HistoryPorts,
  request: Pick<Request, "now"> & { readonly what: string | undefined },
): Promise<UnpauseReport> {
  const { client, signal, set } = ports;
  const { pauses } = await controlOf(ports);
  const { what, now } = request;
  const file = what === undefined ? undefined : await fileOf(ports, what);
  const pattern = what === undefined ? undefined : parseObjectPattern(what);
  const ended = what === undefined ? pauses : pauses.filter(({ target }) => isMeant(target, { file, pattern }));
  if (what !== undefined && ended.length === 0) {
    throw new KeelsonError("NotFound", `unpause ${what}: it is not paused`, { disposition: "user" });
  }
  if (ended.length > 0)
    await removePauses(client, namesOf(set), { targets: ended.map(({ target }) => target), signal });
  return { ended: ended.filter(({ until }) => until > now).map(pauseReport) };
}

function isMeant(
  target: PauseTarget,
  what: { readonly file: string | undefined; readonly pattern: ObjectPattern | undefined },
): boolean {
  if (target.kind === "file") return target.file === what.file;
  return what.pattern !== undefined && matchesPattern(target.ref, what.pattern);
}

const MANIFEST_NAME = /\.(?:ya?ml|json)$/;

async function targetOf(ports: HistoryPorts, what: string): Promise<PauseTarget> {
  if (MANIFEST_NAME.test(what)) return { kind: "file", file: await fileOf(ports, what) };
  const pattern = parseObjectPattern(what);
  if (pattern?.kind === undefined) throw unreadableTarget(what);
  const { client, signal } = ports;
  const served = await client.discovery.all(signal);
  const resource = served.find((each) => isOfKind(each, pattern));
  if (resource === undefined) {
    throw new KeelsonError("NoMatch", `${what}: the API server serves no kind ${pattern.kind}`, {
      disposition: "user",
    });
  }
  const { group, kind, namespaced } = resource;
  const namespace = namespaced ? pattern.namespace || client.defaultNamespace : "";
  return { kind: "object", ref: { group, kind, namespace, name: pattern.name } };
}

function isOfKind({ group, kind, resource }: ApiResource, pattern: ObjectPattern): boolean {
  const ref: ObjectRef = { group, kind, namespace: "", name: pattern.name };
  if (matchesPattern(ref, { ...pattern, namespace: undefined })) return true;
  return pattern.kind === resource || pattern.kind === `${resource}.${group}`;
}

function unreadableTarget(what: string): KeelsonError {
  const message = `"${what}": accepted: an object as KIND/NAMESPACE/NAME or KIND/NAME, or a file of the directory (.yaml, .yml, .json)`;
  return new KeelsonError("InvalidFlag", message, { object: "OBJECT|FILE" });
}

/** A path as the daemon names files: relative to its directory, which its status tells. */
async function fileOf({ client, set, signal }: HistoryPorts, path: string): Promise<string> {
  if (!path.startsWith("/")) return path.replace(/^(?:\.\/)+/, "");
  const text = (await readOwn(client, namesOf(set).statusConfigMap, signal))?.data[STATUS_KEY] ?? "{}";
  const directory = /"path": *("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  const root = directory === undefined ? "" : `${String(JSON.parse(directory)).replace(/\/+$/, "")}/`;
  if (root !== "" && path.startsWith(root)) return path.slice(root.length);
  throw new KeelsonError("InvalidFlag", `"${path}": not below the daemon's directory ${root}`, {
    object: "OBJECT|FILE",
  });
}

async function controlOf({ client, set, signal }: HistoryPorts): Promise<ReturnType<typeof parseControl>> {
  const own = await readOwn(client, namesOf(set).controlConfigMap, signal);
  return own === undefined ? NOTHING_SAID : parseControl(own);
}

function storeOf({ client, set, revisionNamespace }: HistoryPorts): RevisionStore {
  return new RevisionStore({ client, set, namespace: revisionNamespace });
}

/** A hold, for people. */
export function holdReport({ revision, by, at, reason }: Hold): HoldReport {
  return { revision, by, ...sinceOf(at), ...(reason === undefined ? {} : { reason }) };
}

/** A pause, for people. */
export function pauseReport({ target, until, by, at, reason }: Pause): PauseReport {
  const what = target.kind === "file" ? { file: target.file } : { object: target.ref };
  return { ...what, until: isoOf(until), by, ...sinceOf(at), ...(reason === undefined ? {} : { reason }) };
}

function sinceOf(at: number): { readonly since?: string } {
  return at === 0 ? {} : { since: isoOf(at) };
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
