import { constants } from "node:os";
import { type Disposition, isKeelsonError } from "../errors/index.ts";

/** Exit codes; part of the command line's interface (`docs/reference/cli.md`). */
export const EXIT = {
  ok: 0,
  /** `plan` has changes, `lint` has problems, `apply` could not do all of it. */
  changes: 1,
  /** The command line or a setting is wrong. */
  usage: 2,
  /** Somebody has to mend an input: a file, a right, a kubeconfig. */
  user: 3,
  /** The same may work later: the API server does not answer. */
  transient: 4,
  /** Refused: another instance leads or acts. */
  terminal: 5,
  /** A fault of Keelson itself. */
  internal: 70,
} as const;

const BY_DISPOSITION: Readonly<Record<Disposition, number>> = {
  user: EXIT.user,
  transient: EXIT.transient,
  terminal: EXIT.terminal,
  internal: EXIT.internal,
};

/** The exit code of a command that ended in `error`; one of the two places that map a disposition. */
export function exitCodeOf(error: unknown): number {
  if (!isKeelsonError(error)) return EXIT.internal;
  return error.code === "InvalidFlag" ? EXIT.usage : BY_DISPOSITION[error.disposition];
}

/** The exit code of a process that a signal ended, as shells write it. */
export function exitCodeOfSignal(signal: "SIGINT" | "SIGTERM"): number {
  return 128 + constants.signals[signal];
}
