import { describe, expect, it } from "vitest";
import { KeelsonError } from "../errors/index.ts";
import { loadSettings, type SettingsSource } from "./load-settings.ts";
import type { Settings } from "./settings.ts";
import { SETTINGS } from "./settings-table.ts";

const facts = { hostname: "node-7", home: "/home/op" };

function load(
  environment: Readonly<Record<string, string>>,
  flags: Readonly<Record<string, string | true>> = {},
  more: Partial<SettingsSource> = {},
): Settings {
  return loadSettings({ command: "run", environment, flags: new Map(Object.entries(flags)), facts, ...more });
}

function refusal(
  environment: Readonly<Record<string, string>>,
  flags: Readonly<Record<string, string>> = {},
): KeelsonError {
  try {
    load(environment, flags);
  } catch (error) {
    if (error instanceof KeelsonError) return error;
    throw error;
  }
  throw new KeelsonError("Internal", "was accepted");
}

describe("loadSettings", () => {
  it("has the original's defaults, and safe ones beyond", () => {
    const settings = load({});

    expect(settings).toMatchObject({
      addonPath: "/etc/kubernetes/addons",
      intervalMs: 60_000,
      leaderElect: "follow",
      hostname: "node-7",
      extraPrune: [],
      pruneAllKinds: false,
      pruneLimit: undefined,
      legacyPrune: "hold",
      kubectl: {},
      admissionControlsPath: "/etc/kubernetes/admission-controls",
      admissionWait: false,
      settleMs: 250,
      pruneSettleMs: 2000,
      set: "",
      stateDirs: ["/var/lib/keelson", "/home/op/.local/state/keelson"],
      httpAddress: { host: "127.0.0.1", port: 10_270 },
      logFormat: "text",
      logLevel: "info",
      logFile: undefined,
      controllers: ["addon"],
      prune: true,
      forceLeader: false,
    });
    expect(settings.pruneList).toHaveLength(16);
  });

  it("prefers a flag to a variable to the default", () => {
    expect(load({ ADDON_PATH: "/env" }).addonPath).toBe("/env");
    expect(load({ ADDON_PATH: "/env" }, { "--addon-path": "/flag" }).addonPath).toBe("/flag");
  });

  it("takes an empty variable for none", () => {
    expect(load({ ADDON_PATH: "", ADDON_MANAGER_LEADER_ELECTION: "", KUBECTL_OPTS: "" })).toEqual(load({}));
  });

  it("lets TEST_ADDON_CHECK_INTERVAL_SEC win", () => {
    const environment = { ADDON_CHECK_INTERVAL_SEC: "30", TEST_ADDON_CHECK_INTERVAL_SEC: "1" };

    expect(load(environment).intervalMs).toBe(1000);
  });

  it.each([
    ["60", 60_000],
    ["1.5", 1500],
    ["2m", 120_000],
    // The original goes on at once; a second is as good, and does not burn the API server.
    ["0", 1000],
  ])("reads an interval of %s", (text, expected) => {
    expect(load({ ADDON_CHECK_INTERVAL_SEC: text }).intervalMs).toBe(expected);
  });

  it.each([
    ["true", "follow"],
    ["TRUE", "follow"],
    ["1", "follow"],
    ["yes", "follow"],
    ["On", "follow"],
    ["lease", "lease"],
    ["Lease", "lease"],
    ["false", "always"],
    ["0", "always"],
    ["No", "always"],
    ["off", "always"],
  ] as const)("reads leader election %s as %s, from the variable and from the flag", (text, expected) => {
    expect(load({ ADDON_MANAGER_LEADER_ELECTION: text }).leaderElect).toBe(expected);
    expect(load({}, { "--leader-elect": text }).leaderElect).toBe(expected);
  });

  it("reads an empty --leader-elect as true", () => {
    expect(load({ ADDON_MANAGER_LEADER_ELECTION: "false" }, { "--leader-elect": "" }).leaderElect).toBe("follow");
  });

  it("reads both spellings of the prune lists, the older one first", () => {
    const older = load({
      KUBECTL_PRUNE_WHITELIST_OVERRIDE: "core/v1/Secret",
      KUBECTL_PRUNE_ALLOWLIST_OVERRIDE: "core/v1/Pod",
    });
    const newer = load({ KUBECTL_EXTRA_PRUNE_ALLOWLIST: "core/v1/LimitRange" });

    expect(older.pruneList).toEqual([{ group: "", version: "v1", kind: "Secret" }]);
    expect(newer.extraPrune).toEqual([{ group: "", version: "v1", kind: "LimitRange" }]);
    expect(newer.pruneList).toHaveLength(16);
  });

  it("takes an override of blanks for none, as the original's shell does", () => {
    expect(load({ KUBECTL_PRUNE_WHITELIST_OVERRIDE: "  \n " }).pruneList).toHaveLength(16);
  });

  it.each([
    ["10", { kind: "count", count: 10 }],
    ["0", { kind: "count", count: 0 }],
    ["25%", { kind: "percent", percent: 25 }],
    ["off", undefined],
  ])("reads a prune limit of %s", (text, expected) => {
    expect(load({}, { "--prune-limit": text }).pruneLimit).toEqual(expected);
  });

  it.each([
    ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
    ["localhost:80", { host: "localhost", port: 80 }],
    [":8080", { host: "::", port: 8080 }],
    ["[::1]:8080", { host: "::1", port: 8080 }],
    ["off", undefined],
  ])("reads an HTTP address of %s", (text, expected) => {
    expect(load({}, { "--http-address": text }).httpAddress).toEqual(expected);
  });

  it("uses one state directory where one is named, and $XDG_STATE_HOME for the default", () => {
    expect(load({ KEELSON_STATE_DIR: "/s" }).stateDirs).toEqual(["/s"]);
    expect(load({}, {}, { facts: { ...facts, stateHome: "/x" } }).stateDirs[1]).toBe("/x/keelson");
  });

  it("keeps KUBECTL_BIN to be able to say that it is ignored", () => {
    expect(load({ KUBECTL_BIN: "/usr/bin/kubectl" }).kubectlBin).toBe("/usr/bin/kubectl");
  });

  it("lets kubectl's flags of the command line win over KUBECTL_OPTS", () => {
    const settings = load(
      { KUBECTL_OPTS: "--kubeconfig=/a --context c" },
      {},
      { kubectlFlags: [{ name: "kubeconfig", value: "/b" }] },
    );

    expect(settings.kubectl).toEqual({ kubeconfig: "/b", context: "c" });
  });

  it("ignores variables that the command does not take", () => {
    const source = { command: "lint", flags: new Map(), facts } as const;

    expect(() => loadSettings({ ...source, environment: { KUBECTL_OPTS: "--nonsense" } })).not.toThrow();
  });

  it("logs less where it is not the daemon", () => {
    expect(loadSettings({ command: "plan", flags: new Map(), facts, environment: {} }).logLevel).toBe("warn");
  });

  it("reads switches as switches", () => {
    const flags = new Map<string, true>([
      ["--no-prune", true],
      ["--force-leader", true],
      ["--admission-wait", true],
      ["--prune-all-kinds", true],
    ]);

    expect(loadSettings({ command: "apply", flags, facts, environment: {} })).toMatchObject({
      prune: false,
      forceLeader: true,
      admissionWait: true,
      pruneAllKinds: true,
    });
  });

  it.each([
    ["ADDON_CHECK_INTERVAL_SEC", "soon"],
    ["ADDON_CHECK_INTERVAL_SEC", "-5"],
    ["ADDON_CHECK_INTERVAL_SEC", "999999999"],
    ["TEST_ADDON_CHECK_INTERVAL_SEC", "1,5"],
    ["ADDON_MANAGER_LEADER_ELECTION", "maybe"],
    ["ADDON_MANAGER_LEADER_ELECTION", "false; rm -rf /"],
    ["HOSTNAME", "cp 1"],
    ["KUBECTL_PRUNE_WHITELIST_OVERRIDE", "core/v1/Secret v1/Pod"],
    ["KUBECTL_EXTRA_PRUNE_ALLOWLIST", "apps/v1/Deployment/x"],
    ["KEELSON_LEGACY_PRUNE", "AUTO"],
    ["KEELSON_PRUNE_LIMIT", "101%"],
    ["KEELSON_PRUNE_LIMIT", "-1"],
    ["KEELSON_SETTLE", "250"],
    ["KEELSON_PRUNE_SETTLE", "2 s"],
    ["KEELSON_SET", "Front_End"],
    ["KEELSON_SET", "-a"],
    ["KEELSON_HTTP_ADDRESS", "10270"],
    ["KEELSON_HTTP_ADDRESS", "127.0.0.1:70000"],
    ["KEELSON_HTTP_ADDRESS", "::1:80"],
    ["KEELSON_LOG_FORMAT", "logfmt"],
    ["KEELSON_LOG_LEVEL", "trace"],
    ["KEELSON_CONTROLLERS", "addon,dns"],
    ["KEELSON_ADMISSION_WAIT", "sometimes"],
  ])("refuses %s=%j, naming variable, value and what is accepted", (variable, value) => {
    const error = refusal({ [variable]: value });

    expect(error.code).toBe("InvalidFlag");
    expect(error.object).toBe(variable);
    expect(error.message).toContain(`${variable}="${value}"`);
    expect(error.message).toMatch(/; accepted: ./);
  });

  it("names the flag where the flag is wrong", () => {
    expect(refusal({}, { "--interval": "soon" }).message).toContain('--interval="soon"');
    expect(refusal({}, { "--addon-path": "" }).message).toContain('--addon-path=""');
  });

  it("names the malformed entry of a prune list", () => {
    expect(refusal({ KUBECTL_EXTRA_PRUNE_WHITELIST: "core/v1/Pod apps/Deployment" }).message).toContain(
      '"apps/Deployment" is not group/version/Kind',
    );
  });

  it("does not show what KUBECTL_OPTS holds: it may be a token", () => {
    const error = refusal({ KUBECTL_OPTS: "--token=s3cret --bogus=1" });

    expect(error.message).toContain("KUBECTL_OPTS: unknown flag --bogus");
    expect(error.message).not.toContain("s3cret");
  });
});

describe("the settings table", () => {
  const settings = Object.values(SETTINGS);

  it("gives every flag and every variable one meaning", () => {
    const names = settings.flatMap(({ flag, environment }) => [...(flag === undefined ? [] : [flag]), ...environment]);

    expect(new Set(names).size).toBe(names.length);
  });

  it("has a flag for every variable but the ignored one", () => {
    const without = settings.filter(({ flag }) => flag === undefined).map(({ environment }) => environment);

    expect(without).toEqual([["KUBECTL_BIN"]]);
  });

  it("accepts its own words", () => {
    for (const setting of settings) {
      for (const word of setting.words ?? []) expect(setting.parse(word).kind).toBe("ok");
    }
  });
});
