import { resolve } from "node:path";
import type { Clock } from "../../async/index.ts";
import {
  type Change,
  type DesiredInput,
  type DesiredSet,
  Engine,
  type EngineListener,
  type EngineOptions,
  type Plan,
  type PrunePolicy,
  type SetIdentity,
} from "../../converge/index.ts";
import { isKeelsonError, KeelsonError } from "../../errors/index.ts";
import { type Journal, RevisionStore } from "../../history/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import type { LeaderElector } from "../../leader-election/index.ts";
import { ChangeLog, type Logger } from "../../log/index.ts";
import type { ManifestSnapshot, Source } from "../../manifest/index.ts";
import { applyAdmissionControls } from "./admission.ts";
import { ApplySetKeeper } from "./applyset-keeper.ts";
import { admitPlanned, type BoundPlan, desiredDigest, stalePlan, whatMoved } from "./bound-plan.ts";
import { ChangeMemory } from "./change-memory.ts";
import { confirmedDigest, type Hold, NOTHING_SAID, type Pause, parseControl } from "./control.ts";
import { describeRollback, heldInput } from "./declarations.ts";
import { type DesiredAddons, desiredAddons } from "./desired.ts";
import { heldDigest, heldReport } from "./held.ts";
import { addonIdentity, namesOf, type SetNames, SYSTEM_NAMESPACE } from "./identity.ts";
import { changeEntry, type Entry } from "./journal-entries.ts";
import { CONFIG_MAPS, readOwn } from "./own-config-map.ts";
import { applyReport, omittedReport, planReport } from "./pass-report.ts";
import { pausedUntil } from "./pauses.ts";
import { waitUntilQuiet } from "./quiet.ts";
import type { ApplyReport, PlanReport, ProblemReport } from "./reports.ts";
import { holdReport, pauseReport } from "./requests.ts";
import { requireLead } from "./require-lead.ts";
import { RevisionRecorder } from "./revision-recorder.ts";
import { decodeState, STATE_KEY, STATUS_KEY } from "./state.ts";
import { overviewOf, problemReports, statusReport } from "./status.ts";
import { StatusWriter } from "./status-writer.ts";

/** What a single pass is handed. */
export interface PassPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly source: Pick<Source, "load">;
  readonly admission: Pick<Source, "load">;
  /** Says whether this host leads; undefined: act always. */
  readonly elector: LeaderElector | undefined;
  /** Without it nothing is put down. */
  readonly journal?: Pick<Journal, "append" | "flush" | "state">;
}

/** How it works. Durations are milliseconds. */
export interface PassOptions {
  readonly path: string;
  readonly set: string;
  readonly instance: string;
  readonly prune: PrunePolicy;
  readonly settleMs: number;
  /** Act without being the leader, and beside a live instance. */
  readonly isForced: boolean;
  /** No election: a live daemon is found by challenge. */
  readonly isUnelected: boolean;
  /** Whether the add-ons wait until every admission-control file has succeeded. */
  readonly admissionWait: boolean;
  /** Where revisions are, and how many are kept; none are made where it is left out or 0. */
  readonly revisions?: { readonly namespace: string; readonly limit: number };
  /** Name and version of this program, where the set is to be an ApplySet, too. */
  readonly tooling?: string | undefined;
}

/** How long objects that wait for something in the same directory (a CRD to be served) are waited for. */
const DEPENDENCIES_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;

/** Everything that one pass knows once it has looked. */
export interface Looked {
  readonly engine: Engine;
  readonly names: SetNames;
  readonly snapshot: ManifestSnapshot;
  readonly addons: DesiredAddons;
  readonly stored: Awaited<ReturnType<typeof readOwn>>;
  readonly changes: Change[];
  readonly store: RevisionStore;
  /** The revision that is held, which counts instead of the directory. */
  readonly hold: Hold | undefined;
  readonly pauses: readonly Pause[];
  readonly identity: SetIdentity;
  readonly applySet: ApplySetKeeper | undefined;
}

