import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { findBinaries } from "../test/control-plane/binaries.ts";
import type { Bed } from "./bed.ts";
import { buildPeer, type PeerModule, type Program } from "./build-peer.ts";
import { keelsonApply } from "./keelson.ts";
import { modeLabel } from "./load.ts";
import type { Command } from "./run-pass.ts";

/** What a contender is given to apply: the same objects twice. */
export interface Input {
  readonly directory: string;
  readonly chart: string;
}

/** Whoever applies a directory. */
export interface Contender {
  /** For `--peers`. */
  readonly id: string;
  readonly name: string;
  readonly program: Program;
  /** Whether it is so slow that it takes part in one round only, and only at N=500. */
  readonly isSlow?: boolean;
  /** Whether it sets the mark that the others are measured against. */
  readonly isFloor?: boolean;
  readonly onePass: (bed: Bed, input: Input, program: string) => readonly Command[];
  /** Another pass over a cluster that has everything, measured beside the first sort. */
  readonly look?: {
    readonly name: string;
    readonly onePass: (bed: Bed, input: Input, program: string) => readonly Command[];
  };
}

/** Keelson first, then the floor, then the peers. Builds what has to be built. */
export function findContenders(wanted: readonly string[] | undefined): readonly Contender[] {
  const isWanted = (id: string): boolean => wanted === undefined || wanted.includes(id);
  return declareContenders().flatMap(({ id, find, ...rest }) =>
    isWanted(id) ? [{ id, ...rest, program: find() }] : [],
  );
}

export const contenderIds: readonly string[] = declareContenders().map(({ id }) => id);

function declareContenders(): readonly (Omit<Contender, "program"> & { readonly find: () => Program })[] {
  return [
    {
      id: "keelson",
      name: "keelson apply",
      find: () => ({ kind: "ready", path: "" }),
      onePass: (bed, { directory }) => [keelsonApply(bed, directory)],
    },
    {
      id: "floor",
      name: "floor: apply each object, 16 at a time",
      isFloor: true,
      find: () => built("floor"),
      onePass: (bed, { directory }, program) => [command(bed, program, [directory])],
      look: {
        name: "floor: list each kind",
        onePass: (bed, { directory }, program) => [command(bed, program, ["-list", directory])],
      },
    },
    {
      id: "kubectl",
      name: "kubectl 1.37 apply --server-side",
      find: kubectlOfThePlane,
      onePass: (bed, { directory }, program) => [
        command(bed, program, ["apply", "--server-side", "--force-conflicts", "--recursive", "-f", directory]),
      ],
    },
    {
      id: "flux",
      name: "Flux's ssa, 4 at a time",
      find: () => built("flux"),
      onePass: (bed, { directory }, program) => [command(bed, program, [directory])],
    },
    {
      id: "helm",
      name: "Helm 4 upgrade --install --server-side",
      find: () => built("helm"),
      onePass: (bed, { chart }, program) => [
        command(bed, program, [
          ...["upgrade", "--install", "bench", chart, "--namespace=kube-system"],
          ...["--server-side=true", "--force-conflicts"],
        ]),
      ],
    },
    {
      id: "original-1.37",
      name: "the original's pass, kubectl 1.37",
      isSlow: true,
      find: kubectlOfThePlane,
      onePass: originalPass,
    },
    {
      id: "original-1.32",
      name: "the original's pass, kubectl 1.32",
      isSlow: true,
      find: () => kubectlOnPath("1.32"),
      onePass: originalPass,
    },
  ];
}

// The addon manager's default list of what it prunes.
const prunedKinds = [
  ...["ConfigMap", "Endpoints", "Namespace", "PersistentVolumeClaim", "PersistentVolume", "Pod"].map(core),
  ...["ReplicationController", "Secret", "Service"].map(core),
  ...["batch/v1/Job", "batch/v1/CronJob", "apps/v1/DaemonSet", "apps/v1/Deployment", "apps/v1/ReplicaSet"],
  ...["apps/v1/StatefulSet", "networking.k8s.io/v1/Ingress"],
];

function core(kind: string): string {
  return `core/v1/${kind}`;
}

/** What kube-addons.sh runs each minute: create, then apply twice with prune. It goes on where one of them fails. */
function originalPass(bed: Bed, { directory }: Input, program: string): readonly Command[] {
  const clusterService = "kubernetes.io/cluster-service";
  const from = ["--filename", directory, "--recursive"];
  const prune = ["--prune=true", ...prunedKinds.map((kind) => `--prune-allowlist=${kind}`)];
  const passes = [
    ["create", ...from, "--selector", `${modeLabel}=EnsureExists`],
    ["apply", ...from, "--selector", `${clusterService}=true,${modeLabel}!=EnsureExists`, ...prune],
    ["apply", ...from, "--selector", `${clusterService}!=true,${modeLabel}=Reconcile`, ...prune],
  ];
  return passes.map((args) => ({ ...command(bed, program, args), mayFail: true }));
}

function command(bed: Bed, program: string, args: readonly string[]): Command {
  return { program, args, environment: { ...process.env, HOME: bed.home, KUBECONFIG: bed.kubeconfigPath } };
}

function built(module: PeerModule): Program {
  return buildPeer(module);
}

function kubectlOfThePlane(): Program {
  const availability = findBinaries();
  const path = availability.kind === "ready" ? join(availability.binaries.directory, "kubectl") : undefined;
  return path !== undefined && existsSync(path)
    ? { kind: "ready", path }
    : { kind: "missing", why: "make control-plane-build has not built kubectl" };
}

/** kubectl of one minor version: the one on PATH or, where that one dispatches by version, the one it has beside it. */
function kubectlOnPath(minor: string): Program {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, "kubectl")).find((path) => existsSync(path));
  if (found === undefined) return { kind: "missing", why: "there is no kubectl on PATH" };
  const versioned = join(dirname(realpathSync(found)), `kubectl.${minor}`);
  const path = existsSync(versioned) ? versioned : found;
  const { clientVersion } = JSON.parse(execFileSync(path, ["version", "--client", "--output=json"]).toString()) as {
    readonly clientVersion: { readonly gitVersion: string };
  };
  return clientVersion.gitVersion.startsWith(`v${minor}.`)
    ? { kind: "ready", path }
    : { kind: "missing", why: `kubectl on PATH is ${clientVersion.gitVersion}` };
}
