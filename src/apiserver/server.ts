import { createServer as createHttp, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { type Controllers, type ControllersOptions, startControllers } from "./controllers/index.ts";
import { CustomResources } from "./custom/index.ts";
import { loadDataFile } from "./data-file.ts";
import { type HandlerContext, handleRequest } from "./http/index.ts";
import { FieldSetCache } from "./managers/index.ts";
import { ApiRegistry, builtinApis, type Cluster } from "./rest/index.ts";
import { BuiltinTypes, type DataFile } from "./schema/index.ts";
import { Store, type StoreSnapshot } from "./storage/index.ts";
import { ServiceAllocator } from "./strategy/index.ts";

/** How to start an API server. */
export interface ApiServerOptions extends ControllersOptions {
  /** Port on 127.0.0.1; default 0, any free one. */
  readonly port?: number;
  /** Path of the data file of built-in kinds; default: the one beside the program. */
  readonly dataFile?: string;
  readonly clock?: Clock;
  /** Serves HTTPS with this certificate and key (PEM); default plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** State to start from; default an empty cluster with the usual namespaces. */
  readonly snapshot?: StoreSnapshot;
}

/** A running API server. */
export interface ApiServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** A kubeconfig for it, as YAML. */
  readonly kubeconfig: string;
  /** Everything that is stored, for {@link ApiServerOptions.snapshot} of a later start. */
  snapshot(): StoreSnapshot;
  /** Forgets the history of changes, so that watches from before answer 410. */
  compact(): void;
  /** Ends watches and connections, and stops the controllers. */
  close(): Promise<void>;
}

/**
 * Starts a small Kubernetes API server on the loopback interface, in this process. Resolves when it serves. Rejects with
 * `Unreachable` where the port is taken.
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const clock = options.clock ?? systemClock;
  const data = await loadDataFile(options.dataFile);
  const { cluster, types } = buildCluster(data, clock);
  if (options.snapshot !== undefined) cluster.store.restore(options.snapshot);
  const custom = new CustomResources(cluster, types);
  custom.refresh();
  const controllers = startControllers(cluster, options);
  const abort = new AbortController();
  const context: HandlerContext = { cluster, types, serverVersion: data.version, signal: abort.signal };
  const server = options.tls === undefined ? createHttp() : createHttps(options.tls);
  server.on("request", (request, response) => void handleRequest(context, request, response));
  server.keepAliveTimeout = 90_000;
  const port = await listen(server, options.port ?? 0);
  const url = `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  return {
    url,
    kubeconfig: kubeconfigText(url, options.tls?.cert),
    snapshot: () => cluster.store.snapshot(),
    compact: () => cluster.store.compact(),
    close: () => close(server, abort, controllers),
  };
}

function buildCluster(data: DataFile, clock: Clock): { readonly cluster: Cluster; readonly types: BuiltinTypes } {
  const types = new BuiltinTypes(data);
  const store = new Store();
  const scale = types.ofKind("autoscaling/v1", "Scale");
  if (scale === undefined) throw new KeelsonError("Internal", "the data file lacks autoscaling/v1 Scale");
  const apis = new ApiRegistry(builtinApis(data, types), scale);
  const services = new ServiceAllocator(() => store.values("services"));
  return { cluster: { store, apis, clock, services, fieldSets: new FieldSetCache() }, types };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new KeelsonError("Unreachable", `cannot listen on 127.0.0.1:${port}`, { cause }));
    });
    server.listen(port, "127.0.0.1", () => resolve(portOf(server.address())));
  });
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

function close(server: Server, abort: AbortController, controllers: Controllers): Promise<void> {
  controllers.stop();
  abort.abort();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function kubeconfigText(url: string, certificate: string | undefined): string {
  const authority =
    certificate === undefined ? "" : `\n    certificate-authority-data: ${Buffer.from(certificate).toString("base64")}`;
  return `apiVersion: v1
kind: Config
clusters:
- name: sandbox
  cluster:
    server: ${url}${authority}
users:
- name: sandbox
  user: {}
contexts:
- name: sandbox
  context:
    cluster: sandbox
    user: sandbox
current-context: sandbox
`;
}
