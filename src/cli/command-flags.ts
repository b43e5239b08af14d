import type { Setting, SettingsCommand } from "../daemon/index.ts";
import type { Command } from "./command.ts";
import type { Backend } from "./host.ts";

/** Where a flag's value goes. */
export type FlagTarget = "setting" | "kubectl" | "option";

/** One flag of a command, wherever it is declared. */
export interface CommandFlag {
  readonly target: FlagTarget;
  /** Long name without dashes: `interval`, `no-prune`. */
  readonly name: string;
  readonly short?: string | undefined;
  /** Placeholder; undefined: a switch. */
  readonly value?: string | undefined;
  readonly help: string;
  readonly words?: readonly string[] | undefined;
  readonly fallback?: string | undefined;
  readonly required?: boolean;
  readonly repeated?: boolean | undefined;
}

/** Every flag of `command`: its own, its settings', and kubectl's where it talks to a cluster. */
export function flagsOf(command: Command, backend: Backend | undefined): readonly CommandFlag[] {
  const own = command.options.map((option): CommandFlag => ({ ...option, target: "option" }));
  if (command.kind === "plain" || backend === undefined) return own;
  return [...own, ...settingFlags(command.settings, backend), ...kubectlFlags(command.settings, backend)];
}

function settingFlags(command: SettingsCommand, backend: Backend): readonly CommandFlag[] {
  return settingsOf(command, backend).flatMap((setting) => {
    if (setting.flag === undefined) return [];
    const { value, words } = setting;
    return [{ target: "setting", name: setting.flag.slice(2), value, words, help: settingHelp(setting) }];
  });
}

function kubectlFlags(command: SettingsCommand, backend: Backend): readonly CommandFlag[] {
  if (!backend.settings.kubectl.commands.includes(command)) return [];
  return backend.kubectlFlags.map((flag): CommandFlag => ({ ...flag, target: "kubectl" }));
}

function settingsOf(command: SettingsCommand, backend: Backend): readonly Setting<unknown>[] {
  const all: readonly Setting<unknown>[] = Object.values(backend.settings);
  return all.filter(({ commands }) => commands.includes(command));
}

function settingHelp(setting: Setting<unknown>): string {
  const variables = setting.environment.length === 0 ? [] : [`env ${setting.environment.join(", ")}`];
  const fallback = setting.value === undefined ? [] : [`default ${setting.defaultText}`];
  const notes = [...variables, ...fallback];
  return notes.length === 0 ? setting.help : `${setting.help} (${notes.join("; ")})`;
}
