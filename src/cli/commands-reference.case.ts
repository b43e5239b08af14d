import { durationMs, KUBECTL_FLAGS, loadSettings, operations, SETTINGS } from "../daemon/index.ts";
import type { Command, CommandOption } from "./command.ts";
import { flagsOf } from "./command-flags.ts";
import type { Backend } from "./host.ts";

const BACKEND: Backend = { operations, settings: SETTINGS, kubectlFlags: KUBECTL_FLAGS, loadSettings, durationMs };

/** `docs/reference/commands.md`, as the command data say. */
export function commandsReference(commands: readonly Command[]): string {
  return [
    "# Commands",
    "",
    "Generated from the commands' own data: `npx vitest run --project unit src/cli/reference.test.ts -u`. [Exit codes, signals, completion](cli.md) · [settings](configuration.md)",
    "",
    ...commands.flatMap(sectionOf),
  ].join("\n");
}

function sectionOf(command: Command): readonly string[] {
  const operands = command.operands.map(({ name, required }) => (required === true ? name : `[${name}]`));
  const flags = flagsOf(command, BACKEND);
  const settings = flags.filter(({ target }) => target === "setting").map(({ name }) => `\`--${name}\``);
  const hasKubectl = flags.some(({ target }) => target === "kubectl");
  return [
    `## keelson ${command.name}`,
    "",
    `\`${["keelson", command.name, ...operands, "[flags]"].join(" ")}\``,
    "",
    command.description,
    "",
    ...rowsUnder(
      "argument",
      command.operands.map(({ name, help }) => [`\`${name}\``, help]),
    ),
    ...rowsUnder(
      "flag",
      command.options.map((option) => [flagText(option), optionHelp(option)]),
    ),
    ...(settings.length === 0 ? [] : [`[Settings](configuration.md): ${settings.join(", ")}`, ""]),
    ...(hasKubectl ? ["Takes [kubectl's flags](configuration.md#cluster)."] : []).flatMap((line) => [line, ""]),
    ...rowsUnder(
      "exit code",
      command.exitCodes.map(({ code, meaning }) => [String(code), meaning]),
    ),
  ];
}

function rowsUnder(heading: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  if (rows.length === 0) return [];
  const cells = rows.map(([first, second]) => `| ${first} | ${second.replaceAll("|", "\\|")} |`);
  return [`| ${heading} | |`, "|---|---|", ...cells, ""];
}

function flagText({ name, short, value }: CommandOption): string {
  const long = `\`--${name}${value === undefined ? "" : ` ${value}`}\``;
  return short === undefined ? long : `${long}, \`-${short}\``;
}

function optionHelp({ help, words, fallback, required }: CommandOption): string {
  const notes = [
    ...(words === undefined ? [] : [words.join(", ")]),
    ...(fallback === undefined ? [] : [`default ${fallback}`]),
    ...(required === true ? ["required"] : []),
  ];
  return notes.length === 0 ? help : `${help} (${notes.join("; ")})`;
}
