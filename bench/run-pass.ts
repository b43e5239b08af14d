import { spawn } from "node:child_process";
import { BenchError } from "./errors.ts";
import { cpuSecondsOfEndedChildren, peakMegabytesOf } from "./process-tree.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Standard error of commands that may fail: the original's pass answers AlreadyExists with exit code 1. */
  readonly mayFail?: boolean;
}

/** What a pass took, of its whole process tree. */
export interface PassCost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

const passTimeoutMs = 300_000;

/** Runs commands one after the other and tells what they took together. */
export async function runPass(commands: readonly Command[]): Promise<PassCost> {
  const cpuBefore = cpuSecondsOfEndedChildren();
  const startedAt = performance.now();
  let peakMegabytes = 0;
  for (const command of commands) peakMegabytes = Math.max(peakMegabytes, await runCommand(command));
  return {
    wallSeconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: cpuSecondsOfEndedChildren() - cpuBefore,
    peakMegabytes,
  };
}

/** @returns its peak memory, looked at every 50 ms. */
function runCommand({ program, args, environment, mayFail }: Command): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: environment, stdio: ["ignore", "pipe", "pipe"], timeout: passTimeoutMs });
    let peak = 0;
    const sampling = setInterval(() => {
      if (child.pid !== undefined) peak = Math.max(peak, peakMegabytesOf(child.pid));
    }, 50);
    let errors = "";
    child.stdout.resume();
    child.stderr.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-600);
    });
    child.once("error", (cause) => reject(new BenchError(`${program} cannot be run`, { cause })));
    child.once("close", (code, signal) => {
      clearInterval(sampling);
      if (code === 0 || (mayFail && code !== null)) resolve(peak);
      else reject(new BenchError(`${program}: ${signal ?? `exit ${code}`}: ${errors.trim()}`));
    });
  });
}
