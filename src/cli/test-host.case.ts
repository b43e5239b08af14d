import {
  durationMs,
  KUBECTL_FLAGS,
  loadSettings,
  type OperationIo,
  type Operations,
  SETTINGS,
  type Settings,
} from "../daemon/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { silentLogger } from "../log/index.ts";
import { COMMANDS } from "./command-list.ts";
import type { CliHost } from "./host.ts";
import { runProgram } from "./program.ts";
import { createProgress } from "./progress.ts";

/** What a command left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What {@link runCli} is given. */
export interface RunOptions {
  readonly operations?: Partial<Operations>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly programName?: string;
  readonly signal?: AbortSignal;
  /** Called instead of loading the backend. */
  readonly onLoad?: () => void;
}

const unexpected = (): Promise<never> => Promise.reject(new KeelsonError("Internal", "not expected to be called"));

/** Runs the command line in this process, with the real settings and commands and the operations given. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const written = { out: "", err: "" };
  const isTerminal = options.isTerminal ?? false;
  const stream = (key: "out" | "err") => ({
    isTerminal,
    write: (text: string) => {
      written[key] += text;
    },
  });
  const stderr = stream("err");
  const operations: Operations = {
    run: unexpected,
    plan: unexpected,
    planOffline: unexpected,
    apply: unexpected,
    applyPlan: unexpected,
    adopt: unexpected,
    explain: unexpected,
    fsck: unexpected,
    lint: unexpected,
    rbac: unexpected,
    status: unexpected,
    watchStatus: unexpected,
    sriovWebhook: unexpected,
    confirmPrune: unexpected,
    history: unexpected,
    showRevision: unexpected,
    diffRevisions: unexpected,
    rollback: unexpected,
    resume: unexpected,
    pause: unexpected,
    unpause: unexpected,
    audit: unexpected,
    followAudit: unexpected,
    verifyAudit: unexpected,
    sandbox: unexpected,
    demo: unexpected,
    ...options.operations,
  };
  const host: CliHost = {
    stdout: stream("out"),
    stderr,
    progress: createProgress(stderr),
    environment: options.environment ?? {},
    facts: { hostname: "cp-1", home: "/root" },
    signal: options.signal ?? new AbortController().signal,
    onRescan: () => () => {},
    programName: options.programName ?? "keelson",
    loadBackend: async () => {
      options.onLoad?.();
      return { operations, settings: SETTINGS, kubectlFlags: KUBECTL_FLAGS, loadSettings, durationMs };
    },
    openDaemonLog: async () => silentLogger,
    openCommandLog: async () => silentLogger,
  };
  const code = await runProgram({ args, host, commands: COMMANDS, version: "1.2.3" });
  return { code, out: written.out, err: written.err };
}

/** An operation that remembers what it was called with. */
export function spying<R>(report: R): {
  readonly seen: Settings[];
  readonly operation: (settings: Settings, io: OperationIo) => Promise<R>;
} {
  const seen: Settings[] = [];
  return {
    seen,
    operation: async (settings) => {
      seen.push(settings);
      return report;
    },
  };
}
