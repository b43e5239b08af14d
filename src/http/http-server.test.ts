import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createLogger } from "../log/index.ts";
import { LOCAL_ACCESS } from "./access.ts";
import { type HealthComponent, healthRoutes } from "./health.ts";
import { HttpServer, type HttpServerOptions } from "./http-server.ts";
import { ask, closed, type Running, ServerBed, until } from "./server-bed.case.ts";

const bed = new ServerBed();
let loops: readonly HealthComponent[] = [];

afterEach(() => {
  loops = [];
  return bed.close();
});

const serve = (
  components: () => readonly HealthComponent[] = () => [],
  options: Partial<HttpServerOptions> = {},
): Promise<Running> => bed.serve({ routes: healthRoutes({ components, loops: () => loops }), ...options });

const fine: HealthComponent = { name: "files", ok: true, message: "12 objects" };
const broken: HealthComponent = { name: "leader", ok: false, message: "waiting for the Lease" };

describe("health", () => {
  it("answers ok on /livez whatever is not ready", async () => {
    const { port } = await serve(() => [broken]);

    expect(await ask(port, "/livez")).toMatchObject({ status: 200, body: "ok" });
  });

  it.each([
    ["all ok", "/readyz", [fine], 200, "ok"],
    [
      "all ok, verbose",
      "/readyz?verbose",
      [fine],
      200,
      "[+]ping ok: answers\n[+]files ok: 12 objects\nreadyz check passed\n",
    ],
    [
      "one not ok",
      "/readyz",
      [fine, broken],
      503,
      "[+]ping ok: answers\n[+]files ok: 12 objects\n[-]leader failed: waiting for the Lease\nreadyz check failed\n",
    ],
  ] as const)("tells readiness: %s", async (_, path, components, status, body) => {
    const { port } = await serve(() => components);

    expect(await ask(port, path)).toMatchObject({ status, body });
  });

  it.each([
    ["what fails", "/readyz?exclude=leader", 200, "ok"],
    [
      "what fails, verbose",
      "/readyz?verbose&exclude=leader",
      200,
      "[+]ping ok: answers\n[+]files ok: 12 objects\n[+]leader excluded: ok\nreadyz check passed\n",
    ],
    [
      "what there is not",
      "/readyz?exclude=etcd",
      503,
      "[+]ping ok: answers\n[+]files ok: 12 objects\n[-]leader failed: waiting for the Lease\n" +
        "warn: some health checks cannot be excluded: there are none of these names\nreadyz check failed\n",
    ],
  ] as const)("leaves out %s where it is asked to", async (_, path, status, body) => {
    const { port } = await serve(() => [fine, broken]);

    expect(await ask(port, path)).toMatchObject({ status, body });
  });

  it("has each check at a path of its own", async () => {
    const { port } = await serve(() => [fine, broken]);

    expect(await ask(port, "/readyz/files")).toMatchObject({ status: 200, body: "ok" });
    expect(await ask(port, "/readyz/leader")).toMatchObject({
      status: 503,
      body: "[-]leader failed: waiting for the Lease\n",
    });
    expect((await ask(port, "/readyz/etcd")).status).toBe(404);
  });

  it("is not alive while a loop is stuck, and says which", async () => {
    const { port } = await serve(() => [fine]);
    loops = [{ name: "source", ok: false, message: "reading the directory, for too long" }];

    expect(await ask(port, "/livez")).toMatchObject({
      status: 503,
      body: "[+]ping ok: answers\n[-]source failed: reading the directory, for too long\nlivez check failed\n",
    });
    expect((await ask(port, "/readyz")).status).toBe(200);
  });

  it("tells a stranger which checks fail, and not why", async () => {
    const access = { ...LOCAL_ACCESS, anyone: { name: "" } };
    const { port } = await serve(() => [fine, broken], { access });

    expect(await ask(port, "/readyz?verbose")).toMatchObject({
      status: 503,
      body: "[+]ping ok\n[+]files ok\n[-]leader failed: reason withheld\nreadyz check failed\n",
    });
  });

  it("sees components as they are at each request", async () => {
    let components = [broken];
    const { port } = await serve(() => components);
    expect((await ask(port, "/readyz")).status).toBe(503);

    components = [fine];

    expect((await ask(port, "/readyz")).status).toBe(200);
  });
});

