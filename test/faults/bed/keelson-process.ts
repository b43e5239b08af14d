import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "vitest";
import { eventually, repositoryRoot, TestBedError } from "../../control-plane/index.ts";
import type { Admin } from "./admin.ts";
import { PATIENT } from "./patience.ts";

export interface ProcessOptions {
  readonly kubeconfig: string;
  /** Name of its set; "" where left out. */
  readonly set?: string;
  /** Files of its directory at the start, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** An existing directory instead of one of its own. */
  readonly directory?: string;
  /** Further variables; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
  /** Further words of KUBECTL_OPTS. */
  readonly kubectlOptions?: string;
  /** Where its stdout and stderr go instead of the log that {@link KeelsonProcess.log} reads. */
  readonly outputPath?: string;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The daemon's account of itself, as far as tests look at it. */
export interface Status {
  readonly phase: string;
  readonly summary: Readonly<Record<string, number>>;
  readonly objects: readonly {
    readonly object: { readonly kind: string; readonly name: string };
    readonly state: string;
    readonly message: string;
  }[];
  readonly held: { readonly objects: readonly { readonly name?: string }[] };
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

/** `keelson run` of the built program, driven as the original is: variables in, cluster state out. */
export class KeelsonProcess {
  /** Its directory of manifests. */
  readonly directory: string;
  readonly set: string;
  readonly #root: string;
  readonly #options: ProcessOptions;
  readonly #program: string;
  #child: ChildProcess | undefined;
  #ended: Promise<ProcessEnd> = Promise.resolve({ code: null, signal: null });

  constructor(root: string, options: ProcessOptions) {
    this.#root = root;
    this.#options = options;
    this.#program = privateProgram(root);
    this.set = options.set ?? "";
    this.directory = options.directory ?? join(root, "addons");
    mkdirSync(this.directory, { recursive: true });
    for (const [name, text] of Object.entries(options.files ?? {})) this.write(name, text);
  }

