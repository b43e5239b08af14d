import { KeelsonError, messageOf } from "../errors/index.ts";
import type { Logger } from "../log/index.ts";
import { describeError } from "./describe-error.ts";
import { EXIT } from "./exit-codes.ts";
import type { OutputStream } from "./output-stream.ts";

/** The part of `process` that unforeseen errors come through. */
export interface CrashSource {
  on(event: "uncaughtException", listener: (error: unknown) => void): unknown;
  on(event: "unhandledRejection", listener: (reason: unknown) => void): unknown;
  exit(code: number): never;
}

/** What {@link crashGuard} needs. */
export interface CrashGuardOptions {
  readonly process: CrashSource;
  /** Begins a stop in good order. */
  readonly stop: () => void;
  readonly stderr: OutputStream;
  /** How long the stop may take; default 5000 ms. */
  readonly graceMs?: number;
}

/** Ends the process on errors that nobody caught. */
export interface CrashGuard {
  /** From now on errors are logged, and the process gets time to stop in good order. */
  becomeDaemon(log: Logger): void;
  readonly isDaemon: boolean;
  /** Whether there was such an error. */
  readonly crashed: boolean;
}

const GRACE_MS = 5000;

/**
 * An error that nobody caught leaves a state that nobody foresaw, and Keelson deletes things: it does not go on. A
 * command prints the error and ends; the daemon logs it, stops in good order (so that its Lease is free at once) and
 * ends with the same code, and whoever supervises it starts it anew: all its state is in the cluster.
 */
export function crashGuard({ process, stop, stderr, graceMs = GRACE_MS }: CrashGuardOptions): CrashGuard {
  let daemonLog: Logger | undefined;
  let crashed = false;
  const stopDaemon = (log: Logger, error: KeelsonError): void => {
    log.error(error.message, { error });
    if (crashed) return;
    crashed = true;
    stop();
    setTimeout(() => process.exit(EXIT.internal), graceMs).unref();
  };
  const crash = (thrown: unknown): void => {
    const error = new KeelsonError("Internal", `unforeseen error: ${messageOf(thrown)}`, { cause: thrown });
    if (thrown instanceof Error && thrown.stack !== undefined) error.stack = thrown.stack;
    if (daemonLog !== undefined) {
      stopDaemon(daemonLog, error);
      return;
    }
    stderr.write(describeError(error));
    process.exit(EXIT.internal);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  return {
    get isDaemon() {
      return daemonLog !== undefined;
    },
    get crashed() {
      return crashed;
    },
    becomeDaemon(log) {
      daemonLog = log;
    },
  };
}