/** What one pass would do. Writes nothing. */
export async function planPass(ports: PassPorts, options: PassOptions, signal: AbortSignal): Promise<PlanReport> {
  return reportPlan(await look(ports, options, signal), { client: ports.client, options, signal });
}

async function reportPlan(
  { engine, snapshot, identity, addons, hold, applySet }: Looked,
  {
    client,
    options,
    signal,
  }: { readonly client: KubeClient; readonly options: PassOptions; readonly signal: AbortSignal },
): Promise<PlanReport> {
  const plan = engine.plan();
  const planned = await planReport({
    client,
    plan,
    desired: engine.desired,
    problems: problemReports(snapshot, engine.status(plan), applySet?.problem),
    omitted: omittedReport(addons),
    identity,
    root: snapshot.root,
    signal,
  });
  const cluster = await clusterUid(client, signal);
  return {
    version: 1,
    set: options.set,
    path: resolve(options.path),
    ...(cluster === undefined ? {} : { cluster }),
    desired: desiredDigest(engine.desired),
    ...planned,
    ...(hold === undefined ? {} : { hold: holdReport(hold) }),
  };
}

/** What tells one cluster from another: the uid of the Namespace that each has from its first start. */
async function clusterUid(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const namespaces = { ...CONFIG_MAPS, kind: "Namespace", resource: "namespaces", namespaced: false };
  const target = { namespace: "", name: SYSTEM_NAMESPACE };
  try {
    return (await client.get(namespaces, target, { metadataOnly: true, signal })).metadata.uid;
  } catch (error) {
    if (isKeelsonError(error, "NotFound", "Forbidden")) return undefined;
    throw error;
  }
}

/**
 * One pass, as the daemon would make it: leadership and holds are respected, the admission controls go first.
 *
 * @throws KeelsonError `NotLeader` or `AnotherInstance`, with nothing written
 */
export async function applyPass(ports: PassPorts, options: PassOptions, signal: AbortSignal): Promise<ApplyReport> {
  const { client, clock, log, admission } = ports;
  if (!options.isForced) await requireLead(ports, options, signal);
  const load = (when: AbortSignal): Promise<ManifestSnapshot> => admission.load(when);
  const note = (entry: Entry): void => ports.journal?.append(entry);
  const controls = applyAdmissionControls({ client, clock, log, load, note }, signal);
  // Who does not wait for them leaves their retries to the next pass.
  controls.done.catch(() => {});
  const failed = await (options.admissionWait ? controls.done : controls.firstTry);
  const refused = failed.map(({ file, error }) => ({ file, line: 0, message: `admission control: ${error.message}` }));
  return execute(ports, options, { looked: await look(ports, options, signal), refused, signal });
}

/**
 * One pass that takes the steps of a plan and no others, each on the very version of the object that was planned for.
 * The admission controls are not part of a plan.
 *
 * @throws KeelsonError `PlanStale`, with what moved and nothing written; `NotLeader` or `AnotherInstance` as {@link applyPass}
 */
export async function applyPlannedPass(
  ports: PassPorts,
  options: PassOptions & { readonly plan: BoundPlan; readonly planFrom: string },
  signal: AbortSignal,
): Promise<ApplyReport> {
  const { plan, planFrom } = options;
  if (!options.isForced) await requireLead(ports, options, signal);
  const compared = new Set<string>();
  const looked = await look(ports, options, signal, admitPlanned(plan, compared));
  const moved = whatMoved(plan, await reportPlan(looked, { client: ports.client, options, signal }));
  if (moved.length > 0) throw stalePlan(planFrom, moved);
  for (const { key } of looked.engine.plan().steps) compared.add(key);
  return execute(ports, options, { looked, refused: [], signal });
}

