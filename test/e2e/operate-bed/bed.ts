import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import {
  type GetControlPlane,
  type KubectlArguments,
  type KubectlResult,
  repositoryRoot,
} from "../../control-plane/index.ts";

const program = join(repositoryRoot, "bin/keelson");
/** The label line of an object that is kept. */
export const RECONCILE = "addonmanager.kubernetes.io/mode: Reconcile";

/** What a command left behind. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command that goes on. */
export interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** The built binary on a control plane, as people and pipelines run it, and kubectl as the other party. */
export interface Bed {
  root(): string;
  keelson(...args: readonly string[]): Ran;
  /** With the set and without settle times. */
  inSet(set: string, ...args: readonly string[]): Ran;
  /** `apply` without election. */
  apply(set: string, ...args: readonly string[]): Ran;
  /** A command that is stopped with the suite. */
  start(...args: readonly string[]): Running;
  /** The daemon of a set, without election. */
  daemon(set: string, path: string, ...args: readonly string[]): Running;
  directory(name: string, files: Readonly<Record<string, string>>): string;
  kubectl(...args: KubectlArguments): Promise<KubectlResult>;
}

/** The text of a ConfigMap with one key. */
export const configMap = (name: string, data: string, labels: string = RECONCILE): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: default
  labels: {${labels}}
data:
  key: ${data}
`;

/** A bed for the tests of the `describe` that calls it. */
export function useBed(plane: GetControlPlane): Bed {
  let root = "";
  const children: ChildProcess[] = [];
  beforeAll(() => {
    if (!existsSync(join(repositoryRoot, "dist/keelson.js"))) throw new TypeError("not built: npm run build");
    root = mkdtempSync(join(tmpdir(), "keelson-operate-"));
  });
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(root, { recursive: true });
  });
  const environment = (): Readonly<Record<string, string>> => ({
    PATH: process.env.PATH ?? "",
    HOME: root,
    KUBECONFIG: plane().kubeconfigPath,
  });
  const keelson = (...args: readonly string[]): Ran => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", env: environment() });
    return { code: status, out: stdout, err: stderr };
  };
  const quick = (set: string): readonly string[] => ["--set", set, "--settle", "0ms", "--prune-settle", "0ms"];
  const inSet = (set: string, ...args: readonly string[]): Ran => keelson(...args, ...quick(set));
  function start(...args: readonly string[]): Running {
    const child = spawn(program, args, { env: environment() });
    children.push(child);
    let output = "";
    child.stdout.on("data", (part: Buffer) => (output += part.toString()));
    child.stderr.on("data", (part: Buffer) => (output += part.toString()));
    const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
    return { child, output: () => output, ended };
  }
  return {
    root: () => root,
    keelson,
    inSet,
    start,
    apply: (set, ...args) => inSet(set, "apply", ...args, "--leader-elect=false"),
    daemon: (set, path, ...args) =>
      start("run", "--addon-path", path, ...quick(set), "--leader-elect=false", "--http-address", "off", ...args),
    directory(name, files) {
      const path = join(root, name);
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path, { recursive: true });
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, file)), { recursive: true });
        writeFileSync(join(path, file), text);
      }
      return path;
    },
    kubectl: (...args) => plane().kubectl(...args),
  };
}
