import { setMaxListeners } from "node:events";
import { homedir, hostname } from "node:os";
import { COMMANDS } from "./command-list.ts";
import { crashGuard } from "./crash-guard.ts";
import { EXIT, exitCodeOfSignal } from "./exit-codes.ts";
import type { Backend, CliHost } from "./host.ts";
import { openDaemonLog, openStderrLog } from "./open-log.ts";
import type { OutputStream } from "./output-stream.ts";
import { runProgram } from "./program.ts";
import { createProgress } from "./progress.ts";
import { type StopSignal, stopSignals } from "./stop-signals.ts";
import { VERSION } from "./version.ts";

/** Exit code of a process whose reader went away, as shells know it (128 + SIGPIPE). */
const BROKEN_PIPE = 141;

/** Runs the command line of this process, and ends the process. */
export async function start(): Promise<never> {
  // Requests in flight all listen to one AbortSignal; more than ten of them are no leak.
  setMaxListeners(0);
  const stdout = outputStream(process.stdout);
  const stderr = outputStream(process.stderr);
  const progress = createProgress(stderr);
  const signals = stopSignals(process);
  const guard = crashGuard({ process, stop: signals.stop, stderr });
  // `keelson plan | head`: the reader has what it wanted. The daemon goes on without one.
  process.stdout.on("error", () => {
    if (!guard.isDaemon) process.exit(BROKEN_PIPE);
  });
  process.stderr.on("error", () => {});
  const host: CliHost = {
    stdout,
    stderr,
    progress,
    environment: process.env,
    facts: { hostname: hostname(), home: homedir(), stateHome: process.env.XDG_STATE_HOME },
    signal: signals.signal,
    onRescan: signals.onRescan,
    programName: process.env.KEELSON_PROGRAM === "kubectl-keelson" ? "kubectl keelson" : "keelson",
    loadBackend,
    async openDaemonLog(settings) {
      const log = openDaemonLog(settings);
      guard.becomeDaemon(log);
      return log;
    },
    openCommandLog: async (level) => openStderrLog(level, progress),
  };
  const code = await runProgram({ args: process.argv.slice(2), host, commands: COMMANDS, version: VERSION });
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // Sockets that wait for a keep-alive to end, and timers, must not hold the process.
  process.exit(finalCode(code, { crashed: guard.crashed, received: signals.received }));
}

function finalCode(
  code: number,
  end: { readonly crashed: boolean; readonly received: StopSignal | undefined },
): number {
  if (end.crashed) return EXIT.internal;
  return end.received === undefined || code === EXIT.ok ? code : exitCodeOfSignal(end.received);
}

async function loadBackend(): Promise<Backend> {
  const daemon = await import("../daemon/index.ts");
  return {
    operations: daemon.operations,
    settings: daemon.SETTINGS,
    kubectlFlags: daemon.KUBECTL_FLAGS,
    loadSettings: daemon.loadSettings,
    durationMs: daemon.durationMs,
  };
}

function outputStream(stream: NodeJS.WriteStream): OutputStream {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    get rows() {
      return stream.isTTY === true ? stream.rows : undefined;
    },
  };
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