async function execute(
  ports: PassPorts,
  options: PassOptions,
  pass: { readonly looked: Looked; readonly refused: readonly ProblemReport[]; readonly signal: AbortSignal },
): Promise<ApplyReport> {
  const { looked, refused, signal } = pass;
  const { engine, changes, snapshot, addons, hold, applySet } = looked;
  const planned: Plan = engine.plan();
  await applySet?.begin(engine, signal);
  engine.lead(signal);
  await settle(engine, ports.clock, signal);
  await applySet?.settled();
  const revision = await saveRevision(ports, options, { looked, signal });
  const left = engine.plan();
  await saveStatus(ports, options, { looked, revision, left, signal });
  const status = engine.status(left);
  const problems = [...refused, ...problemReports(snapshot, status, applySet?.problem)];
  const held = heldReport(left.kept);
  const { root } = snapshot;
  const omitted = omittedReport(addons);
  const report = applyReport({ planned, changes, status, problems, held, omitted, root });
  return hold === undefined ? report : { ...report, hold: holdReport(hold) };
}

/** The number of the newest revision, after the set that was applied has become one where it is new. */
async function saveRevision(
  { clock, log, journal }: PassPorts,
  { revisions, instance }: PassOptions,
  pass: { readonly looked: Looked; readonly signal: AbortSignal },
): Promise<number | undefined> {
  if (revisions === undefined || revisions.limit === 0) return undefined;
  const { engine, store, hold } = pass.looked;
  const recorder = new RevisionRecorder({
    store,
    engine,
    clock,
    log,
    said: new ChangeLog(log),
    instance,
    limit: revisions.limit,
    declarations: { hold, cause: hold === undefined ? undefined : describeRollback(hold) },
    journal,
    onRevision: () => {},
  });
  await recorder.flush(pass.signal).catch((error: unknown) => {
    if (!(error instanceof KeelsonError) || error.code === "Aborted") throw error;
    log.warn(`cannot store a revision: ${error.message}`);
  });
  return recorder.newest;
}

/** Reads files and cluster; writes nothing. */
export async function look(
  ports: PassPorts,
  options: PassOptions,
  signal: AbortSignal,
  admit?: EngineOptions["admit"],
): Promise<Looked> {
  const { client, clock, source, log } = ports;
  const said = new ChangeLog(log);
  const names = namesOf(options.set);
  await waitUntilQuiet(options, clock, signal);
  const [snapshot, stored, control] = await Promise.all([
    source.load(signal),
    readOwn(client, names.statusConfigMap, signal),
    readOwn(client, names.controlConfigMap, signal),
  ]);
  const { hold, pauses, confirmation } = control === undefined ? NOTHING_SAID : parseControl(control);
  const changes: Change[] = [];
  const listener: EngineListener = {
    ...SILENT,
    onChange: (change) => {
      changes.push(change);
      ports.journal?.append(changeEntry(change, undefined));
    },
    onAvailability: ({ kind }, error) => {
      if (error === undefined) return;
      said.report({ key: kind, level: "warn", message: `${kind} cannot be listed: ${error.message}; none is pruned` });
    },
  };
  // The directory has been quiet for long enough: nothing of it has just left.
  const prune = { ...options.prune, settleMs: 0 };
  const state = decodeState(stored?.data[STATE_KEY]);
  const engineOptions = { prune, listener, ...(admit === undefined ? {} : { admit }) };
  const { tooling } = options;
  const applySet = tooling === undefined ? undefined : new ApplySetKeeper({ client, clock, said, names, tooling });
  await applySet?.open(signal);
  const identity = addonIdentity(names, applySet);
  const engine = new Engine({ client, clock, identity }, engineOptions, state);
  engine.start(signal, "list");
  const addons = desiredAddons(snapshot, applySet?.id);
  const namespace = options.revisions?.namespace ?? SYSTEM_NAMESPACE;
  const store = new RevisionStore({ client, set: options.set, namespace });
  await engine.declare(
    hold === undefined ? addons.input : await heldSet({ store, hold, broken: addons.input.broken }, signal),
  );
  const inForce = pauses.filter(({ until }) => until > clock.now());
  if (inForce.length > 0) engine.setPauses(pausedUntil(inForce));
  await engine.sync(signal);
  const digest = confirmedDigest({ ...NOTHING_SAID, confirmation }, clock.now());
  const { kept } = engine.plan();
  if (digest !== undefined && heldDigest(kept) === digest) {
    engine.confirm(kept.filter(({ isConfirmable }) => isConfirmable).map(({ live }) => live.uid));
  }
  return { engine, names, snapshot, addons, stored, changes, store, hold, pauses: inForce, identity, applySet };
}

