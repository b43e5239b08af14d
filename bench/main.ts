/**
 * The bench: what Keelson costs, beside what else can apply a directory. `npm run bench -- --help` tells its flags.
 *
 * Invariants: each measurement has a fresh, quiet control plane; requests are counted by the API server's audit log and
 * times by watches of the bench's own client, never by the program under test; it prints and judges nothing by exit
 * code, for times depend on the machine.
 *
 * `passes` runs whole passes of all contenders, `daemon`, `memory` and `serving` a running daemon, `program` the program alone,
 * `sandbox` the built-in API server beside the real one, `sriov` the other controller.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BenchError, messageOf } from "./errors.ts";
import { keelsonProgram } from "./keelson.ts";
import { help, parseOptions, type Settings } from "./options.ts";
import { measureDaemonParts } from "./parts/daemon.ts";
import { measureHistory } from "./parts/history.ts";
import { measureMemory } from "./parts/memory.ts";
import { measurePasses } from "./parts/passes.ts";
import { measureProgram } from "./parts/program.ts";
import { measureSandbox } from "./parts/sandbox.ts";
import { measureServing } from "./parts/serving.ts";
import { measureSriov } from "./parts/sriov.ts";
import { loadAverage } from "./process-tree.ts";
import { describeMachine, type PartName, partNames, renderSections, type Section, saveSections } from "./results.ts";

const groups: readonly {
  readonly parts: readonly PartName[];
  readonly measure: (settings: Settings) => Promise<readonly Section[]>;
}[] = [
  { parts: ["version"], measure: measureProgram },
  { parts: ["first", "one-pass"], measure: measurePasses },
  { parts: ["steady", "drift", "file", "restart"], measure: measureDaemonParts },
  { parts: ["rss"], measure: measureMemory },
  { parts: ["serving"], measure: measureServing },
  { parts: ["history"], measure: measureHistory },
  { parts: ["sandbox"], measure: measureSandbox },
  { parts: ["sriov"], measure: measureSriov },
];

const workspace = mkdtempSync(join(tmpdir(), "keelson-bench-load-"));
try {
  const args = process.argv.slice(2);
  const settings = parseOptions(args, workspace);
  if (settings) await run(settings, args);
  else process.stdout.write(help);
} catch (error) {
  process.stderr.write(`bench: ${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

async function run(settings: Settings, args: readonly string[]): Promise<void> {
  if (!existsSync(keelsonProgram)) throw new BenchError("bin/keelson is not there");
  const load = loadAverage();
  settings.progress(`${describeMachine()}; load average at the start: ${load}`);
  const measured: Section[] = [];
  for (const { parts, measure } of groups) {
    if (!parts.some((part) => settings.parts.includes(part))) continue;
    const sections = await measure(settings);
    measured.push(...sections);
    // After each group, so that a run that is ended in between leaves what it has measured.
    if (settings.isSaved)
      saveSections(sections, { command: ["npm run bench --", ...withoutOnly(args)].join(" "), load });
  }
  measured.sort((a, b) => partNames.indexOf(a.part) - partNames.indexOf(b.part));
  process.stdout.write(`${renderSections(measured)}\n`);
}

/** The flags of this run, without the choice of parts: each part's section names its own. */
function withoutOnly(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => !/^--only(=|$)/.test(arg) && args[at - 1] !== "--only");
}
