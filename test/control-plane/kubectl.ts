import { spawn } from "node:child_process";
import { TestBedError } from "./errors.ts";

export interface KubectlOptions {
  /** Standard input, for `-f -`. */
  readonly input?: string;
  /** Variables beside those of the test. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether an exit code other than 0 throws; true where left out. */
  readonly check?: boolean;
  /** Kubeconfig to use instead of the administrator's. */
  readonly kubeconfigPath?: string;
}

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** kubectl's arguments, then perhaps options: `kubectl("apply", "-f", "-", { input })`. */
export type KubectlArguments = readonly [...string[], string | KubectlOptions];

export interface KubectlSetting {
  readonly program: string;
  readonly kubeconfigPath: string;
  /** Where it keeps its discovery cache, which must not be shared between clusters on one port. */
  readonly cacheDirectory: string;
}

/** Runs kubectl. @throws TestBedError with its standard error where it fails and `check` is not false. */
export async function runKubectl(setting: KubectlSetting, given: KubectlArguments): Promise<KubectlResult> {
  const last = given.at(-1);
  const options = typeof last === "object" ? last : {};
  const args = given.filter((argument) => typeof argument === "string");
  const result = await run(
    setting,
    ["--kubeconfig", options.kubeconfigPath ?? setting.kubeconfigPath, ...args],
    options,
  );
  if (result.exitCode !== 0 && options.check !== false) {
    throw new TestBedError(`kubectl ${args.join(" ")}: exit ${result.exitCode}: ${result.stderr.trim()}`);
  }
  return result;
}

function run(setting: KubectlSetting, args: readonly string[], options: KubectlOptions): Promise<KubectlResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(setting.program, args, {
      env: { ...process.env, ...options.environment, KUBECACHEDIR: setting.cacheDirectory },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.once("error", (cause) => reject(new TestBedError(`${setting.program} cannot be run`, { cause })));
    child.once("close", (code) => {
      resolve({
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr: Buffer.concat(stderr).toString("utf8"),
        exitCode: code ?? -1,
      });
    });
    // kubectl may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}
