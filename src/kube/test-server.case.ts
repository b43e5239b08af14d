import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type Clock, systemClock } from "../async/index.ts";
import { createClient } from "./client.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { ClientObserver, KubeClient } from "./kube-client.ts";
import type { ApiResource } from "./resource.ts";

// Small servers that answer as told, for the tests of this folder. Deviation from an API server: they know nothing.

/** One request as the server received it, body included. */
export interface Received {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** From 1, over the whole server. */
  readonly number: number;
  readonly raw: IncomingMessage;
}

export type Answer = (request: Received, response: ServerResponse) => void;

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly Received[];
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** Connections open now. */
  readonly openConnections: () => number;
  /** Destroys all connections without a word. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a server that ends with the test; https where `tls` is given. */
export async function startServer(
  answer: Answer,
  options: { tls?: ServerOptions; port?: number } = {},
): Promise<TestServer> {
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener = (raw: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    raw.on("data", (chunk: Buffer) => chunks.push(chunk));
    raw.on("end", () => {
      const url = new URL(raw.url ?? "", "http://x");
      const request: Received = {
        method: raw.method ?? "",
        url: raw.url ?? "",
        path: url.pathname,
        query: url.searchParams,
        headers: raw.headers,
        body: Buffer.concat(chunks).toString("utf8"),
        number: requests.length + 1,
        raw,
      };
      requests.push(request);
      answer(request, response);
    });
  };
  const server = options.tls === undefined ? createHttpServer(listener) : createHttpsServer(options.tls, listener);
  server.keepAliveTimeout = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      cut();
      server.close(() => resolve());
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    openConnections: () => sockets.size,
    cut,
    close,
  };
}

/** A configuration for a server, without credentials unless `overrides` give some. */
export function configFor(server: string, overrides: Partial<ClusterConfig> = {}): ClusterConfig {
  return {
    server,
    namespace: "default",
    tls: { insecureSkipVerify: false },
    authentication: { kind: "none" },
    requestTimeoutMs: 10_000,
    origin: "test",
    ...overrides,
  };
}

/** A client that is closed with the test. */
export function clientFor(
  server: string,
  options: { config?: Partial<ClusterConfig>; clock?: Clock; observer?: ClientObserver; maxSockets?: number } = {},
): KubeClient {
  const { config, clock = systemClock, observer, maxSockets } = options;
  const client = createClient({ config: configFor(server, config), clock, observer, maxSockets });
  onTestFinished(() => client.close());
  return client;
}

/** Answers with JSON. */
export function respond(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** A Status as the API server sends it. */
export function status(code: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `refused with ${code}`,
    code,
    ...fields,
  };
}

/** A ConfigMap as the API server sends it. */
export function configMap(
  name: string,
  resourceVersion = "1",
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion },
    ...fields,
  };
}

export const configMaps: ApiResource = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  namespaced: true,
  verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
  subresources: [],
};

export const deployments: ApiResource = {
  ...configMaps,
  group: "apps",
  kind: "Deployment",
  resource: "deployments",
  subresources: ["status", "scale"],
};

export const namespaces: ApiResource = { ...configMaps, kind: "Namespace", resource: "namespaces", namespaced: false };

/** Polls until `holds` gives true. */
export async function until(claim: string, holds: () => boolean, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${claim}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
