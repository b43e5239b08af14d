import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { systemClock } from "../../async/index.ts";
import { createClient, type KubeClient } from "../../kube/index.ts";

// A server that holds ConfigMaps of kube-system. Deviations from an API server: it knows GET of one, POST and merge
// PATCH, checks nothing, and has no watch; the integration tests have the real one.

interface Stored {
  data: Record<string, string>;
  metadata: { name: string; annotations: Record<string, string>; resourceVersion: string };
}

/** The server as a test sees it. */
export interface ConfigMapServer {
  readonly client: KubeClient;
  /** Method and name of every request, in order. */
  readonly requests: readonly string[];
  readonly objects: ReadonlyMap<string, Stored>;
  /** Answers with this status from now on; undefined: as it should. */
  fail(status: number | undefined): void;
}

/** Starts one that ends with the test. */
export async function startConfigMapServer(): Promise<ConfigMapServer> {
  const objects = new Map<string, Stored>();
  const requests: string[] = [];
  let failure: number | undefined;
  let version = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const sent = body === "" ? {} : JSON.parse(body);
      const path = new URL(request.url ?? "", "http://x").pathname;
      const name = request.method === "POST" ? sent.metadata.name : path.slice(path.lastIndexOf("/") + 1);
      requests.push(`${request.method} ${name}`);
      const [status, answer] =
        failure === undefined ? serve(request.method ?? "", name, sent) : [failure, failed(failure)];
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    });
  });

  function serve(method: string, name: string, sent: Partial<Stored>): [number, unknown] {
    const known = objects.get(name);
    if (method !== "POST" && known === undefined) return [404, failed(404)];
    if (method === "POST" && known !== undefined) return [409, failed(409)];
    if (method === "GET") return [200, shown(known)];
    version += 1;
    const stored: Stored = {
      data: merge(known?.data ?? {}, sent.data ?? {}),
      metadata: {
        name,
        annotations: merge(known?.metadata.annotations ?? {}, sent.metadata?.annotations ?? {}),
        resourceVersion: String(version),
      },
    };
    objects.set(name, stored);
    return [method === "POST" ? 201 : 200, shown(stored)];
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({
    clock: systemClock,
    config: {
      server: `http://127.0.0.1:${port}`,
      namespace: "default",
      tls: { insecureSkipVerify: false },
      authentication: { kind: "none" },
      requestTimeoutMs: 1_000,
      origin: "test",
    },
  });
  onTestFinished(() => {
    client.close();
    server.close();
  });
  return {
    client,
    requests,
    objects,
    fail: (status) => {
      failure = status;
    },
  };
}

function shown(stored: Stored | undefined): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", ...stored };
}

function failed(code: number): unknown {
  const reasons: Readonly<Record<number, string>> = { 403: "Forbidden", 404: "NotFound", 409: "AlreadyExists" };
  return { apiVersion: "v1", kind: "Status", status: "Failure", code, reason: reasons[code], message: "no" };
}

function merge(into: Record<string, string>, patch: Record<string, string | null>): Record<string, string> {
  const merged: Record<string, string> = { ...into };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = value;
  }
  return merged;
}
