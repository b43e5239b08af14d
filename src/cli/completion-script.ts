import { assertNever } from "../errors/index.ts";
import type { Command, Operand } from "./command.ts";
import { type CommandFlag, flagsOf } from "./command-flags.ts";
import type { Backend } from "./host.ts";

/** Shells that a script can be made for. */
export type Shell = "bash" | "zsh" | "fish";

/** A script that completes commands, flags, and values that are one of a few words; paths where a path is meant. */
export function completionScript(shell: Shell, commands: readonly Command[], backend: Backend): string {
  const completed = commands.map((command) => ({ command, flags: flagsOf(command, backend) }));
  switch (shell) {
    case "bash":
      return bashScript(completed);
    case "zsh":
      return zshScript(completed);
    case "fish":
      return fishScript(completed);
    default:
      return assertNever(shell);
  }
}

interface Completed {
  readonly command: Command;
  readonly flags: readonly CommandFlag[];
}

/** Placeholders whose values are paths. */
const PATHS: ReadonlySet<string | undefined> = new Set(["PATH", "DIR"]);

function spellings({ name, short }: CommandFlag): readonly string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

/** Values that bash leaves to its own file name completion come back empty (`complete -o default`). */
function bashScript(completed: readonly Completed[]): string {
  const names = completed.map(({ command }) => command.name).join(" ");
  const values = completed.flatMap(({ command, flags }) =>
    flags.flatMap((flag) => {
      if (flag.value === undefined) return [];
      const patterns = spellings(flag).map((spelling) => `"${command.name} ${spelling}"`);
      const reply = PATHS.has(flag.value) ? "" : `_keelson_reply ${bashQuote((flag.words ?? []).join(" "))}; `;
      return [`    ${patterns.join("|")}) ${reply}return ;;`];
    }),
  );
  const rest = completed.map(({ command, flags }) => {
    const words = flags.flatMap(spellings).join(" ");
    return `    ${command.name}) flags=${bashQuote(words)}; operands=${bashQuote(operandWords(command))} ;;`;
  });
  return `# bash completion for keelson
_keelson_reply() {
  compopt +o default 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}
_keelson() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} flags operands
  COMPREPLY=()
  # bash takes "--flag=value" for three words.
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $COMP_CWORD -eq 1 ]]; then _keelson_reply ${bashQuote(names)}; return; fi
  case "$command $prev" in
${values.join("\n")}
  esac
  case $command in
${rest.join("\n")}
  esac
  if [[ $cur == -* ]]; then _keelson_reply "$flags"; elif [[ -n $operands ]]; then _keelson_reply "$operands"; fi
}
complete -o default -F _keelson keelson kubectl-keelson
`;
}

function bashQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function operandWords(command: Command): string {
  return command.operands.flatMap(({ words }) => words ?? []).join(" ");
}

function zshScript(completed: readonly Completed[]): string {
  const list = completed.map(({ command }) => `    ${bashQuote(`${command.name}:${command.summary}`)}`);
  const cases = completed.map(({ command, flags }) => {
    const specs = [...flags.map(zshFlag), ...command.operands.map(zshOperand)];
    return `    ${command.name}) _arguments -s ${specs.map(bashQuote).join(" \\\n      ")} ;;`;
  });
  return `#compdef keelson kubectl-keelson
_keelson() {
  local -a commands
  commands=(
${list.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join("\n")}
  esac
}
compdef _keelson keelson kubectl-keelson
`;
}

function zshFlag(flag: CommandFlag): string {
  const help = `[${flag.help.replace(/[[\]\\:]/g, "\\$&")}]`;
  const names = spellings(flag);
  const repeat = flag.repeated === true ? "*" : "";
  const [only = ""] = names;
  // Braces are expanded by the shell, not by _arguments; so a short name becomes a spec of its own by exclusion.
  const name = `${repeat}${only}`;
  if (flag.value === undefined) return `${name}${help}`;
  return `${name}=${help}:${flag.value}:${zshValues(flag.value, flag.words)}`;
}

function zshOperand(operand: Operand): string {
  return `:${operand.name}:${zshValues(operand.name, operand.words)}`;
}

function zshValues(placeholder: string, words: readonly string[] | undefined): string {
  if (words !== undefined) return `(${words.join(" ")})`;
  if (placeholder === "DIR") return "_files -/";
  return PATHS.has(placeholder) ? "_files" : " ";
}

function fishScript(completed: readonly Completed[]): string {
  const lines = ["# fish completion for keelson"];
  for (const program of ["keelson", "kubectl-keelson"]) {
    const complete = `complete -c ${program}`;
    lines.push(`${complete} -f`);
    for (const { command, flags } of completed) {
      const seen = `-n ${fishQuote(`__fish_seen_subcommand_from ${command.name}`)}`;
      lines.push(`${complete} -n __fish_use_subcommand -a ${command.name} -d ${fishQuote(command.summary)}`);
      for (const flag of flags) lines.push(`${complete} ${seen} ${fishFlag(flag)}`);
      for (const operand of command.operands) lines.push(`${complete} ${seen} ${fishOperand(operand)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function fishFlag(flag: CommandFlag): string {
  const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
  // fish takes a long name of one letter for an old-style option.
  const name = flag.name.length === 1 ? `-s ${flag.name}` : `-l ${flag.name}${short}`;
  return `${name} ${fishValues(flag)}-d ${fishQuote(flag.help)}`;
}

function fishValues({ value, words }: CommandFlag): string {
  if (value === undefined) return "";
  if (words !== undefined) return `-x -a ${fishQuote(words.join(" "))} `;
  return PATHS.has(value) ? "-r -F " : "-x ";
}

function fishOperand(operand: Operand): string {
  return operand.words === undefined ? "-F" : `-a ${fishQuote(operand.words.join(" "))}`;
}

function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