  /** Starts it, again after it has ended. */
  start(): void {
    const output = openSync(this.#options.outputPath ?? this.logPath, "a");
    const args = ["run", ...(this.#options.args ?? [])];
    const child = spawn(this.#program, args, { env: this.#environment(), stdio: ["ignore", output, output] });
    closeSync(output);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new TestBedError("the program does not run");
    return pid;
  }

  get logPath(): string {
    return join(this.#root, "keelson.log");
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) process.kill(this.pid, signal);
  }

  /** Resolves when it has ended. */
  ended(): Promise<ProcessEnd> {
    return this.#ended;
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<ProcessEnd> {
    this.signal(signal);
    return this.ended();
  }

  /** Everything that it has written so far. */
  log(): string {
    return existsSync(this.logPath) ? readFileSync(this.logPath, "utf8") : "";
  }

  /** How often its log says so. */
  said(pattern: RegExp): number {
    return [...this.log().matchAll(new RegExp(pattern, "gm"))].length;
  }

  /** Waits until its log says so. */
  says(pattern: RegExp): Promise<void> {
    return this.saysTimes(pattern, 1);
  }

  /** Waits until its log has said so `times` times. */
  async saysTimes(pattern: RegExp, times: number): Promise<void> {
    await eventually(
      `the log says ${times} times ${pattern}`,
      () => {
        if (this.said(pattern) >= times) return true;
        throw new TestBedError(`the log ends: ${this.log().slice(-1500)}`);
      },
      PATIENT,
    );
  }

  write(name: string, text: string | Uint8Array): void {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  remove(name: string): void {
    rmSync(this.path(name), { recursive: true });
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Status and body of one of its health pages, 0 where it does not answer. */
  async health(page: "/livez" | "/readyz"): Promise<{ readonly status: number; readonly body: string }> {
    const address = /Serving HTTP address=(\S+)/.exec(this.log().split("addon manager started").at(-1) ?? "")?.[1];
    if (address === undefined) return { status: 0, body: "" };
    return new Promise((resolve) => {
      const sent = request(`http://${address}${page}?verbose`, { agent: false, timeout: 5_000 }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }),
        );
      });
      sent.once("timeout", () => sent.destroy());
      sent.once("error", () => resolve({ status: 0, body: "" }));
      sent.end();
    });
  }

  /** Waits until its written status is as `holds` wants it. */
  async statusWhere(admin: Admin, claim: string, holds: (status: Status) => boolean): Promise<Status> {
    const path = `/api/v1/namespaces/kube-system/configmaps/keelson-status${this.set === "" ? "" : `-${this.set}`}`;
    return eventually(
      `status: ${claim}`,
      async () => {
        const text = (await admin.get(path))?.data?.["status.json"];
        if (text !== undefined && holds(JSON.parse(text))) return JSON.parse(text) as Status;
        throw new TestBedError(
          `status ${String(text).replaceAll(/\s+/g, " ").slice(0, 6000)}\nthe log ends: ${this.log().slice(-1500)}`,
        );
      },
      PATIENT,
    );
  }

  /** Waits until it says in its status that so many objects are desired and all are as declared. */
  converged(admin: Admin, desired: number): Promise<Status> {
    const holds = ({ phase, summary }: Status): boolean => phase === "converged" && summary.desired === desired;
    return this.statusWhere(admin, `${desired} objects converged`, holds);
  }

  #environment(): NodeJS.ProcessEnv {
    const { kubeconfig, env = {}, kubectlOptions = "" } = this.#options;
    const given: Readonly<Record<string, string | undefined>> = {
      PATH: process.env.PATH,
      HOME: this.#root,
      ADDON_PATH: this.directory,
      ADMISSION_CONTROLS_PATH: join(this.#root, "none"),
      ADDON_MANAGER_LEADER_ELECTION: "false",
      TEST_ADDON_CHECK_INTERVAL_SEC: "1",
      HOSTNAME: "cp-1",
      KUBECTL_BIN: "kubectl",
      KUBECTL_OPTS: `--kubeconfig=${kubeconfig} ${kubectlOptions}`,
      // Fewer kinds than the default list, as each costs two watches.
      KUBECTL_PRUNE_WHITELIST_OVERRIDE: "core/v1/ConfigMap core/v1/Secret",
      KEELSON_STATE_DIR: join(this.#root, "state"),
      KEELSON_HTTP_ADDRESS: "127.0.0.1:0",
      KEELSON_SET: this.set,
      KEELSON_SETTLE: "50ms",
      KEELSON_PRUNE_SETTLE: "100ms",
      ...env,
    };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  }
}

/** A copy, so that a build beside the tests does not change the program under them. */
function privateProgram(root: string): string {
  const bundle = join(repositoryRoot, "dist/keelson.js");
  if (!existsSync(bundle)) throw new TestBedError("dist/keelson.js is not built: npm run build");
  // Parts that few commands need are files of their own, beside the bundle.
  const parts = readdirSync(join(repositoryRoot, "dist")).filter((name) => /[.]c?js$/.test(name));
  for (const name of ["bin/keelson", ...parts.map((part) => `dist/${part}`)]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    copyFileSync(join(repositoryRoot, name), join(root, name));
  }
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  return join(root, "bin/keelson");
}

/** Makes one that ends with the test, and starts it. Tests run side by side: each hands in its own context. */
export function startKeelson(context: Pick<TestContext, "onTestFinished">, options: ProcessOptions): KeelsonProcess {
  const root = mkdtempSync(join(tmpdir(), "keelson-faults-"));
  const made = new KeelsonProcess(root, options);
  context.onTestFinished(async ({ task }) => {
    made.signal("SIGCONT");
    await made.end("SIGKILL");
    if (task.result?.state === "fail") process.stderr.write(`\n--- log of ${task.name}\n${made.log().slice(-6000)}\n`);
    rmSync(root, { recursive: true, force: true });
  });
  made.start();
  return made;
}
