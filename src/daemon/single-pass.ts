import { readFile } from "node:fs/promises";
import { systemClock } from "../async/index.ts";
import {
  type ApplyReport,
  applyPass,
  applyPlannedPass,
  type ConfirmReport,
  type ExplainReport,
  explainPass,
  type FsckReport,
  fsckPass,
  type LintReport,
  lintReport,
  namesOf,
  type PassOptions,
  type PassPorts,
  type PlanReport,
  parseBoundPlan,
  planPass,
  staleConfirmation,
  writeConfirmation,
} from "../controllers/addon/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import { type Journal, RevisionStore } from "../history/index.ts";
import type { KubeClient } from "../kube/index.ts";
import { buildElector, instanceName } from "./connect.ts";
import { openJournal } from "./journal.ts";
import type { OperationIo } from "./operations.ts";
import { prunePolicy } from "./prune-policy.ts";
import type { Settings } from "./settings.ts";
import { addonSource, admissionSource } from "./sources.ts";
import { readStatus } from "./status.ts";
import { whoAsks } from "./who.ts";
import { withClient } from "./with-client.ts";

/** What one pass would do. Writes nothing. */
export async function planOnce(settings: Settings, io: OperationIo): Promise<PlanReport> {
  return withClient(settings, io, (client) =>
    planPass(passPorts(settings, io, client), passOptions(settings, io), io.signal),
  );
}

/** One object: its document, what a pass would do about it, and who owns its fields. Writes nothing. */
export async function explain(settings: Settings, object: string, io: OperationIo): Promise<ExplainReport> {
  return withClient(settings, io, (client) =>
    explainPass(passPorts(settings, io, client), { ...passOptions(settings, io), object }, io.signal),
  );
}

/** What does not fit together between directory, cluster, ownership and history; with `isFixing` what is safe is mended. */
export async function fsck(settings: Settings, isFixing: boolean, io: OperationIo): Promise<FsckReport> {
  const { set, revisionNamespace: namespace } = settings;
  return withClient(settings, io, (client) => {
    const history = new RevisionStore({ client, set, namespace });
    return fsckPass(passPorts(settings, io, client), { ...passOptions(settings, io), isFixing, history }, io.signal);
  });
}

/** One pass. */
export async function applyOnce(settings: Settings, io: OperationIo): Promise<ApplyReport> {
  return withClient(settings, io, (client) => {
    const options = passOptions(settings, io);
    return withJournal(openJournal(settings, io.log, options.instance), (journal) =>
      applyPass({ ...passPorts(settings, io, client), journal }, options, io.signal),
    );
  });
}

/** Calls `work` with the journal of this process, which is written and closed afterwards. */
async function withJournal<T>(journal: Journal, work: (journal: Journal) => Promise<T>): Promise<T> {
  try {
    return await work(journal);
  } finally {
    journal.close();
  }
}

/** The steps of a plan, and no others; from its own directory unless `settings` name the one that was asked for. */
export async function applyPlan(
  settings: Settings,
  source: { readonly plan: string; readonly isDirectoryGiven: boolean },
  io: OperationIo,
): Promise<ApplyReport> {
  const plan = parseBoundPlan(await readPlan(source.plan), source.plan);
  const placed = source.isDirectoryGiven ? settings : { ...settings, addonPath: plan.path };
  return withClient(placed, io, (client) => {
    const options = { ...passOptions(placed, io), plan, planFrom: source.plan };
    return withJournal(openJournal(placed, io.log, options.instance), (journal) =>
      applyPlannedPass({ ...passPorts(placed, io, client), journal }, options, io.signal),
    );
  });
}

async function readPlan(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new KeelsonError("Unreadable", `cannot read the plan ${path}: ${messageOf(cause)}`, { cause, object: path });
  }
}

/** Reads the directory; needs no cluster. */
export async function lint(settings: Settings, io: OperationIo): Promise<LintReport> {
  return lintReport(await addonSource(settings).load(io.signal));
}

/** Releases the held objects that `digest` covers. */
export async function confirmPrune(settings: Settings, digest: string, io: OperationIo): Promise<ConfirmReport> {
  return withClient(settings, io, async (client) => {
    const { held } = await readStatus(client, settings, io);
    if (held.digest !== digest) throw staleConfirmation(digest, held.digest);
    const at = new Date(systemClock.now()).toISOString();
    const { signal } = io;
    const by = await whoAsks(client, io.environment, signal);
    await writeConfirmation(client, namesOf(settings.set), { digest, at, by, signal });
    return { digest, released: held.objects.filter(({ confirmable }) => confirmable) };
  });
}

function passPorts(settings: Settings, io: OperationIo, client: KubeClient): PassPorts {
  return {
    client,
    clock: systemClock,
    log: io.log,
    source: addonSource(settings),
    admission: admissionSource(settings),
    elector: settings.leaderElect === "always" ? undefined : buildElector(settings, client, io.log),
  };
}

/** How a single pass works. */
export function passOptions(settings: Settings, io: OperationIo): PassOptions {
  return {
    path: settings.addonPath,
    set: settings.set,
    instance: instanceName(settings),
    prune: prunePolicy(settings),
    settleMs: settings.settleMs,
    isForced: settings.forceLeader,
    isUnelected: settings.leaderElect === "always",
    admissionWait: settings.admissionWait,
    revisions: { namespace: settings.revisionNamespace, limit: settings.revisions },
    tooling: settings.applySet ? toolingOf(io) : undefined,
  };
}

/** This program, as the parent of an ApplySet names who keeps it. */
export function toolingOf({ version }: Pick<OperationIo, "version">): string {
  return `keelson/v${version}`;
}