async function heldSet(
  from: { readonly store: RevisionStore; readonly hold: Hold; readonly broken: readonly string[] },
  signal: AbortSignal,
): Promise<DesiredInput> {
  const { store, hold, broken } = from;
  try {
    return heldInput(await store.load(hold.revision, signal), { cause: describeRollback(hold), broken });
  } catch (error) {
    if (!isKeelsonError(error, "NotFound", "Unreadable")) throw error;
    const message = `revision ${hold.revision} is held by ${hold.by}, and cannot be: ${error.message}; keelson resume goes back to the directory`;
    throw new KeelsonError("Refused", message, { cause: error });
  }
}

const SILENT: EngineListener = {
  onChange: () => {},
  onStatus: () => {},
  onAvailability: () => {},
  onReachable: () => {},
  onFight: () => {},
  onUnserved: () => {},
  onSelfCheckMiss: () => {},
};

/** Runs until nothing is left that could be done now: custom resources wait for their CRD, conflicts are looked at again. */
async function settle(engine: Engine, clock: Clock, signal: AbortSignal): Promise<void> {
  const deadline = clock.monotonic() + DEPENDENCIES_WITHIN_MS;
  await engine.pass();
  await engine.whenIdle();
  while (clock.monotonic() < deadline && (mayComeSoon(engine.desired) || engine.hasQuickRetries())) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    await engine.whenIdle();
  }
}

/** Whether an object waits for a CustomResourceDefinition that is in the same set. */
function mayComeSoon(desired: DesiredSet): boolean {
  const waiting = [...desired.objects.values()].filter(({ resource }) => resource === undefined);
  return waiting.some(({ ref }) =>
    [...desired.objects.values()].some(
      (each) => each.ref.kind === "CustomResourceDefinition" && each.ref.name.endsWith(`.${ref.group}`),
    ),
  );
}

async function saveStatus(
  ports: PassPorts,
  options: PassOptions,
  pass: {
    readonly looked: Looked;
    readonly revision: number | undefined;
    /** What is left to do after the pass. */
    readonly left: Plan;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { client, clock, log } = ports;
  const { engine, names, snapshot, addons, stored, hold, pauses, applySet } = pass.looked;
  const { set, instance, path } = options;
  const memory = new ChangeMemory();
  memory.restore(stored?.data[STATUS_KEY]);
  for (const change of pass.looked.changes) memory.note(change);
  const overview = overviewOf(engine, { plan: pass.left, memory, leader: undefined, clock });
  const writer = new StatusWriter(
    {
      client,
      clock,
      names,
      report: () =>
        statusReport({
          set,
          instance,
          path,
          engine: engine.status(pass.left),
          addons,
          snapshot,
          now: clock.now(),
          overview,
          revision: pass.revision,
          hold: hold === undefined ? undefined : holdReport(hold),
          pauses: pauses.map(pauseReport),
          applySet: applySet?.problem,
        }),
      state: () => engine.state(),
      onError: () => {},
    },
    stored,
  );
  await writer.flush(pass.signal).catch((error: unknown) => {
    if (!(error instanceof KeelsonError) || error.code === "Aborted") throw error;
    log.warn(`cannot write ${names.statusConfigMap}: ${error.message}`);
  });
}
