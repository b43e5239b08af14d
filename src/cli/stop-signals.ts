import { abortError } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { exitCodeOfSignal } from "./exit-codes.ts";

/** A signal that asks the process to end. */
export type StopSignal = "SIGTERM" | "SIGINT";

/** The part of `process` that signals come through. */
export interface SignalSource {
  on(signal: StopSignal | "SIGHUP", listener: () => void): unknown;
  off(signal: "SIGHUP", listener: () => void): unknown;
  exit(code: number): never;
}

/** Signals of the process, as an AbortSignal and a subscription. */
export interface StopSignals {
  /** Fires on the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** The signal that came first. */
  readonly received: StopSignal | undefined;
  /** Stops as a signal would. */
  stop(): void;
  /** See `CliHost.onRescan`. */
  onRescan(listener: () => void): () => void;
}

/**
 * The first SIGTERM or SIGINT stops in good order; a second one ends the process at once, for those whose stop hangs.
 * SIGHUP keeps its usual meaning, to end the process, unless somebody listens.
 */
export function stopSignals(source: SignalSource): StopSignals {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    source.on(name, () => {
      if (received !== undefined) source.exit(exitCodeOfSignal(name));
      received = name;
      controller.abort(new KeelsonError("Aborted", `stopped by ${name}`));
    });
  }
  return {
    signal: controller.signal,
    get received() {
      return received;
    },
    stop: () => controller.abort(abortError()),
    onRescan(listener) {
      source.on("SIGHUP", listener);
      return () => source.off("SIGHUP", listener);
    },
  };
}
