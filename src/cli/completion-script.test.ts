import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "./test-host.case.ts";

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-completion-"));
});

afterAll(() => rmSync(directory, { recursive: true }));

async function script(shell: string): Promise<string> {
  const { code, out } = await runCli(["completion", shell]);
  expect(code).toBe(0);
  const path = join(directory, `keelson.${shell}`);
  writeFileSync(path, out);
  return path;
}

const has = (shell: string): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** What bash offers for a line; bash splits words at "=" too. */
async function bashOffers(line: string): Promise<readonly string[]> {
  const words = line.split(/(=)|\s/).filter((word) => word !== undefined);
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const body = `source '${await script("bash")}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _keelson; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["--norc", "-c", body], { encoding: "utf8" })
    .split("\n")
    .filter((word) => word !== "");
}

describe.skipIf(!has("bash"))("bash completion (needs bash)", () => {
  it.each([
    ["keelson pl", ["plan"]],
    [
      "keelson ",
      [
        "run",
        "plan",
        "apply",
        "lint",
        "render",
        "rbac",
        "status",
        "wait",
        "fsck",
        "adopt",
        "prune",
        "history",
        "show",
        "diff",
        "rollback",
        "resume",
        "pause",
        "unpause",
        "audit",
        "sriov-webhook",
        "sandbox",
        "demo",
        "version",
        "completion",
      ],
    ],
    ["keelson plan --prune-l", ["--prune-list", "--prune-limit"]],
    ["keelson plan -o ", ["table", "json", "yaml"]],
    ["keelson plan --output=y", ["yaml"]],
    ["keelson run --log-format ", ["text", "json"]],
    ["keelson run --leader-elect=l", ["lease"]],
    ["keelson completion z", ["zsh"]],
    ["keelson run --settl", ["--settle"]],
    ["keelson version --settl", []],
    // Paths are left to bash itself.
    ["keelson plan --kubeconfig /", []],
    ["keelson plan /", []],
  ])("offers for %j", async (line, expected) => {
    expect(await bashOffers(line)).toEqual(expected);
  });

  it("serves both names", async () => {
    const body = `source '${await script("bash")}'; complete -p keelson kubectl-keelson`;

    expect(execFileSync("bash", ["--norc", "-c", body], { encoding: "utf8" })).toContain("-F _keelson kubectl-keelson");
  });
});

describe.skipIf(!has("zsh"))("zsh completion (needs zsh)", () => {
  it("is read without an error", async () => {
    const body = `autoload -U compinit; compinit -u -D; source '${await script("zsh")}'; print $_comps[keelson]`;

    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", body], { encoding: "utf8" });

    expect({ stdout, stderr }).toEqual({ stdout: "_keelson\n", stderr: "" });
  });
});

describe.skipIf(!has("fish"))("fish completion (needs fish)", () => {
  it.each([
    ["keelson pl", "plan"],
    ["keelson plan --prune-li", "--prune-limit"],
    ["keelson plan -o j", "json"],
    ["keelson completion z", "zsh"],
  ])("offers for %j: %s", async (line, expected) => {
    const body = `source '${await script("fish")}'; complete -C '${line}'`;

    const offered = execFileSync("fish", ["--no-config", "-c", body], { encoding: "utf8" }).split("\n");

    expect(offered.map((entry) => entry.split("\t")[0]?.replace(/^-o/, ""))).toContain(expected);
  });
});

describe("every script", () => {
  it.each(["bash", "zsh", "fish"])(
    "for %s names every command and the flags of settings and cluster",
    async (shell) => {
      const { out } = await runCli(["completion", shell]);

      for (const word of ["run", "plan", "status", "addon-path", "kubeconfig", "confirm"]) expect(out).toContain(word);
    },
  );
});
