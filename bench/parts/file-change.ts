import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../../test/control-plane/eventually.ts";
import type { Live } from "../api-client.ts";
import { BenchError } from "../errors.ts";
import { renderFile } from "../load.ts";
import type { Section } from "../results.ts";
import { quantile } from "../statistics.ts";
import type { Session } from "./daemon.ts";

export interface FileSample {
  readonly size: number;
  readonly milliseconds: readonly number[];
}

/** The default settle time. */
const settleMs = 250;
const barMs: number = settleMs + 150;

/** Writes files anew, one after the other, and waits until what changed is in the cluster. */
export async function measureFileChanges({ load, view, settings }: Session): Promise<FileSample> {
  settings.progress(`daemon, N=${load.objects.length}: ${settings.fileChanges} changed files`);
  const configMaps = load.objects.filter(({ kind, mode }) => kind === "ConfigMap" && mode === "Reconcile");
  const milliseconds: number[] = [];
  for (let change = 0; change < settings.fileChanges; change += 1) {
    const object = configMaps[change % configMaps.length];
    if (!object) throw new BenchError("the load has no ConfigMap to change");
    const value = `change ${change}`;
    const inFile = load.objects.filter(({ file }) => file === object.file);
    const isRestored = ({ data }: Live): boolean => (data as { readonly setting?: string }).setting === value;
    const applied = view.untilChanged({ object, isRestored });
    writeFileSync(join(load.directory, object.file), renderFile(inFile, value));
    const writtenAt = performance.now();
    const seenAt = await applied;
    if (seenAt === undefined) throw new BenchError(`${object.file} was changed, and not applied in 10 s`);
    milliseconds.push(seenAt - writtenAt);
    await pause(100);
  }
  return { size: load.objects.length, milliseconds };
}

export function fileSection(samples: readonly FileSample[]): Section {
  return {
    part: "file",
    title: "File changed → applied",
    method:
      `A file is written anew with another value in its ConfigMap: milliseconds until a watch sees the value, of which ` +
      `${settleMs} are the settle time.`,
    figures: samples.map(({ size, milliseconds }) => {
      const most = quantile(milliseconds, 1);
      return {
        name: `file changed → applied, N=${size}`,
        bar: `≤ ${barMs} ms (settle time + 150)`,
        measured: `${quantile(milliseconds, 0.5).toFixed(0)} ms, at most ${most.toFixed(0)}`,
        isMet: most <= barMs,
      };
    }),
    tables: [
      {
        title: "Milliseconds until it is applied",
        columns: ["N", "changes", "p50", "p90", "most"],
        rows: samples.map(({ size, milliseconds }) => [
          String(size),
          String(milliseconds.length),
          ...[0.5, 0.9, 1].map((share) => quantile(milliseconds, share).toFixed(0)),
        ]),
      },
    ],
    notes: [],
  };
}
