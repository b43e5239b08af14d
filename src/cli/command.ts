import type { OperationIo, Operations, Settings, SettingsCommand } from "../daemon/index.ts";
import type { CliHost } from "./host.ts";

/** A positional argument. */
export interface Operand {
  readonly name: string;
  readonly help: string;
  readonly required?: boolean;
  /** Words that it is one of, for completion. */
  readonly words?: readonly string[];
}

/** An option of one command, beside its settings. */
export interface CommandOption {
  /** Long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value; absent: a switch. */
  readonly value?: string;
  readonly help: string;
  readonly words?: readonly string[];
  readonly fallback?: string;
  readonly required?: boolean;
}

/** An exit code and what it means for the command. */
export interface ExitCodeMeaning {
  readonly code: number;
  readonly meaning: string;
}

/** What a handler is called with. */
export interface Invocation {
  readonly host: CliHost;
  /** Positional arguments as given. */
  readonly operands: readonly string[];
  /** Options of the command by long name; switches are "true". */
  readonly options: ReadonlyMap<string, string>;
  /** All commands, for those that are about commands. */
  readonly commands: readonly Command[];
}

/** What a handler of a command with settings is called with. */
export interface BackedInvocation extends Invocation {
  readonly settings: Settings;
  readonly operations: Operations;
  readonly io: OperationIo;
  /** Reads the text of an option that is a duration (`30s`), in milliseconds. Throws `InvalidFlag` with `flag` and the text. */
  readonly durationMs: (flag: string, text: string) => number;
}

interface CommandBase {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** For the command's own help. */
  readonly description: string;
  readonly operands: readonly Operand[];
  readonly options: readonly CommandOption[];
  /** What the exit codes mean here, beyond the common ones. */
  readonly exitCodes: readonly ExitCodeMeaning[];
}

/** A command as data, plus its handler, which answers the exit code. */
export type Command =
  /** Needs neither settings nor a cluster. */
  | (CommandBase & { readonly kind: "plain"; readonly run: (invocation: Invocation) => Promise<number> })
  /** Reads the settings of `settings` and calls an operation. */
  | (CommandBase & {
      readonly kind: "backed";
      readonly settings: SettingsCommand;
      /** Whether {@link DIRECTORY_OPERAND} among the operands stands in place of `--addon-path`. */
      readonly takesDirectory: boolean;
      readonly run: (invocation: BackedInvocation) => Promise<number>;
    });

/** `-o`, of every command that reads. */
export const OUTPUT_OPTION: CommandOption = {
  name: "output",
  short: "o",
  value: "FORMAT",
  words: ["table", "json", "yaml"],
  fallback: "table",
  help: "how to print",
};

/** The directory that `plan`, `apply` and `lint` take. */
export const DIRECTORY_OPERAND: Operand = { name: "DIR", help: "directory of manifests, in place of --addon-path" };
