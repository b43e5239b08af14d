import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, findBinaries, repositoryRoot } from "../control-plane/index.ts";

/**
 * Every block of commands (fence `sh`) of README, guides and examples is executed: those of one page one after the
 * other in one shell, from a copy of the checkout, against a sandbox of the page's own. Marks stand in comments that
 * readers do not see, on the lines before a block:
 *
 *   <!-- not run: REASON -->   the block cannot run here
 *   <!-- setup: COMMANDS -->   run before the block: what the reader has already
 *   <!-- exit: N -->           its last command ends with N
 *   <!-- prints -->            before a block of text that follows: the commands print these lines, in this order;
 *                              … stands for anything
 */
const PAGES = [
  "README.md",
  "examples/addons/README.md",
  "examples/sriov/README.md",
  ...readdirSync(join(repositoryRoot, "docs/guides"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/guides/${name}`),
];

interface Block {
  readonly line: number;
  readonly text: string;
  readonly notRun: string | undefined;
  readonly exit: number;
  readonly setup: string;
  /** What it prints, line by line. */
  readonly prints: readonly string[];
}

/** The blocks of commands of a page, in order. */
function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = page.split("\n");
  let marks: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const [, mark] = /^\s*<!-- (not run: .+|setup: .+|exit: \d+|prints) -->$/.exec(line) ?? [];
    const [, indent = "", language] = /^(\s*)```(\S*)/.exec(line) ?? [];
    if (mark !== undefined) marks.push(mark);
    else if (language !== undefined) {
      const end = lines.findIndex((each, at) => at > index && each.trim() === "```");
      const body = lines.slice(index + 1, end).map((each) => each.slice(indent.length));
      const last = blocks.at(-1);
      if (marks.includes("prints") && last !== undefined) blocks[blocks.length - 1] = { ...last, prints: body };
      else if (language === "sh") {
        const notRun = marks.find((each) => each.startsWith("not run: "))?.slice("not run: ".length);
        const exit = Number(marks.find((each) => each.startsWith("exit: "))?.slice("exit: ".length) ?? 0);
        const setup = marks.find((each) => each.startsWith("setup: "))?.slice("setup: ".length) ?? "";
        blocks.push({ line: index + 1, text: body.join("\n"), notRun, exit, setup, prints: [] });
      }
      marks = [];
      index = end;
    } else if (line.trim() !== "") marks = [];
  }
  return blocks;
}

/** A shell script of the blocks that are run; it says before each one where it stands. */
function scriptOf(blocks: readonly Block[]): string {
  const parts = blocks.map(({ line, text, exit, setup }) => {
    const expected =
      exit === 0 ? "" : `code=$?; [ $code -eq ${exit} ] || { echo "ended with $code, not ${exit}" >&2; exit 1; }\n`;
    return `set -e\n${setup}\nprintf "\\n@@ ${line}\\n"\n${exit === 0 ? "set -e" : "set +e"}\n${text}\n${expected}`;
  });
  return `${parts.join("\n")}\nprintf "\\n@@ end\\n"\n`;
}

const program = join(repositoryRoot, "bin/keelson");
/** The pages' commands wait for what they have started; none needs longer. */
const PAGE_TIMEOUT_MS = 120_000;

let directory: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-documentation-"));
  const bin = join(directory, "bin");
  mkdirSync(bin);
  symlinkSync(program, join(bin, "keelson"));
  symlinkSync(program, join(bin, "kubectl-keelson"));
  const found = findBinaries();
  if (found.kind === "ready") symlinkSync(found.binaries.kubectl, join(bin, "kubectl"));
});

afterAll(() => {
  for (const { pid } of children) if (pid !== undefined) endGroup(pid);
  rmSync(directory, { recursive: true, force: true });
});

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended by itself.
  }
}

const path = (): string => `${join(directory, "bin")}:${process.env.PATH ?? ""}`;
const hasKubectl = (): boolean =>
  findBinaries().kind === "ready" || spawnSync("kubectl", ["version", "--client"]).status === 0;

