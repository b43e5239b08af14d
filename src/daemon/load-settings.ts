import { KeelsonError } from "../errors/index.ts";
import type { Facts, Setting, SettingsCommand } from "./setting.ts";
import type { Settings } from "./settings.ts";
import { type KubectlFlagInput, parseKubectlFlags } from "./settings-kubectl.ts";
import { SETTINGS } from "./settings-table.ts";
import { parseDuration } from "./settings-values.ts";

/** Where settings come from. */
export interface SettingsSource {
  /** Settings that this command does not take keep their defaults, whatever the environment says. */
  readonly command: SettingsCommand;
  /** By flag (`--interval`): its text, or true for a switch. */
  readonly flags: ReadonlyMap<string, string | true>;
  /** kubectl's global flags of the command line. */
  readonly kubectlFlags?: readonly KubectlFlagInput[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly facts: Facts;
}

/**
 * Reads every setting: flag, else environment, else default. An empty variable counts as absent. Throws `InvalidFlag`
 * with the flag or variable, its value and what is accepted.
 */
export function loadSettings(source: SettingsSource): Settings {
  const read = <K extends keyof Settings>(key: K): Settings[K] => readSetting(SETTINGS[key], source);
  return {
    addonPath: read("addonPath"),
    intervalMs: read("intervalMs"),
    leaderElect: read("leaderElect"),
    hostname: read("hostname"),
    pruneList: read("pruneList"),
    extraPrune: read("extraPrune"),
    pruneAllKinds: read("pruneAllKinds"),
    pruneLimit: read("pruneLimit"),
    legacyPrune: read("legacyPrune"),
    kubectl: { ...read("kubectl"), ...parseKubectlFlags(source.kubectlFlags ?? []) },
    kubectlBin: read("kubectlBin"),
    admissionControlsPath: read("admissionControlsPath"),
    admissionWait: read("admissionWait"),
    settleMs: read("settleMs"),
    pruneSettleMs: read("pruneSettleMs"),
    set: read("set"),
    applySet: read("applySet"),
    revisions: read("revisions"),
    revisionNamespace: read("revisionNamespace"),
    stateDirs: read("stateDirs"),
    httpAddress: read("httpAddress"),
    httpTlsCert: read("httpTlsCert"),
    httpTlsKey: read("httpTlsKey"),
    logFormat: read("logFormat"),
    logLevel: read("logLevel"),
    logFile: read("logFile"),
    controllers: read("controllers"),
    sriovManifests: read("sriovManifests"),
    sriovLeaderElect: read("sriovLeaderElect"),
    prune: read("prune"),
    forceLeader: read("forceLeader"),
  };
}

/** A duration that is no setting, in milliseconds. Throws `InvalidFlag` with the flag and its text. */
export function durationMs(flag: string, text: string): number {
  const parsed = parseDuration(text);
  if (parsed.kind === "ok") return parsed.value;
  const message = `${flag}="${text}": ${parsed.why}; accepted: a duration such as 250ms, 2s, 1m30s`;
  throw new KeelsonError("InvalidFlag", message, { object: flag });
}

function readSetting<T>(setting: Setting<T>, source: SettingsSource): T {
  const given = setting.commands.includes(source.command) ? givenText(setting, source) : undefined;
  if (given === undefined) return setting.fallback(source.facts, source.command);
  const parsed = setting.parse(given.text);
  if (parsed.kind === "ok") return parsed.value;
  const shown = setting.secret === true ? "" : `="${given.text}"`;
  throw new KeelsonError("InvalidFlag", `${given.from}${shown}: ${parsed.why}; accepted: ${setting.accepts}`, {
    object: given.from,
  });
}

function givenText<T>(setting: Setting<T>, source: SettingsSource): { from: string; text: string } | undefined {
  const flag = setting.flag === undefined ? undefined : source.flags.get(setting.flag);
  if (setting.flag !== undefined && flag !== undefined) {
    return { from: setting.flag, text: flag === true ? "true" : flag };
  }
  for (const variable of setting.environment) {
    const text = source.environment[variable];
    if (text !== undefined && text !== "") return { from: variable, text };
  }
  return undefined;
}
