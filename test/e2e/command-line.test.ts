import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../control-plane/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = join(root, "bin/keelson");
const bundle = join(root, "dist/keelson.js");
const version = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;

let directory: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  if (!existsSync(bundle)) throw new TypeError("dist/keelson.js is not built: npm run build");
  directory = mkdtempSync(join(tmpdir(), "keelson-e2e-"));
  mkdirSync(join(directory, "addons"));
});

afterAll(() => rmSync(directory, { recursive: true }));

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface Daemon {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** A daemon whose API server never answers: enough for all that is about the process. */
function startDaemon(...args: readonly string[]): Daemon {
  const addons = join(directory, "addons");
  const flags = ["--server", "https://127.0.0.1:1", "--http-address", "127.0.0.1:0", "--addon-path", addons];
  const child = spawn(program, ["run", ...flags, ...args], { env: { PATH: process.env.PATH ?? "", HOME: directory } });
  children.push(child);
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  child.stderr.on("data", (part: Buffer) => (output += part.toString()));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
  return { child, output: () => output, ended };
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

const started = (daemon: Daemon): Promise<unknown> =>
  eventually("the daemon says that it has started", () => daemon.output().includes("addon manager started"));

const run = (path: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync(path, args, { encoding: "utf8", env: { PATH: process.env.PATH ?? "", HOME: directory, ...env } });

describe("bin/keelson", () => {
  it("prints the package's version", () => {
    const { stdout, status } = run(program, ["version"]);

    expect(stdout).toMatch(new RegExp(`^keelson ${version.replaceAll(".", "\\.")} \\(node v`));
    expect(status).toBe(0);
  });

  it("runs through symbolic links, relative ones and chains too, from anywhere", () => {
    mkdirSync(join(directory, "links/a"), { recursive: true });
    symlinkSync(program, join(directory, "links/first"));
    symlinkSync("../first", join(directory, "links/a/second"));

    const { stdout } = spawnSync("sh", ["-c", "./second --version"], {
      cwd: join(directory, "links/a"),
      encoding: "utf8",
    });

    expect(stdout).toBe(`keelson ${version}\n`);
  });

  it("is a plug-in of kubectl under another name", () => {
    const link = join(directory, "kubectl-keelson");
    symlinkSync(program, link);

    expect(run(link, ["plan", "--help"]).stdout).toContain("Usage: kubectl keelson plan");
    expect(run(program, ["plan", "--help"]).stdout).toContain("Usage: keelson plan");
  });

  it("says what to do where it is not built", () => {
    const checkout = join(directory, "a checkout");
    mkdirSync(join(checkout, "bin"), { recursive: true });
    cpSync(program, join(checkout, "bin/keelson"));

    const { status, stderr } = run(join(checkout, "bin/keelson"), ["version"]);

    expect(status).toBe(2);
    expect(stderr).toBe(`keelson: not built: run \`npm ci && npm run build\` in ${checkout}\n`);
  });

  it("takes the Node.js that KEELSON_NODE names, and says where there is none", () => {
    const node = join(directory, "my node");
    writeFileSync(node, '#!/bin/sh\necho "mine: $*"\n');
    chmodSync(node, 0o755);

    expect(run(program, ["version"], { KEELSON_NODE: node }).stdout).toBe(
      `mine: --min-semi-space-size=16 ${bundle} version\n`,
    );
    expect(run(program, ["version"], { KEELSON_NODE: "/none" })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("KEELSON_NODE") as string,
    });
  });

  it("makes Node.js small for the daemon alone", () => {
    const node = join(directory, "echo-node");
    writeFileSync(node, '#!/bin/sh\necho "$MALLOC_ARENA_MAX: $*"\n');
    chmodSync(node, 0o755);

    expect(run(program, ["run"], { KEELSON_NODE: node }).stdout).toBe(`1: --max-semi-space-size=1 ${bundle} run\n`);
    expect(run(program, ["plan", "run"], { KEELSON_NODE: node }).stdout).toBe(
      `: --min-semi-space-size=16 ${bundle} plan run\n`,
    );
  });

  it("hands on arguments as they are", () => {
    const { stderr } = run(program, ["plan", "--prune-limit", "a  b*'\""]);

    expect(stderr).toContain(`--prune-limit="a  b*'""`);
  });
});

describe("the bundle", () => {
  it("is a small file that knows its version, and one of at most a mebibyte that does everything else", () => {
    expect(statSync(bundle).size).toBeLessThanOrEqual(8 * 1024);
    expect(statSync(join(root, "dist/program.cjs")).size).toBeLessThanOrEqual(1024 * 1024);
  });
});

describe("the process", () => {
  it("is Node.js itself under the pid that was started", async () => {
    const daemon = startDaemon();
    await started(daemon);

    const [command = "", ...args] = readFileSync(`/proc/${daemon.child.pid}/cmdline`, "utf8").split("\0");

    expect(command).toMatch(/node$/);
    expect(args.slice(0, 2)).toEqual(["--max-semi-space-size=1", bundle]);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("stops on %s with 0", async (signal) => {
    const daemon = startDaemon();
    await started(daemon);

    daemon.child.kill(signal);

    expect(await daemon.ended).toEqual({ code: 0, signal: null });
  });

  it("goes on after SIGHUP", async () => {
    const daemon = startDaemon();
    await started(daemon);
    await eventually("the daemon serves", () => daemon.output().includes("Serving HTTP"));

    daemon.child.kill("SIGHUP");
    daemon.child.kill("SIGTERM");

    expect(await daemon.ended).toEqual({ code: 0, signal: null });
  });

  it("goes on where the reader of its log goes away", async () => {
    const daemon = startDaemon("--log-level", "debug");
    await started(daemon);

    daemon.child.stdout?.destroy();
    // Further lines come from the retries against the API server; the process is still there to take a signal.
    await eventually("the daemon still lives", () => daemon.child.exitCode === null);
    daemon.child.kill("SIGTERM");

    expect(await daemon.ended).toEqual({ code: 0, signal: null });
  });

  it("goes on where the disk of its log is full", async () => {
    const port = await freePort();
    const daemon = startDaemon("--log-file", "/dev/full", "--http-address", `127.0.0.1:${port}`);
    await eventually("the daemon is alive", async () => (await fetch(`http://127.0.0.1:${port}/livez`)).ok);

    daemon.child.kill("SIGTERM");

    expect(await daemon.ended).toEqual({ code: 0, signal: null });
  });

  it("logs to a file where it is told to, its failure too", () => {
    const path = join(directory, "logs/keelson.log");

    const { status, stderr } = run(program, ["run", "--log-file", path, "--kubeconfig", "/nonexistent"]);

    expect(status).toBe(3);
    expect(stderr).toContain("keelson: ");
    expect(readFileSync(path, "utf8")).toMatch(/addon manager started[\s\S]*ERR: == .*\/nonexistent/);
  });

  it("ends quietly where its reader has seen enough", () => {
    const { stdout, stderr } = spawnSync("sh", ["-c", `'${program}' run --help | head -n 1`], { encoding: "utf8" });

    expect(stdout).toContain("Usage");
    expect(stderr).toBe("");
  });

  it("answers a command that cannot reach its cluster with 4, and says where", () => {
    const { status, stderr } = run(program, ["status", "--server", "https://127.0.0.1:1", "--request-timeout", "1s"]);

    expect(status).toBe(4);
    expect(stderr).toContain("127.0.0.1:1");
    expect(stderr).not.toContain("    at ");
  });
});
