import { get, request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiServer, type ApiServerOptions, startApiServer } from "./index.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests reach into objects of any shape
type Json = any;

let server: ApiServer;

async function start(options: ApiServerOptions = {}): Promise<void> {
  server = await startApiServer(options);
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  contentType = "application/json",
): Promise<{ status: number; body: Json }> {
  const init =
    body === undefined ? { method } : { method, body: JSON.stringify(body), headers: { "content-type": contentType } };
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

async function eventually(claim: string, probe: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!(await probe())) {
    expect(performance.now(), claim).toBeLessThan(deadline);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = "application/merge-patch+json";

afterEach(() => server.close());

describe("the server", () => {
  beforeEach(() => start());

  it("is ready soon after its start, with the usual namespaces", async () => {
    expect((await call("GET", "/readyz")).body).toBe("ok");
    expect((await call("GET", "/version")).body.gitVersion).toBe("v1.37.2");
    const { body } = await call("GET", "/api/v1/namespaces");
    expect(body.items.map((item: Json) => item.metadata.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
  });

  it("keeps its state in a snapshot that another server starts from", async () => {
    await call("POST", MAPS, { metadata: { name: "kept" }, data: { k: "1" } });
    const before = (await call("GET", `${MAPS}/kept`)).body;
    const snapshot = JSON.parse(JSON.stringify(server.snapshot()));
    await server.close();

    await start({ snapshot });

    expect((await call("GET", `${MAPS}/kept`)).body).toEqual(before);
  });

  it("ends a watch from before a compaction with an event of code 410", async () => {
    const { body } = await call("POST", MAPS, { metadata: { name: "a" } });
    await call("PATCH", `${MAPS}/a`, { data: { k: "1" } }, MERGE);
    server.compact();

    const watch = await call("GET", `${MAPS}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);

    expect(watch.status).toBe(200);
    expect(watch.body).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
  });

  it("serves 200 watches at once, and forgets those that are aborted", async () => {
    const watches = await Promise.all(Array.from({ length: 200 }, () => openWatch(`${MAPS}?watch=true`)));
    for (const watch of watches.slice(0, 100)) watch.abort();

    await call("POST", MAPS, { metadata: { name: "seen" } });

    await eventually("all open watches hear of it", async () =>
      watches.slice(100).every((watch) => watch.text().includes("seen")),
    );
    for (const watch of watches) watch.abort();
    expect((await call("GET", "/readyz")).status).toBe(200);
  });

  it("survives a client that breaks off in the middle of a body", async () => {
    const broken = request(server.url + MAPS, { method: "POST", headers: { "content-length": "1000" } });
    broken.on("error", () => {});
    broken.write("{");
    await new Promise((resolve) => broken.once("socket", resolve));
    broken.destroy();

    expect((await call("GET", "/readyz")).status).toBe(200);
  });

  it("refuses a body of 10 MB without reading it into memory", async () => {
    expect((await call("POST", MAPS, { data: { k: "x".repeat(10 * 1024 * 1024) } })).status).toBe(413);
  });

  it("offers aggregated discovery with an entity tag", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const first = await fetch(`${server.url}/apis`, { headers: { accept } });
    const second = await fetch(`${server.url}/apis`, {
      headers: { accept, "if-none-match": first.headers.get("etag") ?? "" },
    });

    expect(first.headers.get("content-type")).toBe(accept);
    expect(((await first.json()) as Json).kind).toBe("APIGroupDiscoveryList");
    expect(second.status).toBe(304);
  });

  it("writes long integers as they came", async () => {
    const definition = {
      metadata: { name: "ints.x.test" },
      spec: {
        group: "x.test",
        scope: "Cluster",
        names: { plural: "ints", kind: "Int" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    };
    await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    const body = '{"apiVersion":"x.test/v1","kind":"Int","metadata":{"name":"a"},"big":9007199254740993}';
    await fetch(`${server.url}/apis/x.test/v1/ints`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });

    expect(await (await fetch(`${server.url}/apis/x.test/v1/ints/a`)).text()).toContain('"big":9007199254740993');
  });
});

interface OpenWatch {
  text(): string;
  abort(): void;
}

function openWatch(path: string): Promise<OpenWatch> {
  return new Promise((resolve, reject) => {
    let text = "";
    const opened = get(server.url + path, { agent: false }, (response) => {
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", () => {});
      resolve({ text: () => text, abort: () => opened.destroy() });
    });
    opened.on("error", reject);
  });
}

describe("the controllers", () => {
  it("give every namespace a ServiceAccount, and empty one that is deleted", async () => {
    await start();
    await call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    await eventually(
      "the account is there",
      async () => (await call("GET", "/api/v1/namespaces/n/serviceaccounts/default")).status === 200,
    );
    await call("POST", "/api/v1/namespaces/n/configmaps", { metadata: { name: "a" } });

    const deleted = await call("DELETE", "/api/v1/namespaces/n");

    expect(deleted.body.status.phase).toBe("Terminating");
    await eventually("the namespace is gone", async () => (await call("GET", "/api/v1/namespaces/n")).status === 404);
    expect((await call("GET", "/api/v1/namespaces/n/configmaps")).body.items).toEqual([]);
  });

  it("delete dependents of an owner that is gone, at once or before it", async () => {
    await start();
    const { body: owner } = await call("POST", MAPS, { metadata: { name: "owner" } });
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
    await call("POST", MAPS, { metadata: { name: "child", ownerReferences } });

    const marked = await call("DELETE", `${MAPS}/owner`, { propagationPolicy: "Foreground" });

    expect(marked.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await eventually(
      "both are gone",
      async () => (await call("GET", `${MAPS}/child`)).status + (await call("GET", `${MAPS}/owner`)).status === 808,
    );
  });

  it("orphan dependents where the client asks for it", async () => {
    await start();
    const { body: owner } = await call("POST", MAPS, { metadata: { name: "owner" } });
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
    await call("POST", MAPS, { metadata: { name: "child", ownerReferences } });

    await call("DELETE", `${MAPS}/owner`, { propagationPolicy: "Orphan" });

    await eventually("the owner is gone", async () => (await call("GET", `${MAPS}/owner`)).status === 404);
    expect((await call("GET", `${MAPS}/child`)).body.metadata.ownerReferences).toBeUndefined();
  });

  it("make workloads ready where that is simulated", async () => {
    await start({ simulateWorkloadsMs: 5 });
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = "/apis/apps/v1/namespaces/default/deployments";

    await call("POST", path, {
      metadata: { name: "d" },
      spec: { replicas: 2, selector: { matchLabels: { a: "b" } }, template },
    });

    await eventually("it is ready", async () => (await call("GET", `${path}/d`)).body.status.readyReplicas === 2);
  });

  it("hold the Lease of the controller manager in the name of a host", async () => {
    await start({ leaseHost: "node-1" });

    const { body } = await call(
      "GET",
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
    );

    expect(body.spec.holderIdentity).toMatch(/^node-1_/);
    expect(body.spec.renewTime).toMatch(/\.\d{6}Z$/);
  });
});
