// "serving": what probes, metrics and pages cost a daemon, beside one that serves nothing.
import { get } from "node:http";
import { join } from "node:path";
import { pause } from "../../test/control-plane/eventually.ts";
import { markRequests, untilQuiet, withBed } from "../bed.ts";
import { BenchError, messageOf } from "../errors.ts";
import { Daemon } from "../keelson.ts";
import { LiveView } from "../live-view.ts";
import { writeLoad } from "../load.ts";
import type { Settings } from "../options.ts";
import { countRequests } from "../requests.ts";
import type { Section } from "../results.ts";
import { median } from "../statistics.ts";

/** One daemon, from its start until it has been left alone, or scraped, for a while. */
interface ServingSample {
  readonly isServing: boolean;
  readonly residentMegabytes: number;
  readonly cpuSeconds: number;
  /** Without watch renewals and self-checks. */
  readonly requests: number;
  /** Milliseconds of each scrape; none where nothing is served. */
  readonly scrapes: readonly number[];
}

const barMegabytes = 8;
/** Prometheus' default is a minute; this is what busy sites choose. */
const scrapeEveryMs = 5_000;
const settleMs = 10_000;
/** Daemons of each sort, in turns, so that a machine that grows busy meanwhile slows both. */
const turns = 3;

export async function measureServing(settings: Settings): Promise<readonly Section[]> {
  const [size = 500] = settings.memorySizes;
  const load = writeLoad(join(settings.workspace, `serving-${size}`), size);
  try {
    const samples = await withBed(async (bed) => {
      const view = await LiveView.open(bed.client);
      const taken: ServingSample[] = [];
      for (let turn = 0; turn < turns; turn++) {
        for (const isServing of [false, true]) {
          settings.progress(`serving, N=${size}: turn ${turn + 1} of ${turns}, ${isServing ? "served" : "off"}`);
          const daemon = await Daemon.start({ bed, directory: load.directory, isServing });
          try {
            await view.untilCount(size);
            // One that serves nothing cannot tell when it has taken everything in: both are given the same time.
            if (isServing) await daemon.untilReady();
            await pause(settleMs);
            await untilQuiet(bed);
            const since = await markRequests(bed);
            const sample = await leaveAlone(daemon, isServing, settings.memoryPasses * 1000);
            const { total, watches, dryRuns } = countRequests(await since());
            taken.push({ ...sample, requests: total - watches - dryRuns });
          } finally {
            await daemon.stop();
          }
        }
      }
      return taken;
    });
    return [servingSection(size, samples)];
  } catch (error) {
    settings.progress(`serving, N=${size}: failed: ${messageOf(error)}`);
    return [{ ...servingSection(size, []), notes: [`N=${size}: failed: ${messageOf(error)}.`] }];
  }
}

async function leaveAlone(daemon: Daemon, isServing: boolean, forMs: number): Promise<Omit<ServingSample, "requests">> {
  const scrapes: number[] = [];
  const resident: number[] = [];
  const cpuBefore = daemon.cpuSeconds();
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    if (isServing) scrapes.push(await scrape(daemon.port));
    resident.push(daemon.residentMegabytes());
    await pause(Math.min(scrapeEveryMs, forMs / 5));
  }
  const cpuSeconds = daemon.cpuSeconds() - cpuBefore;
  return { isServing, residentMegabytes: median(resident.slice(-5)), cpuSeconds, scrapes };
}

/** Milliseconds to the last byte. */
function scrape(port: number): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = get({ host: "127.0.0.1", port, path: "/metrics", timeout: 10_000 }, (response) => {
      response.resume();
      if (response.statusCode === 200) response.once("end", () => resolve(performance.now() - startedAt));
      else reject(new BenchError(`/metrics: ${response.statusCode}`));
    });
    sent.once("timeout", () => sent.destroy());
    sent.once("error", reject);
  });
}

function servingSection(size: number, samples: readonly ServingSample[]): Section {
  const [off, on] = [false, true].map((isServing) => samples.filter((sample) => sample.isServing === isServing));
  const residentOf = (of: readonly ServingSample[] = []): number =>
    median(of.map((sample) => sample.residentMegabytes));
  const more = residentOf(on) - residentOf(off);
  const requests = Math.max(0, ...(on ?? []).map((sample) => sample.requests));
  return {
    part: "serving",
    title: "Daemon, serving",
    method:
      `Resident memory of a converged daemon with ${size} objects that serves its address and is scraped every ` +
      `${scrapeEveryMs / 1000} s, beside one with \`--http-address off\`; ${turns} of each in turns, medians.`,
    figures:
      samples.length === 0
        ? []
        : [
            {
              name: `serving, N=${size}`,
              bar: `≤ ${barMegabytes} MB more`,
              measured: `${more.toFixed(1)} MB`,
              isMet: more <= barMegabytes,
            },
            {
              name: `scraping, N=${size}`,
              bar: "0 requests but watch renewals and self-checks",
              measured: String(requests),
              isMet: requests === 0,
            },
          ],
    tables: [
      {
        title: "Each daemon",
        columns: ["serves", "resident MB", "CPU s", "requests", "scrape ms, median", "most"],
        rows: samples.map(({ isServing, residentMegabytes, cpuSeconds, requests: asked, scrapes }) => [
          isServing ? "yes" : "no",
          residentMegabytes.toFixed(1),
          cpuSeconds.toFixed(2),
          String(asked),
          isServing ? median(scrapes).toFixed(1) : "–",
          isServing ? Math.max(...scrapes).toFixed(1) : "–",
        ]),
      },
    ],
    notes: [],
  };
}
