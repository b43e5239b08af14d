import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../async/index.ts";
import { clientFor, configMap, configMaps, respond, startServer, status, until } from "./test-server.case.ts";

const x = { namespace: "default", name: "x" };
const writeOptions = { fieldManager: "keelson" };

describe("retries", () => {
  test("repeats what is idempotent on 5xx and broken connections, and reports every attempt", async () => {
    const server = await startServer(({ number, raw }, response) => {
      if (number === 1) respond(response, 503, status(503));
      else if (number === 2) raw.socket.destroy();
      else respond(response, 200, configMap("x"));
    });
    const codes: number[] = [];
    const client = clientFor(server.url, { observer: { onRequest: ({ code }) => codes.push(code) } });

    await client.apply(configMaps, x, "{}", writeOptions);

    expect(codes).toEqual([503, 0, 200]);
  });

  test.each([
    ["create", (client: ReturnType<typeof clientFor>) => client.create(configMaps, x, "{}", writeOptions)],
    [
      "patch",
      (client: ReturnType<typeof clientFor>) =>
        client.patch(configMaps, x, { type: "merge", body: "{}" }, writeOptions),
    ],
    [
      "update without resourceVersion",
      (client: ReturnType<typeof clientFor>) => client.update(configMaps, x, '{"metadata":{}}', writeOptions),
    ],
    ["delete without precondition", (client: ReturnType<typeof clientFor>) => client.delete(configMaps, x)],
  ])("does not repeat %s, which the server may have carried out", async (_, call) => {
    const server = await startServer(({ raw, number }, response) =>
      number === 1 ? raw.socket.destroy() : respond(response, 200, configMap("x")),
    );

    await expect(call(clientFor(server.url))).rejects.toMatchObject({ code: "Unreachable" });

    expect(server.requests.length).toBe(1);
  });

  test.each([
    [
      "update with resourceVersion",
      (client: ReturnType<typeof clientFor>) =>
        client.update(configMaps, x, '{"metadata":{"resourceVersion":"1"}}', writeOptions),
    ],
    ["delete with uid", (client: ReturnType<typeof clientFor>) => client.delete(configMaps, x, { uid: "u" })],
    ["get", (client: ReturnType<typeof clientFor>) => client.get(configMaps, x)],
  ])("repeats %s", async (_, call) => {
    const server = await startServer(({ raw, number }, response) =>
      number === 1 ? raw.socket.destroy() : respond(response, 200, configMap("x")),
    );

    await call(clientFor(server.url));

    expect(server.requests.length).toBe(2);
  });

  test("repeats even a create on 429, after the wait that the server asks for", async () => {
    const clock = new ManualClock();
    const server = await startServer(({ number }, response) =>
      number === 1
        ? respond(response, 429, status(429), { "retry-after": "7" })
        : respond(response, 201, configMap("x")),
    );
    const result = clientFor(server.url, { clock }).create(configMaps, x, "{}", writeOptions);
    await until("the first attempt is answered", () => server.requests.length === 1 && clock.pending > 0);

    await clock.advance(6_900);
    const before = server.requests.length;
    while (server.requests.length === 1) await clock.advance(100);

    expect(before).toBe(1);
    expect((await result).created).toBe(true);
  });

  test("repeats a create whose connection was refused before anything was sent", async () => {
    const gone = await startServer(() => {});
    await gone.close();
    const client = clientFor(gone.url);
    const attempts: number[] = [];
    const result = client.create(configMaps, x, "{}", writeOptions);
    await new Promise((resolve) => setTimeout(resolve, 50));

    const server = await startServer(
      ({ number }, response) => {
        attempts.push(number);
        respond(response, 201, configMap("x"));
      },
      { port: gone.port },
    );

    expect((await result).created).toBe(true);
    expect(attempts).toEqual([1]);
    expect(server.requests.length).toBe(1);
  });

  test("hands a wait beyond the request timeout to the caller", async () => {
    const server = await startServer((_, response) => respond(response, 429, status(429), { "retry-after": "50" }));

    await expect(clientFor(server.url).get(configMaps, x)).rejects.toMatchObject({
      code: "TooManyRequests",
      retryAfterMs: 50_000,
    });

    expect(server.requests.length).toBe(1);
  });

  test("gives up on internal errors soon, as they are often the object's", async () => {
    const server = await startServer((_, response) => respond(response, 500, status(500, { reason: "InternalError" })));

    await expect(clientFor(server.url).apply(configMaps, x, "{}", writeOptions)).rejects.toMatchObject({
      code: "ServerError",
    });

    expect(server.requests.length).toBe(3);
  });

  test("does not repeat a manifest error that comes as 500", async () => {
    const message =
      "failed to create typed patch object (default/x; /v1, Kind=ConfigMap): .y: field not declared in schema";
    const server = await startServer((_, response) => respond(response, 500, status(500, { message })));

    await expect(clientFor(server.url).apply(configMaps, x, "{}", writeOptions)).rejects.toMatchObject({
      code: "SchemaError",
    });

    expect(server.requests.length).toBe(1);
  });

  test("ends at the request timeout where the server never answers", async () => {
    const clock = new ManualClock();
    const server = await startServer(() => {});
    const result = clientFor(server.url, { clock, config: { requestTimeoutMs: 5_000 } }).get(configMaps, x);
    const outcome = expect(result).rejects.toMatchObject({ code: "Timeout" });
    await until("the request has arrived", () => server.requests.length === 1);

    await clock.advance(5_000);

    await outcome;
    await until("its socket is gone", () => server.openConnections() === 0);
  });

  test("retries at once on a kept-alive socket that the server had just closed", async () => {
    const server = await startServer(({ number, raw }, response) => {
      // The second request comes on the first one's socket, and finds it dead.
      if (number === 2) raw.socket.destroy();
      else respond(response, 200, configMap("x"));
    });
    const clock = new ManualClock();
    const client = clientFor(server.url, { clock });
    await client.get(configMaps, x);

    await client.get(configMaps, x);

    // No back-off: the clock was never moved.
    expect(server.requests.length).toBe(3);
    expect(server.connections()).toBe(2);
  });
});

