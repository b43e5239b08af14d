// "version": the program alone.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../test/control-plane/binaries.ts";
import { keelsonProgram } from "../keelson.ts";
import type { Settings } from "../options.ts";
import type { Section } from "../results.ts";
import { type PassCost, runPass } from "../run-pass.ts";
import { median, spread } from "../statistics.ts";

const runs = 15;
const barMs = 150;
const barBytes = 1_000_000;
const barDependencies = 8;

export async function measureProgram({ progress }: Settings): Promise<readonly Section[]> {
  progress("keelson version");
  const costs: PassCost[] = [];
  for (let run = 0; run <= runs; run += 1) {
    costs.push(await runPass([{ program: keelsonProgram, args: ["version"], environment: process.env }]));
  }
  // The first one brings the files into the page cache.
  const milliseconds = costs.slice(1).map(({ wallSeconds }) => wallSeconds * 1000);
  const bytes = bundleBytes();
  const dependencies = directDependencies();
  return [
    {
      part: "version",
      title: "The program",
      method: `\`keelson version\`, ${runs} times, process start included: median (least–greatest).`,
      figures: [
        {
          name: "keelson version",
          bar: `≤ ${barMs} ms`,
          measured: `${median(milliseconds).toFixed(0)} ms`,
          isMet: median(milliseconds) <= barMs,
        },
        { name: "bundle", bar: "≤ 1 MB", measured: `${(bytes / 1e6).toFixed(2)} MB`, isMet: bytes <= barBytes },
        {
          name: "direct runtime dependencies",
          bar: `≤ ${barDependencies}`,
          measured: String(dependencies.length),
          isMet: dependencies.length <= barDependencies,
        },
      ],
      tables: [
        {
          title: "Start, size, dependencies",
          columns: ["keelson version ms", "bundle bytes", "direct runtime dependencies"],
          rows: [[spread(milliseconds, 0), String(bytes), dependencies.join(", ")]],
        },
      ],
      notes: [],
    },
  ];
}

/** What the daemon loads: the program and the metrics. The API server of the sandbox and the library are files apart. */
function bundleBytes(): number {
  return ["keelson.js", "program.cjs", "metrics.cjs"].reduce(
    (total, file) => total + statSync(join(repositoryRoot, "dist", file)).size,
    0,
  );
}

function directDependencies(): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies ?? {});
}
