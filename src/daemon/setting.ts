import type { Settings } from "./settings.ts";
import type { Parsed } from "./settings-values.ts";

/** The commands that take settings. */
export type SettingsCommand =
  | "run"
  | "plan"
  | "apply"
  | "lint"
  | "rbac"
  | "status"
  | "prune"
  | "history"
  | "audit"
  | "sriov-webhook";

/** What the machine says where no flag and no variable does. */
export interface Facts {
  readonly hostname: string;
  /** The user's home directory. */
  readonly home: string;
  /** $XDG_STATE_HOME, where set. */
  readonly stateHome?: string | undefined;
}

/** One setting: how it is given, what it accepts, what it is without. */
export interface Setting<T> {
  /** Long flag; absent where only the environment sets it. */
  readonly flag?: string;
  /** Placeholder of the flag's value; absent: a switch. */
  readonly value?: string;
  /** Words that the value is one of, for completion. */
  readonly words?: readonly string[];
  /** Variables; the first that is set wins. */
  readonly environment: readonly string[];
  readonly commands: readonly SettingsCommand[];
  readonly parse: (text: string) => Parsed<T>;
  readonly fallback: (facts: Facts, command: SettingsCommand) => T;
  /** The default, as the documentation shows it. */
  readonly defaultText: string;
  /** What is accepted, for the message about a malformed value. */
  readonly accepts: string;
  readonly help: string;
  /** Whether the value may hold a credential and must not be shown. */
  readonly secret?: boolean;
}

/** One entry for every field of {@link Settings}; drives parsing, help and `docs/reference/configuration.md`. */
export type SettingsTable = { readonly [K in keyof Settings]: Setting<Settings[K]> };