describe("connections", () => {
  test("uses at most its sockets for a burst of requests, and keeps them", async () => {
    const server = await startServer((_, response) => {
      setTimeout(() => respond(response, 200, configMap("x")), 5);
    });
    const client = clientFor(server.url, { maxSockets: 4 });
    const burst = () => Promise.all(Array.from({ length: 40 }, () => client.get(configMaps, x)));

    await burst();
    await burst();

    expect(server.requests.length).toBe(80);
    expect(server.connections()).toBe(4);
  });

  test("gives watches sockets of their own", async () => {
    const server = await startServer(({ query }, response) => {
      if (query.get("watch") === null) respond(response, 200, configMap("x"));
      else response.writeHead(200).flushHeaders();
    });
    const client = clientFor(server.url, { maxSockets: 1 });
    const stop = new AbortController();
    const options = {
      resourceVersion: "1",
      timeoutSeconds: 60,
      silenceMs: () => Number.POSITIVE_INFINITY,
      onEvent: () => {},
    };
    const watches = Array.from({ length: 20 }, () => client.watch(configMaps, { ...options, signal: stop.signal }));
    const ends = Promise.allSettled(watches);
    await until("all watches are open", () => server.requests.length === 20);

    await client.get(configMaps, x);
    stop.abort();

    expect((await ends).map((end) => end.status === "rejected" && end.reason.code)).toEqual(Array(20).fill("Aborted"));
    await until("the watches' sockets are gone", () => server.openConnections() <= 1);
  });

  test("an aborted request leaves no socket", async () => {
    const server = await startServer(() => {});
    const stop = new AbortController();
    const result = clientFor(server.url).get(configMaps, x, { signal: stop.signal });
    const outcome = expect(result).rejects.toMatchObject({ code: "Aborted" });
    await until("the request has arrived", () => server.requests.length === 1);

    stop.abort();

    await outcome;
    await until("its socket is gone", () => server.openConnections() === 0);
  });

  test.each([
    ["an abort", "Aborted", (url: string, signal: AbortSignal) => clientFor(url).get(configMaps, x, { signal })],
    [
      "the deadline",
      "Timeout",
      (url: string) => clientFor(url, { config: { requestTimeoutMs: 500 } }).get(configMaps, x),
    ],
  ])("%s ends a request whose connection is still being made", async (_, code, send) => {
    // Accepts, and never says a word of TLS.
    const mute = createServer();
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void mute.close());
    const connected = new Promise((resolve) => mute.once("connection", resolve));
    const stop = new AbortController();
    const started = performance.now();
    const outcome = expect(
      send(`https://127.0.0.1:${(mute.address() as AddressInfo).port}`, stop.signal),
    ).rejects.toMatchObject({ code });
    await connected;

    if (code === "Aborted") stop.abort();

    await outcome;
    // Sooner than a connection attempt is given up.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("does not repeat a get that is asked for once", async () => {
    const server = await startServer((_, response) => respond(response, 503, status(503)));

    const result = clientFor(server.url).get(configMaps, x, { once: true });

    await expect(result).rejects.toMatchObject({ code: "ServerError" });
    expect(server.requests).toHaveLength(1);
  });

  test("an abort ends the wait between two attempts", async () => {
    const server = await startServer((_, response) => respond(response, 503, status(503), { "retry-after": "5" }));
    const stop = new AbortController();
    const result = clientFor(server.url).get(configMaps, x, { signal: stop.signal });
    const outcome = expect(result).rejects.toMatchObject({ code: "Aborted" });
    await until("the first attempt is answered", () => server.requests.length === 1);

    stop.abort();

    await outcome;
  });

  test("does not send what was aborted before it began", async () => {
    const server = await startServer((_, response) => respond(response, 200, configMap("x")));

    const result = clientFor(server.url).get(configMaps, x, { signal: AbortSignal.abort() });

    await expect(result).rejects.toMatchObject({ code: "Aborted" });
    expect(server.requests).toEqual([]);
  });

  test("close ends what is under way", async () => {
    const server = await startServer(() => {});
    const client = clientFor(server.url);
    const outcome = expect(client.get(configMaps, x)).rejects.toMatchObject({ code: "Aborted" });
    await until("the request has arrived", () => server.requests.length === 1);

    client.close();

    await outcome;
  });

  test("an answer that is cut off in its middle is read again", async () => {
    const server = await startServer(({ number, raw }, response) => {
      if (number > 1) return respond(response, 200, configMap("x"));
      response.writeHead(200, { "content-length": "1000" });
      response.write("{", () => raw.socket.destroy());
    });

    await clientFor(server.url).get(configMaps, x);

    expect(server.requests.length).toBe(2);
  });
});
