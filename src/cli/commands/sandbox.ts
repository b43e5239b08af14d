import { KeelsonError } from "../../errors/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { operationIo } from "../operation-io.ts";

const MAX_PORT = 65_535;

/** A cluster to try things on. */
export const sandboxCommand: Command = {
  kind: "plain",
  name: "sandbox",
  summary: "serve a small Kubernetes API of its own, until stopped",
  description:
    "Serves a Kubernetes API on 127.0.0.1, in this process, for kubectl and for trying things. Prints KUBECONFIG=PATH once it is ready. SIGTERM and SIGINT end it; with --save, SIGHUP saves at once.",
  operands: [],
  options: [
    { name: "load", value: "PATH", help: "start with the manifests of a directory, or with a saved state" },
    { name: "save", value: "PATH", help: "save the state to a file at the end" },
    { name: "port", value: "PORT", help: "port on 127.0.0.1; 0: any free one", fallback: "0" },
    {
      name: "kubeconfig-out",
      value: "PATH",
      help: "where the kubeconfig appears once the API is ready; default: a temporary file",
    },
    { name: "simulate-workloads", help: "Deployments, DaemonSets, StatefulSets and Jobs become ready" },
    {
      name: "lease-host",
      value: "NAME",
      help: "a host of this name holds the Lease of kube-controller-manager; default: there is none",
    },
  ],
  exitCodes: [{ code: EXIT.ok, meaning: "stopped by a signal, and saved where asked for" }],
  async run(invocation) {
    const { host, options } = invocation;
    const port = portOf(options.get("port") ?? "0");
    const { operations } = await host.loadBackend();
    const io = await operationIo(host, "info");
    await operations.sandbox(
      {
        port,
        load: pathOf(invocation, "load"),
        save: pathOf(invocation, "save"),
        kubeconfigOut: pathOf(invocation, "kubeconfig-out"),
        simulateWorkloads: options.has("simulate-workloads"),
        leaseHost: options.get("lease-host"),
        onReady: (kubeconfig) => host.stdout.write(`KUBECONFIG=${kubeconfig}\n`),
      },
      io,
    );
    return EXIT.ok;
  },
};

function pathOf({ options }: Invocation, name: string): string | undefined {
  const path = options.get(name);
  if (path !== "") return path;
  throw new KeelsonError("InvalidFlag", `--${name}="": empty; accepted: a path`, { object: `--${name}` });
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= MAX_PORT) return port;
  const message = `--port="${text}": no port; accepted: a number from 0 to ${MAX_PORT}`;
  throw new KeelsonError("InvalidFlag", message, { object: "--port" });
}