/** A copy of what the pages name, for them to change. */
function copyOfCheckout(name: string): string {
  const home = join(directory, name);
  mkdirSync(home);
  for (const each of ["bin", "dist", "templates", "docs", "deploy"])
    symlinkSync(join(repositoryRoot, each), join(home, each));
  cpSync(join(repositoryRoot, "examples"), join(home, "examples"), { recursive: true });
  return home;
}

async function startSandbox(home: string): Promise<string> {
  const kubeconfig = join(home, "sandbox.kubeconfig");
  const args = ["sandbox", "--kubeconfig-out", kubeconfig, "--simulate-workloads", "--lease-host", hostname()];
  const child = spawn(program, args, { detached: true, stdio: "ignore", cwd: home });
  children.push(child);
  await eventually("the sandbox is ready", () => readFileSync(kubeconfig, "utf8") !== "");
  return kubeconfig;
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

async function run(home: string, script: string, kubeconfig: string): Promise<Ran> {
  const file = join(home, "blocks.sh");
  writeFileSync(file, script);
  const env = { PATH: path(), HOME: home, TMPDIR: home, KUBECONFIG: kubeconfig, USER: "reader" };
  const child = spawn("bash", [file], { cwd: home, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  child.stderr.on("data", (part: Buffer) => (output += part.toString()));
  const timer = setTimeout(() => {
    output += `\n@@ not done within ${PAGE_TIMEOUT_MS} ms`;
    if (child.pid !== undefined) endGroup(child.pid);
  }, PAGE_TIMEOUT_MS);
  // "exit", as what the page left running keeps its outputs open.
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  clearTimeout(timer);
  if (child.pid !== undefined) endGroup(child.pid);
  return { code, output };
}

/** The part of the output that a block printed. */
function outputOf(output: string, line: number): string {
  const start = output.indexOf(`@@ ${line}\n`);
  const end = output.indexOf("@@ ", start + 3);
  return output.slice(start, end < 0 ? undefined : end);
}

/** The expected lines that are not printed, or not in this order. */
function missing(output: string, expected: readonly string[]): readonly string[] {
  const printed = output.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  let from = 0;
  return expected.filter((line) => {
    const parts = line
      .replace(/\s+/g, " ")
      .trim()
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(`^${parts.join(".*")}$`);
    const at = printed.findIndex((each, index) => index >= from && pattern.test(each));
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}

describe("documentation", () => {
  it.each(PAGES)(
    "%s: each block of commands runs, and prints what the page says",
    { timeout: PAGE_TIMEOUT_MS + 20_000 },
    async (name) => {
      const page = readFileSync(join(repositoryRoot, name), "utf8");
      const blocks = blocksOf(page);
      for (const { line, notRun } of blocks) {
        if (notRun !== undefined) process.stderr.write(`${name}:${line}: not run: ${notRun}\n`);
      }
      const runnable = blocks.filter(({ notRun }) => notRun === undefined);
      if (runnable.length === 0) return;
      const needsKubectl = runnable.some(({ text }) => /\bkubectl\b/.test(text));
      if (needsKubectl && !hasKubectl()) {
        process.stderr.write(`\n*** ${name} is not executed: kubectl is not installed ***\n`);
        expect(process.env.CI).not.toBe("true");
        return;
      }

      const home = copyOfCheckout(name.replaceAll("/", "-"));
      const { code, output } = await run(home, scriptOf(runnable), await startSandbox(home));

      const last = [...output.matchAll(/^@@ (\d+|end)$/gm)].at(-1)?.[1];
      expect({ name, last, code, output: last === "end" ? "" : output.slice(-3000) }).toEqual({
        name,
        last: "end",
        code: 0,
        output: "",
      });
      for (const { line, prints } of runnable) {
        const printed = outputOf(output, line);
        expect({
          line,
          missing: missing(printed, prints),
          printed: missing(printed, prints).length > 0 ? printed : "",
        }).toEqual({
          line,
          missing: [],
          printed: "",
        });
      }
    },
  );

  it("has no block in another shell's name, which nobody would execute", () => {
    const strays = PAGES.flatMap((name) => {
      const page = readFileSync(join(repositoryRoot, name), "utf8");
      return [...page.matchAll(/^\s*```(bash|shell|console|zsh)\b/gm)].map(([fence]) => `${name}: ${fence}`);
    });

    expect(strays).toEqual([]);
  });
});
