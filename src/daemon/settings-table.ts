import { join } from "node:path";
import { LOG_LEVELS } from "../log/index.ts";
import type { Setting, SettingsCommand, SettingsTable } from "./setting.ts";
import type { ControllerName, LeaderElectMode, Settings } from "./settings.ts";
import { parseKubectlOptions } from "./settings-kubectl.ts";
import { defaultPruneList, parsePruneList } from "./settings-prune-list.ts";
import * as values from "./settings-values.ts";

const PASS: readonly SettingsCommand[] = ["run", "plan", "apply"];
/** What decides about the rights that a daemon needs. */
const PRUNING: readonly SettingsCommand[] = [...PASS, "rbac"];
const CLUSTER: readonly SettingsCommand[] = ["run", "plan", "apply", "status", "prune", "history"];
const LEADING: readonly SettingsCommand[] = ["run", "apply"];
const CLIENT: readonly SettingsCommand[] = [...CLUSTER, "rbac", "sriov-webhook"];
const ALL: readonly SettingsCommand[] = [
  "run",
  "plan",
  "apply",
  "lint",
  "rbac",
  "status",
  "prune",
  "history",
  "audit",
  "sriov-webhook",
];

const TRUTH = "true, 1, yes, on, false, 0, no, off";
const DURATION = "a duration such as 250ms, 2s, 1m30s";
const KINDS = "blank-separated group/version/Kind, with core for the empty group";
const CONTROLLERS: readonly ControllerName[] = ["addon", "sriov-operator-config"];

const path = (fallback: string): Pick<Setting<string>, "parse" | "fallback" | "defaultText" | "accepts"> => ({
  parse: values.parseText,
  fallback: () => fallback,
  defaultText: fallback,
  accepts: "a path",
});

const off: Pick<Setting<boolean>, "parse" | "fallback" | "defaultText" | "accepts"> = {
  parse: values.parseSwitch,
  fallback: () => false,
  defaultText: "false",
  accepts: TRUTH,
};

