import type * as daemon from "../daemon/index.ts";
import type { Logger, LogLevel } from "../log/index.ts";
import type { OutputStream } from "./output-stream.ts";
import type { Progress } from "./progress.ts";

/** What the command line takes from the composition root; loaded only where a command needs it. */
export interface Backend {
  readonly operations: daemon.Operations;
  readonly settings: daemon.SettingsTable;
  readonly kubectlFlags: typeof daemon.KUBECTL_FLAGS;
  readonly loadSettings: typeof daemon.loadSettings;
  readonly durationMs: typeof daemon.durationMs;
}

/** The process, as commands see it; tests hand in their own. */
export interface CliHost {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: daemon.Environment;
  readonly facts: daemon.Facts;
  /** Fires on the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** Calls `listener` on SIGHUP; the returned function ends that. */
  onRescan(listener: () => void): () => void;
  readonly progress: Progress;
  /** How the program was called: `keelson`, or `kubectl keelson`. */
  readonly programName: string;
  loadBackend(): Promise<Backend>;
  /** A logger on stdout or on a file, for the daemon. */
  openDaemonLog(settings: daemon.Settings): Promise<Logger>;
  /** A logger on stderr, for every other command. */
  openCommandLog(level: LogLevel): Promise<Logger>;
}
