import type { KubectlFlagInput, OperationIo, Settings } from "../daemon/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import { type Command, DIRECTORY_OPERAND, type Invocation } from "./command.ts";
import type { CommandFlag } from "./command-flags.ts";
import type { Backend, CliHost } from "./host.ts";
import { VERSION } from "./version.ts";

/** One flag of the command line and its text; a switch reads "true". */
export interface GivenFlag {
  readonly flag: CommandFlag;
  readonly text: string;
}

/** What {@link invokeCommand} needs. */
export interface InvokeOptions {
  readonly command: Command;
  readonly operands: readonly string[];
  /** In the order of declaration; a repeated flag several times. */
  readonly flags: readonly GivenFlag[];
  readonly host: CliHost;
  readonly commands: readonly Command[];
  readonly backend: Backend | undefined;
}

/** Calls the command's handler with what it needs; answers the exit code. */
export async function invokeCommand(options: InvokeOptions): Promise<number> {
  const { command, operands, host, commands, backend } = options;
  const own = new Map<string, string>();
  for (const { flag, text } of options.flags) if (flag.target === "option") own.set(flag.name, text);
  const invocation: Invocation = { host, operands, options: own, commands };
  if (command.kind === "plain") return command.run(invocation);
  if (backend === undefined) throw new KeelsonError("Internal", `${command.name} was not given its backend`);
  const settings = readSettings(options, command, backend);
  const log = await (command.settings === "run"
    ? host.openDaemonLog(settings)
    : host.openCommandLog(settings.logLevel));
  const io: OperationIo = {
    signal: host.signal,
    log,
    environment: host.environment,
    progress: (message) => host.progress.show(message),
    onRescan: (listener) => host.onRescan(listener),
    version: VERSION,
  };
  try {
    const { operations, durationMs } = backend;
    return await command.run({ ...invocation, settings, operations, io, durationMs });
  } catch (error) {
    // Whoever reads the daemon's log must find there why it ended; its stderr is often nobody's.
    if (command.settings === "run") log.error(messageOf(error));
    throw error;
  } finally {
    host.progress.clear();
  }
}

function readSettings(options: InvokeOptions, command: Command & { kind: "backed" }, backend: Backend): Settings {
  const { host, operands } = options;
  const flags = new Map<string, string | true>();
  const kubectlFlags: KubectlFlagInput[] = [];
  for (const { flag, text } of options.flags) {
    if (flag.target === "setting") flags.set(`--${flag.name}`, text);
    if (flag.target === "kubectl") kubectlFlags.push({ name: flag.name, value: text });
  }
  const directory = operands[command.operands.indexOf(DIRECTORY_OPERAND)];
  if (command.takesDirectory && directory !== undefined) {
    if (flags.has("--addon-path")) {
      throw new KeelsonError(
        "InvalidFlag",
        `DIR="${directory}": --addon-path names a directory too; give one of them`,
        {
          object: "DIR",
        },
      );
    }
    flags.set("--addon-path", directory);
  }
  const { environment, facts } = host;
  return backend.loadSettings({ command: command.settings, flags, kubectlFlags, environment, facts });
}
