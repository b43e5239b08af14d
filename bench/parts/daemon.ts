// "steady", "drift", "file" and "restart": one running daemon after the other, at each size.
import { join } from "node:path";
import { type Bed, untilQuiet, withBed } from "../bed.ts";
import { messageOf } from "../errors.ts";
import { Daemon } from "../keelson.ts";
import { LiveView } from "../live-view.ts";
import { type Load, writeLoad } from "../load.ts";
import type { Settings } from "../options.ts";
import type { PartName, Section } from "../results.ts";
import { type DriftSample, driftSection, measureDrift } from "./drift.ts";
import { type FileSample, fileSection, measureFileChanges } from "./file-change.ts";
import { measureRestart, type RestartSample, restartSection } from "./restart.ts";
import { measureSteady, type SteadySample, steadySection } from "./steady.ts";

/** A daemon that has converged, and what is around it. */
export interface Session {
  readonly bed: Bed;
  readonly daemon: Daemon;
  readonly view: LiveView;
  readonly load: Load;
  readonly settings: Settings;
}

interface Samples {
  readonly steady: SteadySample[];
  readonly drift: DriftSample[];
  readonly file: FileSample[];
  readonly restart: RestartSample[];
}

export async function measureDaemonParts(settings: Settings): Promise<readonly Section[]> {
  const samples: Samples = { steady: [], drift: [], file: [], restart: [] };
  const failures: string[] = [];
  for (const size of settings.daemonSizes) {
    const load = writeLoad(join(settings.workspace, `daemon-${size}`), size);
    await withBed((bed) => measureSize({ bed, load, settings }, samples)).catch((error: unknown) => {
      failures.push(`N=${size}: failed: ${messageOf(error)}.`);
      settings.progress(`daemon, N=${size}: failed: ${messageOf(error)}`);
    });
  }
  const sections = [
    steadySection(samples.steady, settings.steadySeconds),
    driftSection(samples.drift),
    fileSection(samples.file),
    restartSection(samples.restart),
  ];
  return sections
    .filter(({ part }) => settings.parts.includes(part))
    .map((section) => ({ ...section, notes: [...section.notes, ...failures] }));
}

async function measureSize(start: Omit<Session, "daemon" | "view">, samples: Samples): Promise<void> {
  const { bed, load, settings } = start;
  const size = load.objects.length;
  const wants = (part: PartName): boolean => settings.parts.includes(part);
  settings.progress(`daemon, N=${size}: first convergence`);
  const view = await LiveView.open(bed.client);
  const daemon = await Daemon.start({ bed, directory: load.directory });
  const session: Session = { ...start, daemon, view };
  try {
    await view.untilCount(size);
    await daemon.untilReady();
    await untilQuiet(bed);
    settings.progress(`daemon, N=${size}: has converged`);
    if (wants("steady")) samples.steady.push(await measureSteady(session));
    if (wants("drift")) samples.drift.push(await measureDrift(session));
    await untilQuiet(bed);
    if (wants("file")) samples.file.push(await measureFileChanges(session));
    await untilQuiet(bed);
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  if (wants("restart")) samples.restart.push(await measureRestart(session));
  else await daemon.stop();
}
