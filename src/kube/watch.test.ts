import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../async/index.ts";
import type { WatchEvent, WatchOptions } from "./kube-client.ts";
import { clientFor, configMap, configMaps, respond, startServer, status, until } from "./test-server.case.ts";

const never = (): number => Number.POSITIVE_INFINITY;

function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function bookmark(resourceVersion: string, annotations?: Record<string, string>): string {
  return line("BOOKMARK", { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion, annotations } });
}

interface Watched {
  readonly events: readonly WatchEvent[];
  readonly end: Promise<void>;
}

/** Watches a server that answers the watch with `answer`. */
async function watch(
  answer: (response: ServerResponse) => void,
  options: Partial<WatchOptions> & { clock?: ManualClock } = {},
): Promise<Watched> {
  const server = await startServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    answer(response);
  });
  const { clock, ...rest } = options;
  const events: WatchEvent[] = [];
  const client = clientFor(server.url, { ...(clock && { clock }) });
  const end = client.watch(configMaps, {
    resourceVersion: "1",
    timeoutSeconds: 60,
    silenceMs: never,
    onEvent: (event) => events.push(event),
    ...rest,
  });
  end.catch(() => {});
  return { events, end };
}

describe("watch", () => {
  test("asks for bookmarks, the selection and the initial events", async () => {
    const server = await startServer((_, response) => response.end());

    await clientFor(server.url).watch(configMaps, {
      namespace: "a",
      labelSelector: "k=v",
      fieldSelector: "metadata.name=x",
      metadataOnly: true,
      resourceVersion: "",
      sendInitialEvents: true,
      timeoutSeconds: 60,
      silenceMs: never,
      onEvent: () => {},
    });

    expect(server.requests[0]).toMatchObject({ path: "/api/v1/namespaces/a/configmaps" });
    expect(Object.fromEntries(server.requests[0]?.query ?? [])).toEqual({
      labelSelector: "k=v",
      fieldSelector: "metadata.name=x",
      watch: "true",
      allowWatchBookmarks: "true",
      timeoutSeconds: "60",
      resourceVersion: "",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
    });
    expect(server.requests[0]?.headers.accept).toBe("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  });

  test("hands out the same events wherever the stream is cut into chunks", async () => {
    const stream = Buffer.from(
      [
        line("ADDED", configMap("ä😀")),
        bookmark("5", { "k8s.io/initial-events-end": "true" }),
        line("MODIFIED", configMap("b", "6")),
        line("DELETED", configMap("b", "7")),
        bookmark("8"),
      ].join(""),
    );
    for (const size of [1, 7, 64, 1_000]) {
      const { events, end } = await watch(async (response) => {
        for (let at = 0; at < stream.length; at += size) {
          await new Promise<void>((resolve) => response.write(stream.subarray(at, at + size), () => resolve()));
        }
        response.end();
      });
      await end;

      expect(events).toEqual([
        { type: "ADDED", object: configMap("ä😀") },
        { type: "BOOKMARK", resourceVersion: "5", initialEventsEnd: true },
        { type: "MODIFIED", object: configMap("b", "6") },
        { type: "DELETED", object: configMap("b", "7") },
        { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: false },
      ]);
    }
  });

  test("takes an ERROR event for what its Status says", async () => {
    const { end } = await watch((response) =>
      response.end(line("ERROR", status(410, { reason: "Expired", message: "too old resource version" }))),
    );

    await expect(end).rejects.toMatchObject({ code: "Expired", httpStatus: 410 });
  });

  test.each([
    ["cut in the middle of an event", (response: ServerResponse) => response.end('{"type":"ADD'), "Unreachable"],
    ["cut off", (response: ServerResponse) => response.write(bookmark("5"), () => response.destroy()), "Unreachable"],
    ["of something else", (response: ServerResponse) => response.end("<html>\n"), "ServerError"],
    [
      "with an unknown event",
      (response: ServerResponse) => response.end(line("RENAMED", configMap("x"))),
      "ServerError",
    ],
    ["with an event without object", (response: ServerResponse) => response.end(line("ADDED", null)), "ServerError"],
    [
      "with an object without metadata",
      (response: ServerResponse) => response.end(line("ADDED", { kind: "X" })),
      "ServerError",
    ],
  ])("rejects a stream %s", async (_, answer, code) => {
    const { end } = await watch(answer);

    await expect(end).rejects.toMatchObject({ code });
  });

  test("a refused watch is an error like any other", async () => {
    const server = await startServer((_, response) => respond(response, 403, status(403, { reason: "Forbidden" })));
    const end = clientFor(server.url).watch(configMaps, {
      resourceVersion: "1",
      timeoutSeconds: 60,
      silenceMs: never,
      onEvent: () => {},
    });

    await expect(end).rejects.toMatchObject({ code: "Forbidden" });
  });

  test("ends with Timeout when not a byte comes for the allowed silence, counted from the last one", async () => {
    const clock = new ManualClock();
    let send = (_: string): void => {};
    const { events, end } = await watch(
      (response) => {
        send = (text) => response.write(text);
        send(bookmark("5"));
      },
      { clock, silenceMs: () => 1_000 },
    );
    const outcome = expect(end).rejects.toMatchObject({ code: "Timeout" });
    await until("the first bookmark has come", () => events.length === 1);
    await clock.advance(900);
    send(bookmark("6"));
    await until("the second bookmark has come", () => events.length === 2);

    await clock.advance(900);
    send(bookmark("7"));
    await until("the stream is still alive", () => events.length === 3);
    await clock.advance(1_000);

    await outcome;
  });

  test("ends with Aborted, and its socket with it", async () => {
    const stop = new AbortController();
    const server = await startServer((_, response) => {
      response.writeHead(200).flushHeaders();
      response.write(bookmark("5"));
    });
    const events: WatchEvent[] = [];
    const end = clientFor(server.url).watch(configMaps, {
      resourceVersion: "1",
      timeoutSeconds: 60,
      silenceMs: never,
      onEvent: (event) => events.push(event),
      signal: stop.signal,
    });
    const outcome = expect(end).rejects.toMatchObject({ code: "Aborted" });
    await until("the bookmark has come", () => events.length === 1);

    stop.abort();

    await outcome;
    await until("its socket is gone", () => server.openConnections() === 0);
  });

  test("ends with what the consumer throws", async () => {
    const { end } = await watch((response) => response.write(bookmark("5")), {
      onEvent: () => {
        throw new TypeError("mine");
      },
    });

    await expect(end).rejects.toThrow("mine");
  });
});
