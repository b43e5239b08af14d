import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { TestBedError } from "./errors.ts";
import { pause } from "./eventually.ts";
import type { Watchdog } from "./watchdog.ts";

export interface ComponentOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly watchdog: Watchdog;
  /** Whether it serves; asked every 20 ms after a start. */
  readonly isReady: () => Promise<boolean>;
}

interface Running {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<void>;
  hasExited: boolean;
}

/** The start failed because another process listens on one of the ports. */
export class PortTakenError extends TestBedError {}

const readyTimeoutMs = 60_000;

/** One program of the control plane, started in a process group of its own, again and again with the same flags. */
export class Component {
  readonly #options: ComponentOptions;
  #running: Running | undefined;

  constructor(options: ComponentOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Starts it and waits until it is ready. Does nothing where it runs. */
  async start(): Promise<void> {
    if (this.#running && !this.#running.hasExited) return;
    const logStart = this.#log().length;
    const running = this.#spawn();
    this.#running = running;
    const deadline = performance.now() + readyTimeoutMs;
    while (!(await this.#options.isReady())) {
      if (running.hasExited) throw this.#startError("ended at once", logStart);
      if (performance.now() > deadline) throw this.#startError(`is not ready after ${readyTimeoutMs} ms`, logStart);
      await pause(20);
    }
  }

  /** Sends a signal (SIGKILL where left out) and waits until the process is gone. */
  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.signal(signal);
    await running.exited;
    this.#running = undefined;
  }

  /** Sends a signal to the process group: SIGSTOP and SIGCONT make it hang and go on. */
  signal(signal: NodeJS.Signals): void {
    if (!this.#running || this.#running.hasExited) return;
    process.kill(-this.#running.pid, signal);
  }

  #spawn(): Running {
    const { program, args, logFile, name, watchdog } = this.#options;
    const log = openSync(logFile, "a");
    const child = spawn(program, args, { detached: true, stdio: ["ignore", log, log] });
    closeSync(log);
    child.once("error", () => undefined); // Its absence is reported below, by the missing pid.
    if (child.pid === undefined) throw new TestBedError(`${name}: ${program} cannot be started`);
    const { pid } = child;
    watchdog.watch(pid);
    const running: Running = {
      process: child,
      pid,
      hasExited: false,
      exited: new Promise((resolve) => {
        child.once("exit", () => {
          running.hasExited = true;
          watchdog.forget(pid);
          resolve();
        });
      }),
    };
    return running;
  }

  #log(): string {
    return existsSync(this.#options.logFile) ? readFileSync(this.#options.logFile, "utf8") : "";
  }

  #startError(what: string, logStart: number): TestBedError {
    const log = this.#log().slice(logStart);
    const message = `${this.#options.name} ${what}; the end of its log:\n${log.slice(-1500)}`;
    return log.includes("address already in use") ? new PortTakenError(message) : new TestBedError(message);
  }
}
