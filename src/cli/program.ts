import { Command as Commander, CommanderError, Option } from "commander";
import type { Command, Operand } from "./command.ts";
import { type CommandFlag, flagsOf } from "./command-flags.ts";
import { describeError } from "./describe-error.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import type { CliHost } from "./host.ts";
import { type GivenFlag, invokeCommand } from "./invoke.ts";

/** What {@link runProgram} needs. */
export interface ProgramOptions {
  /** Arguments behind the program's name. */
  readonly args: readonly string[];
  readonly host: CliHost;
  readonly commands: readonly Command[];
  readonly version: string;
}

/** Where the help puts flags. */
const GROUP: Readonly<Record<CommandFlag["target"], string>> = {
  option: "Options:",
  setting: "Settings:",
  kubectl: "Cluster, as kubectl's flags (also in KUBECTL_OPTS):",
};

const COMMON_EXIT_CODES =
  "Exit codes: 0 done, 2 wrong usage, 3 an input to mend, 4 try again later, 5 refused, 70 a fault of Keelson.";

/** Reads the command line, runs its command and answers the exit code. Errors are printed, never thrown. */
export async function runProgram(options: ProgramOptions): Promise<number> {
  const { args, host, commands } = options;
  try {
    // Options are built for the command that is asked for alone: the daemon's modules take longer to load than most
    // commands need to run.
    const asked = commands.find(({ name }) => name === (args[0] === "help" ? args[1] : args[0]));
    const backend = asked?.kind === "backed" ? await host.loadBackend() : undefined;
    let exitCode: number = EXIT.ok;
    const program = buildProgram(options);
    for (const command of commands) {
      addCommand(program, command, {
        flags: flagsOf(command, command === asked ? backend : undefined),
        act: async (operands, flags) => {
          exitCode = await invokeCommand({ command, operands, flags, host, commands, backend });
        },
      });
    }
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    // Help and version end in an error too, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    host.stderr.write(describeError(error));
    return exitCodeOf(error);
  }
}

/** A mistyped flag may be followed by what the right one would have kept secret. */
function withoutValue(text: string): string {
  return text.replace(/(unknown option '--?[^=']+)=.*'/s, "$1=…'");
}

interface Wiring {
  readonly flags: readonly CommandFlag[];
  readonly act: (operands: readonly string[], flags: readonly GivenFlag[]) => Promise<void>;
}

function buildProgram({ host, version }: ProgramOptions): Commander {
  return new Commander(host.programName)
    .description("Keeps a Kubernetes cluster's add-ons as declared.")
    .version(`keelson ${version}`, "--version", "print the version")
    .exitOverride()
    .helpOption("-h, --help", "show this help")
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: (text, write) => write(withoutValue(text).replace(/^error: /, "keelson: ")),
    })
    .showHelpAfterError(`Run "${host.programName} --help" for what there is.`)
    .addHelpText("after", `\n${COMMON_EXIT_CODES}`);
}

function addCommand(program: Commander, command: Command, { flags, act }: Wiring): void {
  const sub = program.command(command.name).summary(command.summary).description(command.description);
  for (const operand of command.operands) sub.argument(operandSyntax(operand), operand.help);
  const options = flags.map((flag) => ({ flag, option: commanderOption(flag) }));
  for (const { option } of options) sub.addOption(option);
  if (command.exitCodes.length > 0) sub.addHelpText("after", exitCodeHelp(command));
  sub.action(async () => {
    const given = options.flatMap(({ flag, option }) => {
      const key = option.attributeName();
      const source = sub.getOptionValueSource(key);
      if (source !== "cli" && flag.fallback === undefined) return [];
      return textsOf(sub.getOptionValue(key)).map((text) => ({ flag, text }));
    });
    await act(sub.args, given);
  });
}

function commanderOption(flag: CommandFlag): Option {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const value = flag.value === undefined ? "" : ` <${flag.value}>`;
  const option = new Option(`${short}--${flag.name}${value}`, flag.help).helpGroup(GROUP[flag.target]);
  if (flag.target === "option" && flag.words !== undefined) option.choices([...flag.words]);
  if (flag.fallback !== undefined) option.default(flag.fallback);
  if (flag.required === true) option.makeOptionMandatory();
  if (flag.repeated === true) {
    option.argParser((text: string, before: unknown) => [...(Array.isArray(before) ? before : []), text]);
  }
  return option;
}

/** Switches read as "true"; also a `--no-…` one, which commander hands over as false under the name without `no-`. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "boolean" ? ["true"] : [String(value)];
}

function operandSyntax(operand: Operand): string {
  return operand.required === true ? `<${operand.name}>` : `[${operand.name}]`;
}

function exitCodeHelp(command: Command): string {
  return `\nExit codes:\n${command.exitCodes.map(({ code, meaning }) => `  ${code}  ${meaning}`).join("\n")}`;
}
