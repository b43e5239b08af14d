import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestBedError } from "./errors.ts";

/** Where the programs of the control plane lie, and which of them are there. */
export interface Binaries {
  readonly directory: string;
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
  readonly kubectl: string;
}

/** Whether the control plane can be started here, and if not, whether `make control-plane-build` would help. */
export type Availability =
  | { readonly kind: "ready"; readonly binaries: Binaries }
  | { readonly kind: "not-built"; readonly why: string }
  | { readonly kind: "impossible"; readonly why: string };

/** The checkout. */
export const repositoryRoot: string = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Finds the programs: KUBEBUILDER_ASSETS, else the cache that `tools/control-plane/build` fills. */
export function findBinaries(environment: NodeJS.ProcessEnv = process.env): Availability {
  const directory = environment.KUBEBUILDER_ASSETS || cacheDirectory(environment);
  const missing = ["etcd", "kube-apiserver", "kube-controller-manager"].filter(
    (name) => !isExecutable(join(directory, name)),
  );
  if (missing.length === 0) return { kind: "ready", binaries: binariesIn(directory, environment) };

  const lacking = `${directory} has no ${missing.join(", ")}`;
  if (environment.KUBEBUILDER_ASSETS) return { kind: "not-built", why: `KUBEBUILDER_ASSETS: ${lacking}` };
  if (!isGoInstalled(environment)) {
    return { kind: "impossible", why: `Go is not installed, KUBEBUILDER_ASSETS is not set, and ${lacking}` };
  }
  return { kind: "not-built", why: `${lacking}: run make control-plane-build (6 to 8 minutes, once)` };
}

function binariesIn(directory: string, environment: NodeJS.ProcessEnv): Binaries {
  return {
    directory,
    etcd: join(directory, "etcd"),
    kubeApiserver: join(directory, "kube-apiserver"),
    kubeControllerManager: join(directory, "kube-controller-manager"),
    kubectl: findKubectl(directory, environment),
  };
}

/** KUBECTL, else the one built with the control plane, else the one on PATH. */
function findKubectl(directory: string, environment: NodeJS.ProcessEnv): string {
  if (environment.KUBECTL) return environment.KUBECTL;
  const built = join(directory, "kubectl");
  return isExecutable(built) ? built : "kubectl";
}

// The same rule as in tools/control-plane/build: the go.mod files are the only place that states the versions.
function cacheDirectory(environment: NodeJS.ProcessEnv): string {
  const modules = join(repositoryRoot, "tools/control-plane");
  const kubernetes = requiredVersion(join(modules, "go.mod"), "k8s.io/kubernetes");
  const etcd = requiredVersion(join(modules, "etcd/go.mod"), "go.etcd.io/etcd/server/v3");
  const cache = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "keelson/control-plane", `kubernetes-${kubernetes}-etcd-${etcd}`);
}

function requiredVersion(goMod: string, module: string): string {
  for (const line of readFileSync(goMod, "utf8").split("\n")) {
    const [first, second] = line
      .replace(/^require /, "")
      .trim()
      .split(/\s+/);
    if (first === module && second?.startsWith("v")) return second;
  }
  throw new TestBedError(`${goMod}: requires no ${module}`);
}

function isGoInstalled(environment: NodeJS.ProcessEnv): boolean {
  const path = (environment.PATH ?? "").split(delimiter);
  return [...path, "/usr/local/go/bin"].some((directory) => existsSync(join(directory, "go")));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
