import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, TestBedError } from "../control-plane/index.ts";

/** Why there is no Prometheus on this machine; undefined where there is one. */
export function whyNoPrometheus(): string | undefined {
  for (const program of ["prometheus", "promtool"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) return `${program} of Debian's package prometheus`;
  }
  return undefined;
}

/** Series of an answer. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A Prometheus on loopback, with a folder of its own, until closed. */
export class Prometheus {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #url: string;

  private constructor(folder: string, process: ChildProcess, url: string) {
    this.#folder = folder;
    this.#process = process;
    this.#url = url;
  }

  /** Starts one with this configuration (YAML or JSON); `files` lie beside it. */
  static async start(config: unknown, files: Readonly<Record<string, string>>): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), "keelson-prometheus-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    const flags = ["--config.file=prometheus.yml", "--storage.tsdb.path=data", `--web.listen-address=${address}`];
    const child = spawn("prometheus", flags, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    const said: string[] = [];
    child.stderr.on("data", (part: Buffer) => said.push(part.toString()));
    const prometheus = new Prometheus(folder, child, `http://${address}`);
    await eventually("Prometheus is ready", async () => {
      const { status } = await fetch(`http://${address}/-/ready`).catch(() => ({ status: 0 }));
      if (status !== 200) throw new TestBedError(said.slice(-5).join(""));
      return true;
    });
    return prometheus;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** `data` of an answer of its API. */
  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const response = await fetch(`${this.#url}/api/v1/${path}?${new URLSearchParams(query)}`);
    const answer = (await response.json()) as { status: string; error?: string; data: unknown };
    if (answer.status !== "success") throw new TestBedError(`${path} ${JSON.stringify(query)}: ${answer.error}`);
    return answer.data;
  }

  async query(query: string): Promise<readonly Sample[]> {
    return ((await this.get("query", { query })) as { result: readonly Sample[] }).result;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
