import { describe, expect, it } from "vitest";
import type { ApplyReport, LintReport, PlanReport, StatusView } from "../daemon/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { runCli, spying } from "./test-host.case.ts";

const dns = { group: "", kind: "ConfigMap", namespace: "kube-system", name: "dns" };
const made = { version: 1, set: "", path: "/addons", desired: "v1:0" } as const;
const noChange: PlanReport = {
  ...made,
  steps: [],
  summary: { unchanged: 3 },
  held: { objects: [] },
  problems: [],
  omitted: [],
};
const change: PlanReport = {
  ...noChange,
  steps: [{ action: "create", object: dns, file: "dns.yaml", line: 1, reason: "it is not there", diff: [] }],
  summary: { create: 1 },
};
const held: PlanReport = { ...noChange, steps: [{ action: "hold", object: dns, reason: "held", diff: [] }] };
const problem = { file: "a.yaml", line: 3, message: "not YAML" };
const done: ApplyReport = { steps: [], objects: [], summary: {}, held: { objects: [] }, problems: [], omitted: [] };
const clean: LintReport = { objects: [], problems: [] };

describe("the program", () => {
  it("shows its commands without loading the daemon", async () => {
    let loaded = 0;

    const { code, out } = await runCli(["--help"], { onLoad: () => (loaded += 1) });

    expect(code).toBe(0);
    for (const name of ["run", "plan", "apply", "lint", "status", "prune", "version", "completion"]) {
      expect(out).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    }
    expect(loaded).toBe(0);
  });

  it.each([["version"], ["--version"]])("answers %s without loading the daemon", async (...args) => {
    let loaded = 0;

    const { code, out } = await runCli(args, { onLoad: () => (loaded += 1) });

    expect(code).toBe(0);
    expect(out).toMatch(/^keelson \d/);
    expect(loaded).toBe(0);
  });

  it("goes by the name that it was called", async () => {
    expect((await runCli(["--help"], { programName: "kubectl keelson" })).out).toContain("Usage: kubectl keelson");
  });

  it.each([[["plan", "--help"]], [["help", "plan"]]])(
    "shows a command's settings, flags and exit codes: %j",
    async (args) => {
      const { code, out } = await runCli(args);

      expect(code).toBe(0);
      for (const part of [
        "--addon-path",
        "ADDON_PATH",
        "--kubeconfig",
        "-n, --namespace",
        "-o, --output",
        "Exit codes:",
      ]) {
        expect(out).toContain(part);
      }
    },
  );

  it.each([
    [["plon"], "unknown command 'plon'"],
    [["plan", "--bogus"], "unknown option '--bogus'"],
    [["plan", "a", "b"], "too many arguments"],
    [["plan", "--addon-path"], "argument missing"],
    [["plan", "-o", "xml"], "Allowed choices are table, json, yaml"],
    [["prune"], "--confirm"],
    [["completion"], "SHELL"],
    [["completion", "csh"], 'SHELL="csh"'],
    [["plan", "--prune-limit", "many"], '--prune-limit="many"'],
    [["plan", "a", "--addon-path", "b"], 'DIR="a"'],
    [["prune", "--confirm", ""], '--confirm=""'],
  ])("refuses %j with exit code 2, on stderr alone", async (args, why) => {
    const { code, out, err } = await runCli(args);

    expect(code).toBe(2);
    expect(err).toContain(why);
    expect(err).toMatch(/^keelson: /);
    expect(out).toBe("");
  });

  it("refuses a malformed variable before anything is done", async () => {
    const { code, err } = await runCli(["run"], { environment: { ADDON_CHECK_INTERVAL_SEC: "soon" } });

    expect(code).toBe(2);
    expect(err).toBe(
      'keelson: ADDON_CHECK_INTERVAL_SEC="soon": not a duration; accepted: a number of seconds, or a duration such as 90s or 2m\n',
    );
  });

  it.each(["plan", "apply", "lint"] as const)("takes the directory of %s as an argument", async (command) => {
    const report = { plan: noChange, apply: done, lint: clean }[command];
    const { seen, operation } = spying(report);

    await runCli([command, "/some/dir"], { operations: { [command]: operation }, environment: { ADDON_PATH: "/env" } });
    await runCli([command], { operations: { [command]: operation }, environment: { ADDON_PATH: "/env" } });

    expect(seen.map(({ addonPath }) => addonPath)).toEqual(["/some/dir", "/env"]);
  });

  it("hands on settings and kubectl's flags, however they are spelled", async () => {
    const { seen, operation } = spying(done);
    const args = ["apply", "--no-prune", "--force-leader", "--prune-limit=10%", "--leader-elect=", "-n", "ns"];

    await runCli([...args, "--as-group", "a", "--as-group=b", "-shttps://x", "--insecure-skip-tls-verify", "-v3"], {
      operations: { apply: operation },
    });

    expect(seen[0]).toMatchObject({
      prune: false,
      forceLeader: true,
      pruneLimit: { kind: "percent", percent: 10 },
      leaderElect: "follow",
      kubectl: { namespace: "ns", asGroup: ["a", "b"], server: "https://x", insecureSkipTlsVerify: true },
    });
  });

  it("does not prune less by itself", async () => {
    const { seen, operation } = spying(done);

    await runCli(["apply"], { operations: { apply: operation } });

    expect(seen[0]).toMatchObject({ prune: true, forceLeader: false });
  });

  it("answers what the daemon's run answers", async () => {
    expect((await runCli(["run"], { operations: { run: async () => 7 } })).code).toBe(7);
  });

  it.each([
    ["no change", noChange, 0],
    ["a change", change, 1],
    ["holds alone", held, 0],
    ["problems", { ...change, problems: [problem] }, 3],
  ])("tells by plan's exit code: %s", async (_, report, code) => {
    expect((await runCli(["plan"], { operations: { plan: async () => report } })).code).toBe(code);
  });

  it.each([
    ["all done", done, 0],
    ["a failed object", { ...done, objects: [{ outcome: "failed", object: dns, message: "no" }] } as ApplyReport, 1],
    ["problems", { ...done, problems: [problem] }, 1],
  ])("tells by apply's exit code: %s", async (_, report, code) => {
    expect((await runCli(["apply"], { operations: { apply: async () => report } })).code).toBe(code);
  });

  it.each([
    ["no problem", clean, 0],
    ["problems", { ...clean, problems: [problem] }, 1],
  ])("tells by lint's exit code: %s", async (_, report, code) => {
    expect((await runCli(["lint"], { operations: { lint: async () => report } })).code).toBe(code);
  });

  it.each([
    [new KeelsonError("Unreadable", "DIR: no such directory"), 3],
    [new KeelsonError("Unreachable", "https://x: connection refused"), 4],
    [new KeelsonError("NotLeader", "cp-2_a leads; --force-leader acts all the same"), 5],
    [new KeelsonError("AnotherInstance", "cp-2 acts"), 5],
    [new KeelsonError("Refused", "the held list has changed"), 3],
    [new KeelsonError("InvalidFlag", "bad"), 2],
    [new KeelsonError("Internal", "broken"), 70],
    [new TypeError("undefined is not a function"), 70],
  ])("prints %s and answers its exit code", async (error, code) => {
    const ran = await runCli(["plan"], { operations: { plan: () => Promise.reject(error) } });

    expect(ran.code).toBe(code);
    expect(ran.err).toContain(`keelson: ${error.message}\n`);
    expect(ran.out).toBe("");
    // A stack is only of use where the fault is ours.
    expect(ran.err.includes("program.test.ts")).toBe(code === 70);
  });

  it("lets no escape sequence of an error through", async () => {
    const error = new KeelsonError("Invalid", "name \u001b[31mred");

    const { err } = await runCli(["plan"], { operations: { plan: () => Promise.reject(error) } });

    expect(err).toBe("keelson: name \\u001b[31mred\n");
  });

  it("hands the digest on", async () => {
    const digests: string[] = [];

    const { code } = await runCli(["prune", "--confirm", "abc"], {
      operations: {
        confirmPrune: async (_, digest) => {
          digests.push(digest);
          return { digest, released: [] };
        },
      },
    });

    expect(code).toBe(0);
    expect(digests).toEqual(["abc"]);
  });

  it("shows progress on a terminal, and takes it away before the report", async () => {
    const operations = {
      plan: async (_: unknown, io: { progress: (message: string) => void }) => {
        io.progress("reading");
        return noChange;
      },
    };

    const terminal = await runCli(["plan"], { operations, isTerminal: true });
    const pipe = await runCli(["plan"], { operations });

    expect(terminal.err).toBe("\r\u001b[Kreading\r\u001b[K");
    expect(pipe.err).toBe("");
  });
});

