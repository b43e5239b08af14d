import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { jsonReply, type Reply, type ReplyStream, type Route, type RouteRequest } from "./route.ts";
import { ask, closed, ServerBed, until } from "./server-bed.case.ts";

const bed = new ServerBed();

afterEach(() => bed.close());

const echo: Route = {
  method: "POST",
  path: "/api/act",
  maxBodyBytes: 100,
  respond: ({ user, body, path, query }) => jsonReply({ user, body, path, query: [...query] }),
};
const JSON_TYPE = { "content-type": "application/json" };

const text = (body: string): ((request: RouteRequest) => Reply) => {
  return () => ({ status: 200, body });
};

describe("routes", () => {
  it("finds the exact path first, then the longest folder", async () => {
    const routes: Route[] = [
      { path: "/*", respond: text("root") },
      { path: "/assets/*", respond: ({ path }) => ({ status: 200, body: `asset ${path}` }) },
      { path: "/assets/app.js", respond: text("exact") },
    ];
    const { port } = await bed.serve({ routes });

    expect((await ask(port, "/assets/app.js")).body).toBe("exact");
    expect((await ask(port, "/assets/../x")).body).toBe("asset /assets/../x");
    expect((await ask(port, "/other")).body).toBe("root");
  });

  it("has a route for each method of a path, and names the methods that there are", async () => {
    const { port } = await bed.serve({ routes: [echo, { path: "/api/act", respond: text("got") }] });

    expect((await ask(port, "/api/act")).body).toBe("got");
    expect(await ask(port, "/api/act", { method: "PUT" })).toMatchObject({
      status: 405,
      headers: { allow: "POST, GET, HEAD" },
    });
  });

  it("hands a POST its JSON, its query and the local user", async () => {
    const { port } = await bed.serve({ routes: [echo] });

    const answer = await ask(port, "/api/act?a=1", { method: "POST", headers: JSON_TYPE, body: '{"rev":3}' });

    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({
      user: "local",
      body: { rev: 3 },
      path: "/api/act",
      query: [["a", "1"]],
    });
  });

  it("sends strict headers with every reply, whatever it is", async () => {
    const { port } = await bed.serve({ routes: [echo] });

    for (const answer of [await ask(port, "/nowhere"), await ask(port, "/api/act")]) {
      expect(answer.headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
      expect(answer.headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
      expect(answer.headers["content-security-policy"]).not.toContain("unsafe");
    }
  });
});

describe("bodies", () => {
  it.each([
    ["no JSON", { headers: JSON_TYPE, body: "{" }, 400],
    ["a form", { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" }, 415],
    ["no type", { body: "{}" }, 415],
    ["one that is too large", { headers: JSON_TYPE, body: JSON.stringify("x".repeat(100)) }, 413],
    ["a compressed one", { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body: "{}" }, 415],
  ])("refuses %s", async (_, options, status) => {
    const { port } = await bed.serve({ routes: [echo] });

    expect((await ask(port, "/api/act", { method: "POST", ...options })).status).toBe(status);
  });

  it("refuses one that turns out too large while it comes", async () => {
    const { port } = await bed.serve({ routes: [echo] });
    const socket = await bed.open(port);
    const answer = new Promise<string>((resolve) => socket.once("data", (part: Buffer) => resolve(part.toString())));

    socket.write("POST /api/act HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
    socket.write(`Transfer-Encoding: chunked\r\n\r\nff\r\n${"x".repeat(255)}\r\n`);

    expect(await answer).toMatch(/^HTTP\/1.1 413/);
  });

  it("cuts off a client whose body comes too slowly", async () => {
    const { port } = await bed.serve({ routes: [echo], clientTimeoutMs: 200 });
    const socket = await bed.open(port);

    socket.write("POST /api/act HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
    socket.write("Content-Length: 50\r\n\r\n{");
    await closed(socket);

    expect(socket.destroyed).toBe(true);
  });
});

describe("requests of foreign pages", () => {
  it.each(["evil.example", "evil.example:10270", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1"])(
    "are refused on loopback: host %s",
    async (host) => {
      const { port } = await bed.serve({ routes: [{ path: "/metrics", respond: text("secret") }] });

      expect(await ask(port, "/metrics", { headers: { host } })).toMatchObject({
        status: 421,
        body: expect.not.stringContaining("secret"),
      });
    },
  );

  it.each(["localhost", "localhost:8080", "127.0.0.1:1", "127.9.9.9", "[::1]:80", "LOCALHOST"])(
    "are told from those for this machine: host %s",
    async (host) => {
      const { port } = await bed.serve({ routes: [{ path: "/metrics", respond: text("ok") }] });

      expect((await ask(port, "/metrics", { headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    ["its origin", { origin: "http://evil.example" }],
    ["an origin that hides itself", { origin: "null" }],
    ["another port of this machine", { origin: "http://localhost:9" }],
    ["the browser's word", { "sec-fetch-site": "cross-site" }],
    ["the browser's word on another port", { "sec-fetch-site": "same-site" }],
  ])("cannot act, told by %s", async (_, headers) => {
    const { port } = await bed.serve({ routes: [echo] });
    const host = `localhost:${port}`;

    const options = { method: "POST", headers: { ...JSON_TYPE, host, ...headers }, body: "{}" };
    expect((await ask(port, "/api/act", options)).status).toBe(403);
  });

  it("are told from those of our own", async () => {
    const { port } = await bed.serve({ routes: [echo] });
    const host = `localhost:${port}`;
    const headers = { ...JSON_TYPE, host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };

    expect((await ask(port, "/api/act", { method: "POST", headers, body: "{}" })).status).toBe(200);
  });
});

describe("streams", () => {
  const ticking = (onOpen: (out: ReplyStream) => void): Route => ({
    path: "/events",
    respond: () => ({
      status: 200,
      contentType: "text/event-stream",
      body: async (out) => {
        onOpen(out);
        await out.write("data: first\n\n");
        await new Promise<void>((resolve) => out.signal.addEventListener("abort", () => resolve()));
      },
    }),
  });

  it("send each part at once, outlast the idle time, and learn that the client has gone", async () => {
    let stream: ReplyStream | undefined;
    const { port } = await bed.serve({ routes: [ticking((out) => (stream = out))], clientTimeoutMs: 100 });
    const socket = await bed.open(port);
    let received = "";
    socket.on("data", (part: Buffer) => {
      received += part.toString();
    });
    const since = performance.now();

    socket.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until(() => (received.includes("data: first") ? true : undefined));
    await until(() => (performance.now() - since > 500 ? true : undefined));
    await stream?.write("data: late\n\n");

    await until(() => (received.includes("data: late") ? true : undefined));
    socket.destroy();
    await until(() => (stream?.signal.aborted === true ? true : undefined));
    await expect(stream?.write("x")).rejects.toMatchObject({ code: "Aborted" });
  });

  it("end after their longest time, so that rights are looked at again", async () => {
    const { port } = await bed.serve({ routes: [ticking(() => {})], maxStreamMs: 100 });

    expect(await ask(port, "/events")).toMatchObject({ status: 200, body: "data: first\n\n" });
  });

  it("are bounded in number, and keep no other request out", async () => {
    const routes = [ticking(() => {}), { path: "/ok", respond: text("ok") } as const];
    const { port } = await bed.serve({ routes, maxStreams: 2 });
    for (const socket of [await bed.open(port), await bed.open(port)]) {
      socket.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await new Promise((resolve) => socket.once("data", resolve));
    }

    expect(await ask(port, "/events")).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    expect((await ask(port, "/ok")).status).toBe(200);
  });

  it("cut off a client that does not read", async () => {
    let ended: unknown;
    const flood: Route = {
      path: "/flood",
      respond: () => ({
        status: 200,
        body: async (out) => {
          const part = "x".repeat(1 << 20);
          try {
            for (;;) await out.write(part);
          } catch (error) {
            ended = error;
            throw error;
          }
        },
      }),
    };
    const { port, lines } = await bed.serve({ routes: [flood], clientTimeoutMs: 200 });
    const socket = await bed.open(port);
    socket.pause();

    socket.write("GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n");

    await until(() => ended);
    expect(ended).toMatchObject({ code: "Aborted" });
    expect(lines.filter((line) => line.startsWith("ERR"))).toEqual([]);
  });
});

describe("too many connections", () => {
  it("close the oldest idle ones and keep no probe out", async () => {
    const { port } = await bed.serve({
      routes: [{ path: "/livez", access: "open", respond: text("ok") }],
      maxConnections: 4,
    });
    const idle: Socket[] = [];
    for (let i = 0; i < 20; i++) {
      const socket = await bed.open(port);
      socket.on("error", () => {});
      socket.write("GET /livez HTTP/1.1\r\nHost:");
      idle.push(socket);
    }

    expect((await ask(port, "/livez")).body).toBe("ok");

    for (const socket of idle) socket.resume();
    await until(() => (idle[0]?.destroyed === true ? true : undefined));
    expect(idle.at(-1)?.destroyed).toBe(false);
  });
});
