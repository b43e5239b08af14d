import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, type FaultProxy, startFaultProxy } from "../control-plane/index.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What the upstream saw, and the watches that it holds open. */
class Upstream {
  readonly seen: string[] = [];
  readonly watches: ServerResponse[] = [];
  readonly #server: Server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.once("end", () => {
      this.seen.push(`${incoming.method} ${incoming.url} ${Buffer.concat(chunks).toString("utf8")}`);
      if (incoming.url?.includes("watch=true")) {
        outgoing.writeHead(200).write('{"type":"ADDED"}\n');
        this.watches.push(outgoing);
      } else {
        outgoing.writeHead(200, { "content-length": "10", "x-kind": "real" }).end("0123456789");
      }
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

describe("the fault proxy", () => {
  let upstream: Upstream;
  let proxy: FaultProxy;
  let agent: Agent;

  beforeEach(async () => {
    upstream = new Upstream();
    proxy = await startFaultProxy({ upstream: await upstream.start() });
    agent = new Agent({ keepAlive: true, ca: proxy.ca });
  });

  afterEach(async () => {
    agent.destroy();
    await proxy.stop();
    await upstream.stop();
  });

  function open(path: string, method = "GET", body = ""): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = body === "" ? {} : { "content-type": "application/apply-patch+yaml" };
      const outgoing = request(`${proxy.url}${path}`, { agent, method, headers }, resolve);
      outgoing.once("error", reject);
      outgoing.end(body);
    });
  }

  async function ask(path: string, method = "GET", body = ""): Promise<Answer> {
    const answer = await open(path, method, body);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await read(answer) };
  }

  async function read(answer: IncomingMessage): Promise<string> {
    let text = "";
    for await (const chunk of answer) text += String(chunk);
    return text;
  }

  it("passes requests and answers on unchanged, over one connection", async () => {
    const first = await ask("/api/v1/pods?limit=5&labelSelector=a%3Db", "PATCH", "kind: Pod");
    await ask("/healthz");

    expect(first).toMatchObject({ status: 200, body: "0123456789", headers: { "x-kind": "real" } });
    expect(upstream.seen).toEqual(["PATCH /api/v1/pods?limit=5&labelSelector=a%3Db kind: Pod", "GET /healthz "]);
    expect(proxy.connections).toBe(1);
  });

  it("counts every request with method, path, query and content type", async () => {
    await ask("/api/v1/pods?limit=5", "PATCH", "x");
    await ask("/healthz");

    expect(proxy.requests()).toEqual([
      { method: "PATCH", path: "/api/v1/pods", query: "limit=5", contentType: "application/apply-patch+yaml" },
      { method: "GET", path: "/healthz", query: "", contentType: "" },
    ]);
    proxy.clearRequests();
    expect(proxy.requests()).toEqual([]);
  });

  it("refuses clients that do not trust its certificate", async () => {
    const stranger = new Agent();
    const refused = new Promise((_resolve, reject) => {
      request(`${proxy.url}/`, { agent: stranger }).once("error", reject).end();
    });

    await expect(refused).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });

  it("answers in the server's place with status, headers and a Status object", async () => {
    proxy.addFault({ method: "GET" }, { kind: "respond", status: 429, headers: { "retry-after": "7" } });

    const answer = await ask("/api/v1/pods");

    expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
    expect(JSON.parse(answer.body)).toMatchObject({ kind: "Status", reason: "TooManyRequests", code: 429 });
    expect(upstream.seen).toEqual([]);
  });

  it("affects the nth matching request and as many after it as told", async () => {
    const fault = proxy.addFault(
      { path: /^\/api\/v1\/pods$/, query: /limit/, nth: 2, times: 2 },
      { kind: "respond", status: 500 },
    );

    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      await ask("/api/v1/nodes?limit=1");
      statuses.push((await ask("/api/v1/pods?limit=1")).status);
    }

    expect(statuses).toEqual([200, 500, 500, 200, 200]);
    expect(fault.hits).toBe(2);
  });

  it("lets the first of two matching faults count, and the second after its removal", async () => {
    const first = proxy.addFault({}, { kind: "respond", status: 503 });
    proxy.addFault({}, { kind: "respond", status: 410, body: "gone" });

    expect((await ask("/")).status).toBe(503);
    first.remove();
    expect(await ask("/")).toMatchObject({ status: 410, body: "gone" });
    proxy.restore();
    expect((await ask("/")).status).toBe(200);
  });

  it("cuts the connection before the server sees the request", async () => {
    proxy.addFault({ times: 1 }, { kind: "cut", when: "before" });

    await expect(ask("/", "POST", "x")).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(upstream.seen).toEqual([]);
    expect((await ask("/")).status).toBe(200);
  });

  it("cuts the connection after the server has acted on the request", async () => {
    proxy.addFault({ times: 1 }, { kind: "cut", when: "after" });

    await expect(ask("/", "POST", "x")).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(upstream.seen).toEqual(["POST / x"]);
  });

  it("hangs without an answer, with the server having seen the request or not", async () => {
    proxy.addFault({ path: /before/ }, { kind: "hang", when: "before" });
    proxy.addFault({ path: /after/ }, { kind: "hang", when: "after" });
    const outcomes: string[] = [];
    for (const path of ["/before", "/after"]) {
      ask(path).then(
        () => outcomes.push(`${path} answered`),
        () => outcomes.push(`${path} broke`),
      );
    }

    await eventually("the server has seen the second one", () => upstream.seen.length > 0);
    await ask("/other");

    expect(upstream.seen).toEqual(["GET /after ", "GET /other "]);
    expect(outcomes).toEqual([]);
  });

  it("delays a request and then passes it on", async () => {
    proxy.addFault({}, { kind: "delay", ms: 80 });
    const start = performance.now();

    const answer = await ask("/");

    expect(answer.body).toBe("0123456789");
    expect(performance.now() - start).toBeGreaterThanOrEqual(79);
  });

  it("truncates an answer within its body", async () => {
    proxy.addFault({}, { kind: "truncate", bytes: 4 });

    const answer = await open("/");
    let text = "";
    const broken = (async () => {
      for await (const chunk of answer) text += String(chunk);
    })();

    await expect(broken).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(answer.headers["content-length"]).toBe("10");
    expect(text).toBe("0123");
  });

  it("streams a watch as it comes, and lets go of it when the client leaves", async () => {
    const watch = await open("/api/v1/pods?watch=true");
    const events: string[] = [];
    watch.on("data", (chunk) => events.push(String(chunk)));
    watch.on("error", () => undefined);
    await eventually("the first event is there", () => events.length === 1);

    upstream.watches[0]?.write('{"type":"MODIFIED"}\n');
    await eventually("the second event is there", () => events.length === 2);
    expect(proxy.openWatches).toBe(1);

    watch.destroy();
    await eventually("the server sees the client leave", () => upstream.watches[0]?.destroyed);
    expect(proxy.openWatches).toBe(0);
  });

  it("cuts all open watches in the middle", async () => {
    const watches = await Promise.all([open("/pods?watch=true"), open("/nodes?labelSelector=a&watch=true")]);
    const ends = watches.map(read);
    await eventually("both watches stream", () => proxy.openWatches === 2);

    expect(proxy.cutWatches()).toBe(2);

    for (const end of ends) await expect(end).rejects.toMatchObject({ code: "ECONNRESET" });
    expect((await ask("/")).status).toBe(200);
  });

  it("ends all open watches in good order", async () => {
    const watch = await open("/pods?watch=true");
    const text = read(watch);
    await eventually("the watch streams", () => proxy.openWatches === 1);

    expect(proxy.endWatches()).toBe(1);

    expect(await text).toBe('{"type":"ADDED"}\n');
  });

  it("drops all connections, new ones too, until it is restored", async () => {
    const watch = await open("/pods?watch=true");
    const end = read(watch);

    proxy.dropAll();

    await expect(end).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(ask("/")).rejects.toThrow();
    proxy.restore();
    expect((await ask("/")).status).toBe(200);
  });

  it("breaks the client's connection where the server breaks its own", async () => {
    const watch = await open("/pods?watch=true");
    const end = read(watch);
    await eventually("the watch streams", () => proxy.openWatches === 1);

    upstream.watches[0]?.destroy();

    await expect(end).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});
