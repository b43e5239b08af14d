import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import {
  advanceUntil,
  bookmark,
  line,
  listed,
  reflect,
  script,
  stream,
  streamAndCut,
  streamAndEnd,
} from "./reflector-bed.case.ts";
import { clientFor, configMap, respond, startServer, status, until } from "./test-server.case.ts";

describe("Reflector", () => {
  test("lists by watching, then tells changes, and keeps only the projection", async () => {
    const server = await script((response) => {
      response.writeHead(200);
      response.write(listed("10", configMap("a", "1", { data: { k: "v" } }), configMap("b", "2")));
      response.write(line("MODIFIED", configMap("a", "11", { data: { k: "w" } })));
      response.write(line("DELETED", configMap("b", "12")));
      response.write(line("ADDED", configMap("c", "13")));
    });
    const bed = reflect(server, { labelSelector: "k=v" });
    await until("all events have come", () => bed.events.length === 6);

    expect(bed.story()).toEqual(["list a@1", "list b@2", "synced", "event a@11", "delete b@12", "event c@13"]);
    expect(bed.events[4]).toMatchObject({ uid: "uid-b", record: "none", terminalState: "deleted-or-unselected" });
    expect(bed.reflector.synced).toBe(true);
    expect(bed.reflector.size).toBe(2);
    expect(bed.reflector.get({ namespace: "default", name: "a" })).toEqual({ k: "w" });
    expect([...bed.reflector.entries()]).toEqual([
      [{ namespace: "default", name: "a" }, { k: "w" }],
      [{ namespace: "default", name: "c" }, "none"],
    ]);
    expect(server.requests[0]?.query.get("labelSelector")).toBe("k=v");
  });

  test("is not synced before the list has ended", async () => {
    const server = await script(stream(line("ADDED", configMap("a"))));
    const bed = reflect(server);
    await until("the object has come", () => bed.events.length === 1);

    expect(bed.reflector.synced).toBe(false);
  });

  test("resumes a broken stream at the last version, bookmarks included", async () => {
    const server = await script(
      streamAndCut(listed("10", configMap("a")) + line("MODIFIED", configMap("a", "11")) + bookmark("20")),
      stream(line("MODIFIED", configMap("a", "21"))),
    );
    const bed = reflect(server);
    await advanceUntil(bed, "the resumed stream's event has come", () => bed.events.length === 4);

    expect(bed.story()).toEqual(["list a@1", "synced", "event a@11", "event a@21"]);
    expect(server.requests.map(({ query }) => [query.get("resourceVersion"), query.get("sendInitialEvents")])).toEqual([
      ["", "true"],
      ["20", null],
    ]);
  });

  test.each([
    [
      "an ERROR event",
      (response: ServerResponse) => streamAndEnd(line("ERROR", status(410, { reason: "Expired" })))(response),
    ],
    ["an answer", (response: ServerResponse) => respond(response, 410, status(410, { reason: "Expired" }))],
  ])("lists anew on 410 by %s, tells what is gone and what has changed, and nothing else", async (_, expired) => {
    const server = await script(
      streamAndCut(listed("10", configMap("same", "1"), configMap("changed", "2"), configMap("gone", "3"))),
      expired,
      stream(listed("30", configMap("same", "1"), configMap("changed", "25"), configMap("new", "26"))),
    );
    const bed = reflect(server);
    await advanceUntil(
      bed,
      "the second list has ended",
      () => bed.story().filter((event) => event === "synced").length === 2,
    );

    expect(bed.story().slice(4)).toEqual(["list changed@25", "list new@26", "delete gone@3", "synced"]);
    expect(server.requests[2]?.query.get("sendInitialEvents")).toBe("true");
  });

  test("an object that was deleted and created anew between two lists comes with its new uid", async () => {
    const again = {
      ...configMap("a", "20"),
      metadata: { name: "a", namespace: "default", uid: "second", resourceVersion: "20" },
    };
    const server = await script(
      streamAndCut(listed("10", configMap("a", "1"))),
      streamAndEnd(line("ERROR", status(410))),
      stream(listed("30", again)),
    );
    const bed = reflect(server);
    await advanceUntil(bed, "the second list has ended", () => bed.events.length === 4);

    expect(bed.events[2]).toMatchObject({ kind: "upsert", uid: "second" });
  });

  test("a list that breaks off deletes nothing", async () => {
    const server = await script(
      streamAndCut(listed("10", configMap("a"), configMap("b", "2"))),
      streamAndEnd(line("ERROR", status(410))),
      streamAndCut(line("ADDED", configMap("a"))),
      stream(listed("30", configMap("b", "2"))),
    );
    const bed = reflect(server);
    await advanceUntil(
      bed,
      "the last list has ended",
      () => bed.story().filter((event) => event === "synced").length === 2,
    );

    expect(bed.story().slice(3)).toEqual(["delete a@1", "synced"]);
  });

  test("takes a stream for dead when the server's bookmarks stay away, and lists anew", async () => {
    const server = await script(
      stream(listed("10", configMap("a")) + bookmark("20")),
      stream(listed("30", configMap("a"))),
    );
    const bed = reflect(server);
    await until("the list has ended", () => bed.events.length === 2);
    await until("the bookmark has been read", () => bed.clock.pending > 0);

    await bed.clock.advance(140_000);
    const early = server.requests.length;
    await advanceUntil(bed, "it has listed anew", () => bed.events.length === 3);

    expect(early).toBe(1);
    expect(server.requests[1]?.query.get("sendInitialEvents")).toBe("true");
  });

  test("allows the whole agreed time where bookmarks were never seen", async () => {
    const server = await script(stream(listed("10", configMap("a"))));
    const bed = reflect(server);
    await until("the list has ended", () => bed.events.length === 2);

    await bed.clock.advance(400_000);
    const early = server.requests.length;
    await advanceUntil(bed, "it has tried again", () => server.requests.length === 2, 10_000);

    expect(early).toBe(1);
  });

  test("lists anew after a stream that ended in order without a single event: its version may lie in the future", async () => {
    let end = (): void => {};
    const server = await script(
      streamAndCut(listed("99999", configMap("a"))),
      (response) => {
        response.writeHead(200).flushHeaders();
        end = () => response.end();
      },
      stream(listed("30", configMap("a"))),
    );
    const bed = reflect(server);
    await advanceUntil(bed, "the watch was resumed", () => server.requests.length === 2);
    await bed.clock.advance(60_000);

    end();
    await advanceUntil(bed, "it has listed anew", () => server.requests.length === 3);

    expect(server.requests.map(({ query }) => query.get("sendInitialEvents"))).toEqual(["true", null, "true"]);
  });

  test("resumes after a stream that ended in order", async () => {
    const server = await script(
      streamAndEnd(listed("10", configMap("a")) + bookmark("20")),
      stream(line("ADDED", configMap("b", "21"))),
    );
    const bed = reflect(server);
    await advanceUntil(bed, "the resumed stream's event has come", () => bed.events.length === 3);

    expect(bed.story()).toEqual(["list a@1", "synced", "event b@21"]);
    expect(server.requests[1]?.query.get("resourceVersion")).toBe("20");
  });

  test("falls back to pages and a watch where the server refuses the initial events", async () => {
    const items = (...names: readonly string[]) => names.map((name) => configMap(name));
    const server = await script(
      (response) => respond(response, 422, status(422, { reason: "Invalid", message: "sendInitialEvents: Forbidden" })),
      (response) => respond(response, 200, { metadata: { resourceVersion: "10", continue: "c" }, items: items("a") }),
      (response) => respond(response, 200, { metadata: { resourceVersion: "10" }, items: items("b") }),
      streamAndEnd(line("ERROR", status(410))),
      (response) => respond(response, 200, { metadata: { resourceVersion: "20" }, items: items("b") }),
      stream(line("ADDED", configMap("c", "21"))),
    );
    const bed = reflect(server, { pageSize: 1 });
    await advanceUntil(bed, "the last event has come", () => bed.story().includes("event c@21"));

    expect(bed.story()).toEqual(["list a@1", "list b@1", "synced", "delete a@1", "synced", "event c@21"]);
    expect(
      server.requests.map(({ query }) => [query.get("watch"), query.get("limit"), query.get("resourceVersion")]),
    ).toEqual([
      ["true", null, ""],
      [null, "1", null],
      [null, "1", null],
      ["true", null, "10"],
      [null, "1", null],
      ["true", null, "20"],
    ]);
  });

  test("falls back where the server takes the initial events for a plain watch and never ends them", async () => {
    const server = await script(
      stream(line("ADDED", configMap("a"))),
      stream(line("ADDED", configMap("a"))),
      (response) => respond(response, 200, { metadata: { resourceVersion: "10" }, items: [configMap("a")] }),
    );
    const bed = reflect(server);
    await until("the object has come", () => bed.events.length === 1);
    await advanceUntil(bed, "it is synced", () => bed.reflector.synced, 1_000);

    expect(server.requests[2]?.query.get("watch")).toBeNull();
  });

  test.each([
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [405, "BadRequest"],
  ])("tells once that the kind is unavailable by %d, and tries again by itself", async (code, expected) => {
    const refuse = (response: ServerResponse): void => respond(response, code, status(code));
    const server = await script(refuse, refuse, refuse, stream(listed("10", configMap("a"))));
    const bed = reflect(server);
    await advanceUntil(bed, "it is available", () => bed.reflector.synced);

    expect(bed.story()).toEqual([`unavailable ${expected}`, "list a@1", "synced"]);
    expect(server.requests.length).toBe(4);
  });

  test("waits up to five minutes for a kind that is not served, and less when told to try", async () => {
    let isServed = false;
    const server = await startServer((_, response) => {
      if (isServed) stream(listed("10", configMap("a")))(response);
      else response.writeHead(404).end("404 page not found\n");
    });
    const bed = reflect(server);
    await advanceUntil(bed, "several tries have failed", () => server.requests.length === 12, 10_000);
    const tries = server.requests.length;
    await bed.clock.advance(200_000);
    const later = server.requests.length;
    isServed = true;

    bed.reflector.retryNow();
    await until("it is available", () => bed.reflector.synced);

    expect(later).toBe(tries);
    expect(bed.story()).toEqual(["unavailable NoMatch", "list a@1", "synced"]);
  });

  test("keeps what it knew while the kind is unavailable, and is not synced", async () => {
    const server = await script(streamAndCut(listed("10", configMap("a"))), (response) =>
      respond(response, 403, status(403)),
    );
    const bed = reflect(server);
    await advanceUntil(bed, "it is unavailable", () => bed.story().includes("unavailable Forbidden"));

    expect(bed.reflector.synced).toBe(false);
    expect(bed.reflector.size).toBe(1);
    expect(bed.story()).toEqual(["list a@1", "synced", "unavailable Forbidden"]);
  });

  test("honours the server's wish when throttled", async () => {
    const server = await script(
      (response) => respond(response, 429, status(429), { "retry-after": "30" }),
      stream(listed("10", configMap("a"))),
    );
    const bed = reflect(server);
    await until("the first try is answered", () => server.requests.length === 1 && bed.clock.pending > 0);
    await bed.clock.advance(29_000);
    const early = server.requests.length;

    await advanceUntil(bed, "it is synced", () => bed.reflector.synced);

    expect(early).toBe(1);
    expect(bed.story()).toEqual(["list a@1", "synced"]);
  });

  test("survives a projection that throws, and tells it", async () => {
    let isBroken = true;
    const server = await startServer((_, response) => stream(listed("10", configMap("a")))(response));
    const bed = reflect(server, {
      project: () => {
        if (isBroken) throw new TypeError("mine");
        return "fine";
      },
    });
    await until("it is told", () => bed.events.length === 1);
    isBroken = false;
    await advanceUntil(bed, "it is synced", () => bed.reflector.synced);

    expect(bed.story()).toEqual(["unavailable Internal", "list a@1", "synced"]);
  });

  test("backs off from a server that ends every stream at once", async () => {
    const server = await startServer((_, response) => streamAndEnd("")(response));
    const bed = reflect(server);
    await advanceUntil(bed, "a minute has passed", () => bed.clock.monotonic() >= 60_000, 500);

    expect(server.requests.length).toBeLessThan(30);
  });

  test("ends with Aborted, at once, in a stream and in a wait", async () => {
    const open = reflect(await script(stream(listed("10"))));
    const waiting = reflect(await script((response) => respond(response, 403, status(403))));
    await until("both are under way", () => open.events.length === 1 && waiting.events.length === 1);

    open.stop.abort();
    waiting.stop.abort();

    expect(await open.ended).toMatchObject({ code: "Aborted" });
    expect(await waiting.ended).toMatchObject({ code: "Aborted" });
  });

  test("ends with Aborted when its client is closed", async () => {
    const server = await script(stream(listed("10")));
    const client = clientFor(server.url);
    const bed = reflect(server, { client });
    await until("it is synced", () => bed.reflector.synced);

    client.close();

    expect(await bed.ended).toMatchObject({ code: "Aborted" });
  });
});