describe("-o", () => {
  const status: StatusView = {
    version: 1,
    set: "",
    instance: "cp-1",
    updated: "2030-01-01T00:00:00Z",
    path: "/etc/kubernetes/addons",
    phase: "converged",
    summary: { converged: 3 },
    objects: [],
    held: { objects: [] },
    problems: [],
    daemon: { state: "running", message: "it answers" },
  };

  it("prints the report as it is as JSON", async () => {
    const { out } = await runCli(["status", "-o", "json"], { operations: { status: async () => status } });

    expect(JSON.parse(out)).toEqual(status);
  });

  it("prints it as YAML", async () => {
    const { out } = await runCli(["status", "--output=yaml"], { operations: { status: async () => status } });

    expect(out).toContain("phase: converged\nsummary:\n  converged: 3\n");
  });

  it("has exactly the keys of lint's contract", async () => {
    const lint: LintReport = {
      objects: [{ file: "a.yaml", line: 1, mode: "omitted", object: dns }],
      problems: [problem],
    };

    const { out } = await runCli(["lint", "-o", "json"], { operations: { lint: async () => lint } });

    expect(JSON.parse(out)).toEqual(lint);
  });

  it.each([
    ["on a terminal", true, {}, true],
    ["in a pipe", false, {}, false],
    ["with NO_COLOR", true, { NO_COLOR: "1" }, false],
    ["with an empty NO_COLOR", true, { NO_COLOR: "" }, true],
    ["on a dumb terminal", true, { TERM: "dumb" }, false],
  ])("colours %s: %j", async (_, isTerminal, environment: Record<string, string>, coloured) => {
    const { out } = await runCli(["plan"], { operations: { plan: async () => change }, isTerminal, environment });

    expect(out.includes("\u001b[32m")).toBe(coloured);
  });

  it("never colours JSON", async () => {
    const operations = { plan: async () => change };

    const { out } = await runCli(["plan", "-o", "json"], { operations, isTerminal: true });

    expect(out).not.toContain("\u001b");
  });
});

describe("secrets in messages", () => {
  it("does not repeat the value of a mistyped flag", async () => {
    const { err, code } = await runCli(["plan", "--tokn=abc 'def"]);

    expect(code).toBe(2);
    expect(err).toContain("unknown option '--tokn=…'");
    expect(err).not.toContain("abc");
  });

  it("hides the password of a URL in errors", async () => {
    const failing = () => Promise.reject(new KeelsonError("Unreachable", "https://user:PW@host:6443: refused"));
    const { err } = await runCli(["plan"], { operations: { plan: failing } });

    expect(err).toBe("keelson: https://[redacted]@host:6443: refused\n");
  });
});
