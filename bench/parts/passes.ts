// "first" and "one-pass": what a single pass takes, of Keelson and of the peers, on fresh control planes in turn.
import { join } from "node:path";
import { type Bed, countLive, markRequests, untilQuiet, withBed } from "../bed.ts";
import { type Contender, findContenders, type Input } from "../contenders.ts";
import { BenchError, messageOf } from "../errors.ts";
import { Daemon } from "../keelson.ts";
import { LiveView } from "../live-view.ts";
import { type Load, writeChart, writeLoad } from "../load.ts";
import type { Settings } from "../options.ts";
import { countRequests, listOf, type RequestCounts } from "../requests.ts";
import type { Section } from "../results.ts";
import { type Command, type PassCost, runPass } from "../run-pass.ts";
import { firstSection, unchangedSection } from "./passes-report.ts";

export interface PassSample extends PassCost {
  readonly requests: RequestCounts;
  /** The requests that were no watches, one a line; only of Keelson. */
  readonly listing: readonly string[];
}

/** What was measured of one contender at one size. */
export interface Outcome {
  readonly name: string;
  readonly size: number;
  readonly isFloor: boolean;
  readonly isKeelson: boolean;
  readonly first: PassSample[];
  readonly unchanged: PassSample[];
  /** Why it has no figures, or fewer. */
  failure: string | undefined;
}

interface Job {
  readonly contender: Contender;
  readonly outcome: Outcome;
  readonly look: Outcome | undefined;
  readonly input: Input;
  readonly load: Load;
}

export async function measurePasses(settings: Settings): Promise<readonly Section[]> {
  const contenders = findContenders(settings.peers);
  const outcomes: Outcome[] = [];
  for (const size of settings.passSizes) outcomes.push(...(await measureSize(size, contenders, settings)));
  return [firstSection(outcomes), unchangedSection(outcomes)].filter(({ part }) => settings.parts.includes(part));
}

async function measureSize(
  size: number,
  contenders: readonly Contender[],
  settings: Settings,
): Promise<readonly Outcome[]> {
  const load = writeLoad(join(settings.workspace, `load-${size}`), size);
  const input = { directory: load.directory, chart: writeChart(join(settings.workspace, `chart-${size}`), size) };
  const main = size === settings.mainSize;
  const daemon = newOutcome("keelson run, until the last object is there", { size, isKeelson: true });
  const jobs = contenders
    .filter(({ isSlow }) => main || !isSlow)
    .map((contender): Job => {
      const { id, name, isFloor = false, look, program } = contender;
      const outcome = newOutcome(name, { size, isFloor, isKeelson: id === "keelson" });
      if (program.kind === "missing") outcome.failure = `skipped: ${program.why}`;
      return { contender, outcome, look: look && newOutcome(look.name, { size, isFloor: true }), input, load };
    });

  // Round by round, so that a slow spell of the machine falls on everybody.
  const rounds = main ? settings.rounds : 1;
  for (let round = 1; round <= rounds; round += 1) {
    for (const job of jobs) {
      const { isSlow, isFloor, id } = job.contender;
      const limit = isSlow ? 1 : isFloor || id === "keelson" ? rounds : Math.min(rounds, settings.peerRounds);
      if (job.outcome.failure !== undefined || round > limit) continue;
      settings.progress(`N=${size}, round ${round}: ${job.outcome.name}`);
      await measureJob(job, settings).catch((error: unknown) => fail(job.outcome, error));
    }
    if (daemon.failure !== undefined || !settings.parts.includes("first")) continue;
    settings.progress(`N=${size}, round ${round}: ${daemon.name}`);
    await measureDaemon(daemon, load).catch((error: unknown) => fail(daemon, error));
  }
  return [daemon, ...jobs.flatMap(({ outcome, look }) => (look ? [outcome, look] : [outcome]))];
}

async function measureJob(job: Job, { unchangedPasses, parts }: Settings): Promise<void> {
  const { contender, outcome, look, input, load } = job;
  if (contender.program.kind === "missing") return;
  const { path } = contender.program;
  await withBed(async (bed) => {
    outcome.first.push(await measurePass(bed, contender.onePass(bed, input, path)));
    const live = await countLive(bed);
    if (live !== load.objects.length) throw new BenchError(`${live} of ${load.objects.length} objects are there`);
    if (!parts.includes("one-pass")) return;
    await untilQuiet(bed);
    for (let pass = 1; pass <= (contender.isSlow ? 1 : unchangedPasses); pass += 1) {
      outcome.unchanged.push(await measurePass(bed, contender.onePass(bed, input, path)));
      if (look && contender.look) look.unchanged.push(await measurePass(bed, contender.look.onePass(bed, input, path)));
    }
  });
}

async function measurePass(bed: Bed, commands: readonly Command[]): Promise<PassSample> {
  const since = await markRequests(bed);
  const cost = await runPass(commands);
  const requests = await since();
  return { ...cost, requests: countRequests(requests), listing: listOf(requests) };
}

async function measureDaemon(outcome: Outcome, load: Load): Promise<void> {
  await withBed(async (bed) => {
    const view = await LiveView.open(bed.client);
    const since = await markRequests(bed);
    const daemon = await Daemon.start({ bed, directory: load.directory });
    try {
      const doneAt = await view.untilCount(load.objects.length);
      const requests = await since();
      outcome.first.push({
        wallSeconds: (doneAt - daemon.startedAt) / 1000,
        cpuSeconds: daemon.cpuSeconds(),
        peakMegabytes: daemon.peakMegabytes(),
        requests: countRequests(requests),
        listing: [],
      });
    } finally {
      await daemon.stop();
    }
  });
}

function newOutcome(
  name: string,
  { size, isFloor = false, isKeelson = false }: { size: number; isFloor?: boolean; isKeelson?: boolean },
): Outcome {
  return { name, size, isFloor, isKeelson, first: [], unchanged: [], failure: undefined };
}

function fail(outcome: Outcome, error: unknown): void {
  outcome.failure = `failed: ${messageOf(error)}`;
}
