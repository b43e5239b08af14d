import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eventually, repositoryRoot, TestBedError } from "../../control-plane/index.ts";

export interface DaemonOptions {
  readonly kubeconfig: string;
  /** Name of its set. */
  readonly set: string;
  /** Files of its directory at the start. */
  readonly files: Readonly<Record<string, string>>;
}

/** `keelson run` of the built program, serving its dashboard. */
export class DashboardDaemon {
  readonly directory: string;
  readonly #root: string;
  readonly #options: DaemonOptions;
  #port = 0;
  #child: ChildProcess | undefined;
  #output = "";

  constructor(options: DaemonOptions) {
    if (!existsSync(join(repositoryRoot, "dist/ui/index.html"))) throw new TestBedError("not built: npm run build");
    this.#options = options;
    this.#root = mkdtempSync(join(tmpdir(), "keelson-browser-"));
    this.directory = join(this.#root, "addons");
    mkdirSync(this.directory);
    for (const [name, text] of Object.entries(options.files)) this.write(name, text);
  }

  /** Starts it, always on the same port, and waits until it serves. */
  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    const child = spawn(PROGRAM, ["run"], { env: this.#environment(), stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part: Buffer) => (this.#output += part.toString()));
    this.#child = child;
    await eventually("the daemon serves", async () => (await fetch(`${this.origin}/livez`)).ok, { timeoutMs: 20_000 });
  }

  /** What another command of the program says about the same set. */
  run(...args: readonly string[]): string {
    return spawnSync(PROGRAM, args, { env: this.#environment(), encoding: "utf8" }).stdout;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Everything that it has written. */
  get log(): string {
    return this.#output;
  }

  /** The address of a page: `objects?kind=Pod`. */
  page(path: string = ""): string {
    return `${this.origin}/#/${path}`;
  }

  /** What the API answers. */
  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.origin}/api/v1${path}`);
    if (!response.ok) throw new TestBedError(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  write(name: string, text: string): void {
    const path = join(this.directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  remove(name: string): void {
    rmSync(join(this.directory, name));
  }

  /** Ends it and waits for that. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** Ends it and takes its files away. */
  async dispose(): Promise<void> {
    await this.end("SIGKILL");
    rmSync(this.#root, { recursive: true, force: true });
  }

  #environment(): Record<string, string> {
    const { kubeconfig, set } = this.#options;
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.#root,
      ADDON_PATH: this.directory,
      ADMISSION_CONTROLS_PATH: join(this.#root, "none"),
      ADDON_MANAGER_LEADER_ELECTION: "false",
      HOSTNAME: "cp-1",
      KUBECTL_OPTS: `--kubeconfig=${kubeconfig}`,
      KUBECTL_PRUNE_WHITELIST_OVERRIDE: "core/v1/ConfigMap core/v1/Secret apps/v1/Deployment",
      KEELSON_STATE_DIR: join(this.#root, "state"),
      KEELSON_HTTP_ADDRESS: `127.0.0.1:${this.#port}`,
      KEELSON_SET: set,
      KEELSON_SETTLE: "50ms",
      KEELSON_PRUNE_SETTLE: "100ms",
    };
  }
}

const PROGRAM = join(repositoryRoot, "bin/keelson");

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
