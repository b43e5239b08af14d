// "sandbox": the built-in API server beside the real one.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withBed } from "../bed.ts";
import { buildPeer } from "../build-peer.ts";
import { BenchError } from "../errors.ts";
import { keelsonProgram } from "../keelson.ts";
import { writeLoad } from "../load.ts";
import type { Settings } from "../options.ts";
import { residentMegabytesOf } from "../process-tree.ts";
import type { Section } from "../results.ts";
import { runPass } from "../run-pass.ts";
import { median, spread } from "../statistics.ts";

const size = 500;
const rounds = 5;
const largeSize = 10_000;
const readyWithinMs = 120_000;
const bar = { readyMs: 300, ratio: 3, megabytes: 150 };

export async function measureSandbox(settings: Settings): Promise<readonly Section[]> {
  const floor = buildPeer("floor");
  if (floor.kind === "missing") return [];
  const { directory } = writeLoad(join(settings.workspace, "sandbox"), size);
  const apply = async (kubeconfig: string, home: string): Promise<number> => {
    const environment = { ...process.env, HOME: home, KUBECONFIG: kubeconfig };
    const { wallSeconds } = await runPass([{ program: floor.path, args: [directory], environment }]);
    return size / wallSeconds;
  };
  const real: number[] = [];
  const ours: number[] = [];
  const ready: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    settings.progress(`sandbox, round ${round}: applies a second`);
    real.push(await withBed(({ kubeconfigPath, home }) => apply(kubeconfigPath, home)));
    await withSandbox([], async (sandbox) => {
      ready.push(sandbox.readyMs);
      ours.push(await apply(sandbox.kubeconfig, sandbox.home));
    });
  }
  settings.progress(`sandbox: ${largeSize} objects`);
  const large = writeLoad(join(settings.workspace, "sandbox-large"), largeSize).directory;
  const megabytes = await withSandbox(["--load", large], async ({ pid }) => residentMegabytesOf(pid));
  return [section({ real, ours, ready, megabytes })];
}

interface Samples {
  readonly real: readonly number[];
  readonly ours: readonly number[];
  readonly ready: readonly number[];
  readonly megabytes: number;
}

function section({ real, ours, ready, megabytes }: Samples): Section {
  const ratio = median(ours) / median(real);
  return {
    part: "sandbox",
    title: "The built-in API server",
    method: `${size} server-side applies, 16 at a time, by the same client on a fresh server: objects a second, medians (least–greatest) of ${rounds}. Ready: from the start of the process until its kubeconfig is printed. Memory: resident with ${largeSize} objects loaded.`,
    figures: [
      {
        name: "sandbox, server-side applies a second",
        bar: `≥ ${bar.ratio} × the real one`,
        measured: `${ratio.toFixed(1)} ×`,
        isMet: ratio >= bar.ratio,
      },
      {
        name: "sandbox, ready",
        bar: `≤ ${bar.readyMs} ms`,
        measured: `${median(ready).toFixed(0)} ms`,
        isMet: median(ready) <= bar.readyMs,
      },
      {
        name: `sandbox, ${largeSize} objects`,
        bar: `≤ ${bar.megabytes} MB`,
        measured: `${megabytes.toFixed(0)} MB`,
        isMet: megabytes <= bar.megabytes,
      },
    ],
    tables: [
      {
        title: "Server-side applies a second",
        columns: ["server", "applies/s", "× kube-apiserver"],
        rows: [
          ["keelson sandbox", spread(ours, 0), ratio.toFixed(1)],
          ["kube-apiserver 1.37 with etcd", spread(real, 0), "1.0"],
        ],
      },
    ],
    notes: [],
  };
}

interface Sandbox {
  readonly kubeconfig: string;
  readonly home: string;
  readonly pid: number;
  readonly readyMs: number;
}

async function withSandbox<T>(args: readonly string[], measure: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "keelson-bench-"));
  mkdirSync(join(home, ".cache"));
  const startedAt = performance.now();
  const child = spawn(keelsonProgram, ["sandbox", ...args], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const kubeconfig = await printedKubeconfig(child);
    return await measure({ kubeconfig, home, pid: child.pid ?? 0, readyMs: performance.now() - startedAt });
  } finally {
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

function printedKubeconfig(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new BenchError("the sandbox does not become ready"));
    const timer = setTimeout(fail, readyWithinMs);
    child.once("close", fail);
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const path = /^KUBECONFIG=(.+)$/m.exec(text)?.[1];
      if (path === undefined) return;
      clearTimeout(timer);
      resolve(path);
    });
  });
}
