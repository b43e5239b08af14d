// "history": what revisions and journal add to the first convergence.
import { join } from "node:path";
import { withBed } from "../bed.ts";
import { Daemon } from "../keelson.ts";
import { LiveView } from "../live-view.ts";
import { type Load, writeLoad } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Section } from "../results.ts";
import { median, spread } from "../statistics.ts";

const size = 500;
const barPercent = 10;
/** No revisions, and a state directory that can never be made: no line is written. */
const without = { KEELSON_REVISIONS: "0", KEELSON_STATE_DIR: "/proc/keelson" };

export async function measureHistory(settings: Settings): Promise<readonly Section[]> {
  const load = writeLoad(join(settings.workspace, "history"), size);
  const samples = { with: [] as Sample[], without: [] as Sample[] };
  for (let round = 1; round <= settings.rounds; round += 1) {
    settings.progress(`history, round ${round}`);
    samples.without.push(await converge(load, without));
    samples.with.push(await converge(load, {}));
  }
  return [section(samples)];
}

interface Sample {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

function converge(load: Load, environment: Readonly<Record<string, string>>): Promise<Sample> {
  return withBed(async (bed) => {
    const view = await LiveView.open(bed.client);
    const daemon = await Daemon.start({ bed, directory: load.directory, environment });
    try {
      const doneAt = await view.untilCount(load.objects.length);
      return { wallSeconds: (doneAt - daemon.startedAt) / 1000, cpuSeconds: daemon.cpuSeconds() };
    } finally {
      await daemon.stop();
    }
  });
}

function section(samples: { readonly with: readonly Sample[]; readonly without: readonly Sample[] }): Section {
  const wall = (of: readonly Sample[]): readonly number[] => of.map(({ wallSeconds }) => wallSeconds);
  const cpu = (of: readonly Sample[]): readonly number[] => of.map(({ cpuSeconds }) => cpuSeconds);
  const added = (median(wall(samples.with)) / median(wall(samples.without)) - 1) * 100;
  return {
    part: "history",
    title: "What history and journal add",
    method: `A daemon's first convergence of ${size} objects with its defaults, and without revisions and journal, in turn on fresh control planes. Medians (least–greatest).`,
    figures: [
      {
        name: `history and journal, first convergence, N=${size}`,
        bar: `≤ ${barPercent} %`,
        measured: `${added.toFixed(0)} %`,
        isMet: added <= barPercent,
      },
    ],
    tables: [
      {
        title: "First convergence",
        columns: ["daemon", "wall s", "CPU s"],
        rows: [
          ["with history and journal", spread(wall(samples.with)), spread(cpu(samples.with))],
          ["without", spread(wall(samples.without)), spread(cpu(samples.without))],
        ],
      },
    ],
    notes: [],
  };
}
