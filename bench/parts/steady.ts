import { pause } from "../../test/control-plane/eventually.ts";
import { markRequests } from "../bed.ts";
import { countRequests, listOf, type RequestCounts } from "../requests.ts";
import type { Section } from "../results.ts";
import type { Session } from "./daemon.ts";

export interface SteadySample {
  readonly size: number;
  readonly requests: RequestCounts;
  readonly listing: readonly string[];
  readonly cpuSeconds: number;
}

const barCpuSeconds = 0.3;

/** What the daemon asks and burns while nothing happens. */
export async function measureSteady({ bed, daemon, load, settings }: Session): Promise<SteadySample> {
  settings.progress(`daemon, N=${load.objects.length}: ${settings.steadySeconds} s of nothing`);
  const since = await markRequests(bed);
  const cpuBefore = daemon.cpuSeconds();
  await pause(settings.steadySeconds * 1000);
  const cpuSeconds = daemon.cpuSeconds() - cpuBefore;
  const requests = await since();
  return { size: load.objects.length, requests: countRequests(requests), listing: listOf(requests), cpuSeconds };
}

export function steadySection(samples: readonly SteadySample[], seconds: number): Section {
  return {
    part: "steady",
    title: "Daemon, steady state",
    method: `${seconds} s of a converged daemon with the default interval of 60 s, so at least one pass is among them.`,
    figures: samples.flatMap(({ size, requests, cpuSeconds }) => {
      const name = `steady state, ${seconds} s, N=${size}`;
      const asked = requests.total - requests.watches;
      return [
        {
          name,
          bar: "0 requests but watch renewals, 0 writes",
          measured: `${asked} requests, ${requests.writes} of them writes`,
          isMet: asked === 0,
        },
        {
          name,
          bar: `≤ ${barCpuSeconds} s CPU`,
          measured: `${cpuSeconds.toFixed(2)} s`,
          isMet: cpuSeconds <= barCpuSeconds + 1e-9,
        },
      ];
    }),
    tables: [
      {
        title: "Requests and CPU",
        columns: ["N", "watch renewals", "other requests", "writes", "own", "CPU s"],
        rows: samples.map(({ size, requests, cpuSeconds }) => [
          String(size),
          String(requests.watches),
          String(requests.total - requests.watches),
          String(requests.writes),
          String(requests.own),
          cpuSeconds.toFixed(2),
        ]),
      },
    ],
    notes: [
      "`own` are requests for Keelson's own Lease, ConfigMaps and Events, which are counted apart.",
      ...samples.flatMap(({ size, listing }) => listing.slice(0, 5).map((line) => `N=${size}: asked \`${line}\`.`)),
    ],
  };
}