describe("HttpServer", () => {
  it("knows no other path", async () => {
    const { port } = await serve();

    expect((await ask(port, "/")).status).toBe(404);
    expect((await ask(port, "/livez/")).status).toBe(404);
    expect((await ask(port, "//livez")).status).toBe(404);
  });

  it("answers HEAD without a body", async () => {
    const { port } = await serve();

    expect(await ask(port, "/livez", { method: "HEAD" })).toMatchObject({
      status: 200,
      body: "",
      headers: { "content-length": "2" },
    });
  });

  it("refuses other methods", async () => {
    const { port } = await serve();

    expect(await ask(port, "/livez", { method: "DELETE" })).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
  });

  it("refuses bodies and closes their connection", async () => {
    const { port } = await serve();

    expect(await ask(port, "/livez", { headers: { "content-length": "1" }, body: "x" })).toMatchObject({
      status: 413,
      headers: { connection: "close" },
    });
  });

  it("refuses large headers", async () => {
    const { port } = await serve();
    const socket = await bed.open(port);
    const answer = new Promise<string>((resolve) => socket.on("data", (part: Buffer) => resolve(part.toString())));

    socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);

    expect(await answer).toContain("431");
  });

  it("cuts off a client that sends its request too slowly", async () => {
    const { port } = await serve(undefined, { clientTimeoutMs: 200 });
    const socket = await bed.open(port);
    socket.write("GET /livez HTTP/1.1\r\n");

    await closed(socket);

    expect(socket.destroyed).toBe(true);
  });

  it("cuts off a client that says nothing", async () => {
    const { port } = await serve(undefined, { clientTimeoutMs: 200 });
    const socket = await bed.open(port);

    await closed(socket);

    expect(socket.destroyed).toBe(true);
  });

  it("answers 500 and goes on where a route fails", async () => {
    const { port, lines } = await serve(() => {
      throw new TypeError("no components");
    });

    expect((await ask(port, "/readyz")).status).toBe(500);
    expect((await ask(port, "/livez")).status).toBe(200);
    expect(lines.at(-1)).toContain("ERR: == HTTP GET /readyz: no components");
  });

  it("warns once of a busy port and serves when it is free", async () => {
    const occupant: Server = createServer();
    const port = await new Promise<number>((resolve) =>
      occupant.listen(0, "127.0.0.1", () => {
        const address = occupant.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      }),
    );
    const lines: string[] = [];
    const log = createLogger({ sink: { write: (line) => lines.push(line) > 0, close: () => {} } });
    const sleeps: (() => void)[] = [];
    const clock = {
      now: Date.now,
      monotonic: () => performance.now(),
      random: () => 0.5,
      after: () => () => {},
      sleep: () => new Promise<void>((resolve) => sleeps.push(resolve)),
    };
    const server = new HttpServer({ host: "127.0.0.1", port, routes: [], log, clock });
    const controller = new AbortController();
    const ended = server.run(controller.signal);
    const retry = async (): Promise<void> => (await until(() => sleeps.shift()))();
    await retry();
    await retry();
    await until(() => sleeps[0]);
    expect(lines.filter((line) => line.startsWith("WRN:"))).toHaveLength(1);
    expect(lines[0]).toContain(`127.0.0.1:${port}`);

    await new Promise((resolve) => occupant.close(resolve));
    await retry();

    expect(await until(() => server.address)).toBe(`127.0.0.1:${port}`);
    controller.abort();
    await ended;
  });

  it("closes idle and half-open connections at once when stopped", async () => {
    const { port, stop } = await serve();
    const idle = await bed.open(port);
    const half = await bed.open(port);
    half.write("GET /livez HT");
    const gone = Promise.all([closed(idle), closed(half)]);

    const before = performance.now();
    await stop();
    await gone;

    expect(performance.now() - before).toBeLessThan(1000);
  });
});
