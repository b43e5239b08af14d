// "rss": the memory of a daemon that has converged by itself, over as many passes as an hour has.
import { join } from "node:path";
import { pause } from "../../test/control-plane/eventually.ts";
import { untilQuiet, withBed } from "../bed.ts";
import { messageOf } from "../errors.ts";
import { Daemon } from "../keelson.ts";
import { LiveView } from "../live-view.ts";
import { writeLoad } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Section } from "../results.ts";
import { median } from "../statistics.ts";

interface MemorySample {
  readonly size: number;
  /** MB, twice a second, from the moment on when everything was applied and quiet. */
  readonly resident: readonly number[];
  readonly peakMegabytes: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

const barsMegabytes: Readonly<Record<number, number>> = { 500: 75, 5000: 95, 20000: 150 };
/** Growth from the first third to the last that still counts as flat: what a collection more or less makes. */
const flatMegabytes = 5;

export async function measureMemory(settings: Settings): Promise<readonly Section[]> {
  const samples: MemorySample[] = [];
  const failures: string[] = [];
  for (const size of settings.memorySizes) {
    await measureSize(size, settings).then(
      (sample) => samples.push(sample),
      (error: unknown) => {
        failures.push(`N=${size}: failed: ${messageOf(error)}.`);
        settings.progress(`memory, N=${size}: failed: ${messageOf(error)}`);
      },
    );
  }
  return [{ ...memorySection(samples, settings), notes: failures }];
}

function measureSize(size: number, settings: Settings): Promise<MemorySample> {
  const load = writeLoad(join(settings.workspace, `memory-${size}`), size);
  return withBed(async (bed) => {
    settings.progress(`memory, N=${size}: first convergence`);
    const view = await LiveView.open(bed.client);
    const daemon = await Daemon.start({ bed, directory: load.directory, intervalSeconds: 1 });
    try {
      await view.untilCount(size);
      await daemon.untilReady();
      await untilQuiet(bed);
      settings.progress(`memory, N=${size}: ${settings.memoryPasses} passes`);
      const cpuBefore = daemon.cpuSeconds();
      const startedAt = performance.now();
      const resident: number[] = [];
      while (performance.now() - startedAt < settings.memoryPasses * 1000) {
        resident.push(daemon.residentMegabytes());
        await pause(500);
      }
      return {
        size,
        resident,
        peakMegabytes: daemon.peakMegabytes(),
        cpuSeconds: daemon.cpuSeconds() - cpuBefore,
        seconds: (performance.now() - startedAt) / 1000,
      };
    } finally {
      await daemon.stop();
    }
  });
}

function memorySection(samples: readonly MemorySample[], settings: Settings): Section {
  return {
    part: "rss",
    title: "Daemon, memory",
    method:
      `Resident memory (10^6 bytes) of a daemon that has applied everything itself, over ${settings.memoryPasses} ` +
      "passes, one a second: as many as an hour has. Peak is the most since its start, first convergence included.",
    figures: samples.flatMap(({ size, resident }) => {
      const bar = barsMegabytes[size];
      const end = median(resident.slice(-10));
      const growth = growthOf(resident);
      const name = `daemon RSS after an hour's worth of passes, N=${size}`;
      return bar === undefined
        ? []
        : [
            { name, bar: `≤ ${bar} MB`, measured: `${end.toFixed(0)} MB`, isMet: end <= bar },
            { name, bar: "flat", measured: `${growth.toFixed(1)} MB more`, isMet: growth <= flatMegabytes },
          ];
    }),
    tables: [
      {
        title: "Resident MB",
        columns: [
          "N",
          "once quiet",
          "at the end",
          "most meanwhile",
          "last third − first third",
          "peak",
          "CPU s a pass",
        ],
        rows: samples.map(({ size, resident, peakMegabytes, cpuSeconds, seconds }) => [
          String(size),
          (resident[0] ?? Number.NaN).toFixed(1),
          median(resident.slice(-10)).toFixed(1),
          Math.max(...resident).toFixed(1),
          growthOf(resident).toFixed(1),
          peakMegabytes.toFixed(1),
          (cpuSeconds / seconds).toFixed(3),
        ]),
      },
    ],
    notes: [],
  };
}

function growthOf(resident: readonly number[]): number {
  const third = Math.floor(resident.length / 3);
  return median(resident.slice(-third)) - median(resident.slice(0, third));
}
