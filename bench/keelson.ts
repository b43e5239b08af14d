import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { repositoryRoot } from "../test/control-plane/binaries.ts";
import { eventually } from "../test/control-plane/eventually.ts";
import { findFreePorts } from "../test/control-plane/ports.ts";
import type { Bed } from "./bed.ts";
import { BenchError } from "./errors.ts";
import { cpuSecondsOf, peakMegabytesOf, residentMegabytesOf } from "./process-tree.ts";
import type { Command } from "./run-pass.ts";

/** The program under test, as the checkout has built it. */
export const keelsonProgram: string = join(repositoryRoot, "bin/keelson");

/** The original's environment, as a static pod would set it, with the election off. */
export function keelsonEnvironment(bed: Bed, directory: string): NodeJS.ProcessEnv {
  const { KUBECONFIG: _, ...inherited } = process.env;
  return {
    ...inherited,
    HOME: bed.home,
    HOSTNAME: "bench",
    ADDON_PATH: directory,
    ADDON_MANAGER_LEADER_ELECTION: "false",
    ADMISSION_CONTROLS_PATH: join(bed.home, "no-admission-controls"),
    KUBECTL_OPTS: `--kubeconfig=${bed.kubeconfigPath}`,
    KEELSON_STATE_DIR: join(bed.home, "state"),
  };
}

export function keelsonApply(bed: Bed, directory: string): Command {
  return { program: keelsonProgram, args: ["apply", directory], environment: keelsonEnvironment(bed, directory) };
}

export interface DaemonOptions {
  readonly bed: Bed;
  readonly directory: string;
  /** Seconds between passes; the default of 60 where left out. */
  readonly intervalSeconds?: number;
  /** Beside the environment that every daemon of the bench has. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it serves HTTP; default true. Without it {@link Daemon.untilReady} cannot tell. */
  readonly isServing?: boolean;
}

/** A running `keelson run`. */
export class Daemon {
  /** When the process was started, on `performance.now()`'s clock. */
  readonly startedAt: number;
  /** The same moment on the wall clock, in ms. */
  readonly startedOn: number;
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  readonly port: number;
  readonly #logPath: string;

  static async start(options: DaemonOptions): Promise<Daemon> {
    const { bed, directory, intervalSeconds, isServing = true } = options;
    const [port = 0] = await findFreePorts(1);
    mkdirSync(join(bed.home, "state"), { recursive: true });
    const environment = {
      ...keelsonEnvironment(bed, directory),
      KEELSON_HTTP_ADDRESS: isServing ? `127.0.0.1:${port}` : "off",
      ...(intervalSeconds === undefined ? {} : { TEST_ADDON_CHECK_INTERVAL_SEC: String(intervalSeconds) }),
      ...options.environment,
    };
    return new Daemon(environment, { port, logPath: join(bed.home, "daemon.log") });
  }

  private constructor(environment: NodeJS.ProcessEnv, { port, logPath }: { port: number; logPath: string }) {
    this.port = port;
    this.#logPath = logPath;
    const log = openSync(logPath, "a");
    this.startedAt = performance.now();
    this.startedOn = Date.now();
    this.#process = spawn(keelsonProgram, ["run"], { env: environment, stdio: ["ignore", log, log] });
    closeSync(log);
    if (this.#process.pid === undefined) throw new BenchError(`${keelsonProgram} cannot be run`);
    this.pid = this.#process.pid;
    this.#exited = new Promise((resolve) => {
      this.#process.once("exit", () => resolve());
    });
  }

  cpuSeconds(): number {
    return cpuSecondsOf(this.pid);
  }

  residentMegabytes(): number {
    return residentMegabytesOf(this.pid);
  }

  peakMegabytes(): number {
    return peakMegabytesOf(this.pid);
  }

  /** Waits until it says that its first pass is done. @returns seconds since its start. */
  async untilReady(timeoutMs = 600_000): Promise<number> {
    await eventually("keelson is ready", () => this.#isReady(), { timeoutMs, intervalMs: 10 });
    return (performance.now() - this.startedAt) / 1000;
  }

  /** Asks it to end in good order and waits. @returns the seconds that it took. */
  async stop(): Promise<number> {
    const askedAt = performance.now();
    this.#process.kill("SIGTERM");
    const kill = setTimeout(() => this.#process.kill("SIGKILL"), 15_000);
    await this.#exited;
    clearTimeout(kill);
    return (performance.now() - askedAt) / 1000;
  }

  #isReady(): Promise<boolean> {
    if (this.#process.exitCode !== null) {
      const log = readFileSync(this.#logPath, "utf8").slice(-800);
      return Promise.reject(new BenchError(`keelson run ended with exit code ${this.#process.exitCode}: ${log}`));
    }
    return new Promise((resolve) => {
      const sent = get({ host: "127.0.0.1", port: this.port, path: "/readyz", timeout: 2000 }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      sent.once("timeout", () => sent.destroy());
      sent.once("error", () => resolve(false));
    });
  }
}