/** Every setting. */
export const SETTINGS: SettingsTable = {
  addonPath: {
    flag: "--addon-path",
    value: "DIR",
    environment: ["ADDON_PATH"],
    commands: ["run", "plan", "apply", "lint", "rbac"],
    ...path("/etc/kubernetes/addons"),
    help: "directory of manifests, read recursively",
  },
  intervalMs: {
    flag: "--interval",
    value: "SECONDS",
    environment: ["TEST_ADDON_CHECK_INTERVAL_SEC", "ADDON_CHECK_INTERVAL_SEC"],
    commands: ["run"],
    parse: values.parseInterval,
    fallback: () => 60_000,
    defaultText: "60",
    accepts: "a number of seconds, or a duration such as 90s or 2m",
    help: "time between full passes, at least a second; the TEST_ variable wins",
  },
  leaderElect: {
    flag: "--leader-elect",
    value: "MODE",
    words: ["true", "lease", "false"],
    environment: ["ADDON_MANAGER_LEADER_ELECTION"],
    commands: [...LEADING, "rbac"],
    parse: parseLeaderElect,
    fallback: () => "follow",
    defaultText: "true",
    accepts: `${TRUTH}, lease`,
    help: "true: act where the controller manager leads; lease: hold a Lease of our own; false: act always",
  },
  hostname: {
    flag: "--hostname",
    value: "NAME",
    environment: ["HOSTNAME"],
    commands: LEADING,
    parse: values.parseWord,
    fallback: (facts) => facts.hostname,
    defaultText: "the host's name",
    accepts: "a host name",
    help: "leader where the Lease's holder is NAME or starts with NAME_ or NAME.",
  },
  pruneList: {
    flag: "--prune-list",
    value: "KINDS",
    environment: ["KUBECTL_PRUNE_WHITELIST_OVERRIDE", "KUBECTL_PRUNE_ALLOWLIST_OVERRIDE"],
    commands: PRUNING,
    parse: parseOverride,
    fallback: defaultPruneList,
    defaultText: "the original's 16 kinds",
    accepts: KINDS,
    help: "kinds that are pruned, instead of the default list",
  },
  extraPrune: {
    flag: "--extra-prune",
    value: "KINDS",
    environment: ["KUBECTL_EXTRA_PRUNE_WHITELIST", "KUBECTL_EXTRA_PRUNE_ALLOWLIST"],
    commands: PRUNING,
    parse: parsePruneList,
    fallback: () => [],
    defaultText: "none",
    accepts: KINDS,
    help: "kinds that are pruned as well",
  },
  pruneAllKinds: {
    flag: "--prune-all-kinds",
    environment: ["KEELSON_PRUNE_ALL_KINDS"],
    commands: PRUNING,
    ...off,
    help: "prune every kind that Keelson applied",
  },
  pruneLimit: {
    flag: "--prune-limit",
    value: "LIMIT",
    environment: ["KEELSON_PRUNE_LIMIT"],
    commands: PASS,
    parse: values.parsePruneLimit,
    fallback: () => undefined,
    defaultText: "off",
    accepts: "a count such as 10, a percentage such as 25%, or off",
    help: "hold a prune that is larger, as a whole",
  },
  legacyPrune: {
    flag: "--legacy-prune",
    value: "MODE",
    words: ["hold", "auto"],
    environment: ["KEELSON_LEGACY_PRUNE"],
    commands: PASS,
    parse: values.parseChoice(["hold", "auto"]),
    fallback: () => "hold",
    defaultText: "hold",
    accepts: "hold, auto",
    help: "left-overs of the original addon manager: hold them for a confirmation, or prune them",
  },
  kubectl: {
    flag: "--kubectl-opts",
    value: "FLAGS",
    environment: ["KUBECTL_OPTS"],
    commands: CLIENT,
    parse: parseKubectlOptions,
    fallback: () => ({}),
    defaultText: "none",
    accepts: "kubectl's global flags",
    help: "kubectl's global flags, split as a shell does; each can also be given by itself",
    secret: true,
  },
  kubectlBin: {
    environment: ["KUBECTL_BIN"],
    commands: ["run"],
    parse: values.ok,
    fallback: () => undefined,
    defaultText: "none",
    accepts: "anything",
    help: "ignored: Keelson needs no kubectl",
  },
  admissionControlsPath: {
    flag: "--admission-controls-path",
    value: "DIR",
    environment: ["ADMISSION_CONTROLS_PATH"],
    commands: [...LEADING, "rbac"],
    ...path("/etc/kubernetes/admission-controls"),
    help: "directory of what is applied once, before any add-on",
  },
  admissionWait: {
    flag: "--admission-wait",
    environment: ["KEELSON_ADMISSION_WAIT"],
    commands: LEADING,
    ...off,
    help: "add-ons wait until every admission-control file has succeeded",
  },
  settleMs: {
    flag: "--settle",
    value: "DURATION",
    environment: ["KEELSON_SETTLE"],
    commands: PASS,
    parse: values.parseDuration,
    fallback: () => 250,
    defaultText: "250ms",
    accepts: DURATION,
    help: "how long changed files must be quiet before they are read",
  },
  pruneSettleMs: {
    flag: "--prune-settle",
    value: "DURATION",
    environment: ["KEELSON_PRUNE_SETTLE"],
    commands: PASS,
    parse: values.parseDuration,
    fallback: () => 2000,
    defaultText: "2s",
    accepts: DURATION,
    help: "how long a file that shrank or vanished must be quiet before anything of it is deleted",
  },
  set: {
    flag: "--set",
    value: "NAME",
    environment: ["KEELSON_SET"],
    commands: [...CLUSTER, "rbac", "audit"],
    parse: values.parseSetName,
    fallback: () => "",
    defaultText: "none",
    accepts: "lower-case letters, digits and dashes, at most 63",
    help: "name of a set of add-ons beside others, with its own owner, guard and history",
  },
  applySet: {
    flag: "--applyset",
    environment: ["KEELSON_APPLYSET"],
    commands: PRUNING,
    ...off,
    help: "keep the set as an ApplySet too: a parent ConfigMap and a label on each member, for kubectl to read",
  },
  revisions: {
    flag: "--revisions",
    value: "NUMBER",
    environment: ["KEELSON_REVISIONS"],
    commands: [...LEADING, "rbac"],
    parse: values.parseRevisions,
    fallback: () => 20,
    defaultText: "20",
    accepts: "a number up to 1000",
    help: "how many revisions of the set are kept; 0 makes none",
  },
  revisionNamespace: {
    flag: "--revision-namespace",
    value: "NAME",
    environment: ["KEELSON_REVISION_NAMESPACE"],
    commands: ["run", "plan", "apply", "history", "rbac"],
    parse: values.parseNamespace,
    fallback: () => "kube-system",
    defaultText: "kube-system",
    accepts: "the name of a namespace",
    help: "where the revisions are kept, as Secrets",
  },
  stateDirs: {
    flag: "--state-dir",
    value: "DIR",
    environment: ["KEELSON_STATE_DIR"],
    commands: [...PASS, "audit"],
    parse: (text) => (text === "" ? values.malformed("empty") : values.ok([text])),
    fallback: ({ home, stateHome }) => [
      "/var/lib/keelson",
      join(stateHome === undefined || stateHome === "" ? join(home, ".local/state") : stateHome, "keelson"),
    ],
    defaultText: "/var/lib/keelson, else the user's state directory",
    accepts: "a path",
    help: "directory of the audit journal",
  },
  httpAddress: {
    flag: "--http-address",
    value: "HOST:PORT",
    environment: ["KEELSON_HTTP_ADDRESS"],
    commands: ["run", "rbac"],
    parse: values.parseHttpAddress,
    fallback: () => ({ host: "127.0.0.1", port: 10_270 }),
    defaultText: "127.0.0.1:10270",
    accepts: "HOST:PORT, [IPv6]:PORT, :PORT, or off",
    help: "where probes and /metrics are served; beyond loopback over TLS, to who has the right; a busy port is a warning",
  },
  httpTlsCert: {
    flag: "--http-tls-cert",
    value: "FILE",
    environment: ["KEELSON_HTTP_TLS_CERT"],
    commands: ["run"],
    parse: values.parseText,
    fallback: () => undefined,
    defaultText: "none on loopback, else self-signed",
    accepts: "a path",
    help: "certificate for HTTPS (PEM), read again when it is renewed",
  },
  httpTlsKey: {
    flag: "--http-tls-key",
    value: "FILE",
    environment: ["KEELSON_HTTP_TLS_KEY"],
    commands: ["run"],
    parse: values.parseText,
    fallback: () => undefined,
    defaultText: "none",
    accepts: "a path",
    help: "key of that certificate (PEM)",
  },
  logFormat: {
    flag: "--log-format",
    value: "FORMAT",
    words: ["text", "json"],
    environment: ["KEELSON_LOG_FORMAT"],
    commands: ["run"],
    parse: values.parseChoice(["text", "json"]),
    fallback: () => "text",
    defaultText: "text",
    accepts: "text, json",
    help: "lines in the original's shape, or one JSON object a line",
  },
  logLevel: {
    flag: "--log-level",
    value: "LEVEL",
    words: LOG_LEVELS,
    environment: ["KEELSON_LOG_LEVEL"],
    commands: ALL,
    parse: values.parseChoice(LOG_LEVELS),
    fallback: (_, command) => (command === "run" || command === "sriov-webhook" ? "info" : "warn"),
    defaultText: "info; warn where it is not the daemon",
    accepts: LOG_LEVELS.join(", "),
    help: "the least grave lines that are written",
  },
  logFile: {
    flag: "--log-file",
    value: "PATH",
    environment: ["KEELSON_LOG_FILE"],
    commands: ["run"],
    parse: values.parseText,
    fallback: () => undefined,
    defaultText: "none: stdout",
    accepts: "a path",
    help: "append the log to PATH, rotated at 10 MiB, 3 files in all",
  },
  controllers: {
    flag: "--controllers",
    value: "NAMES",
    words: CONTROLLERS,
    environment: ["KEELSON_CONTROLLERS"],
    commands: ["run"],
    parse: values.parseChoices(CONTROLLERS),
    fallback: () => ["addon"],
    defaultText: "addon",
    accepts: `a comma-separated list of ${CONTROLLERS.join(", ")}`,
    help: "what to run",
  },
  sriovManifests: {
    flag: "--manifests",
    value: "DIR",
    environment: ["KEELSON_SRIOV_MANIFESTS"],
    commands: ["run"],
    parse: values.parseText,
    fallback: () => undefined,
    defaultText: "those of the program",
    accepts: "a path",
    help: "folder of templates for sriov-operator-config, with the operator's sub-folders and variables",
  },
  sriovLeaderElect: {
    flag: "--sriov-leader-elect",
    value: "MODE",
    words: ["lease", "false"],
    environment: ["KEELSON_SRIOV_LEADER_ELECT"],
    commands: ["run"],
    parse: parseSriovLeaderElect,
    fallback: () => "lease",
    defaultText: "lease",
    accepts: "lease, true, false",
    help: "lease: sriov-operator-config holds a Lease in its namespace; false: it acts always",
  },
  prune: {
    flag: "--no-prune",
    environment: [],
    commands: ["apply"],
    parse: (text) => (text === "true" ? values.ok(false) : values.malformed("it takes no value")),
    fallback: () => true,
    defaultText: "false",
    accepts: "no value",
    help: "delete nothing in this pass",
  },
  forceLeader: {
    flag: "--force-leader",
    environment: [],
    commands: ["apply"],
    ...off,
    help: "act although another instance leads",
  },
};

/** The original ran the value as a command, so that `true` and `false` were all it took. */
function parseLeaderElect(text: string): values.Parsed<LeaderElectMode> {
  if (text === "") return values.ok("follow");
  if (text.toLowerCase() === "lease") return values.ok("lease");
  const parsed = values.parseSwitch(text);
  return parsed.kind === "ok" ? values.ok(parsed.value ? "follow" : "always") : parsed;
}

function parseSriovLeaderElect(text: string): values.Parsed<Settings["sriovLeaderElect"]> {
  if (text.toLowerCase() === "lease") return values.ok("lease");
  const parsed = values.parseSwitch(text);
  return parsed.kind === "ok" ? values.ok(parsed.value ? "lease" : "always") : parsed;
}

/** An override of blanks only counts as none, as in the original's shell. */
function parseOverride(text: string): ReturnType<typeof parsePruneList> {
  const parsed = parsePruneList(text);
  return parsed.kind === "ok" && parsed.value.length === 0 ? values.ok(defaultPruneList()) : parsed;
}
