import { describe, expect, test } from "vitest";
import { ManualClock } from "../async/index.ts";
import { createEventRecorder, type EventRecorder, type RecordedEvent } from "./event-recorder.ts";
import { clientFor, type Received, respond, startServer, status, type TestServer, until } from "./test-server.case.ts";

interface Bed {
  readonly clock: ManualClock;
  readonly recorder: EventRecorder;
  readonly server: TestServer;
  readonly bodies: () => readonly Record<string, unknown>[];
}

async function startBed(codeOf: (request: Received) => number = () => 201): Promise<Bed> {
  const server = await startServer((request, response) => {
    const code = codeOf(request);
    const answer =
      code < 300
        ? { apiVersion: "v1", kind: "Event", metadata: { name: "e" } }
        : status(code, { reason: "NotFound", details: { name: "e" } });
    respond(response, code, answer);
  });
  const clock = new ManualClock(Date.parse("2030-01-01T00:00:00Z"));
  const recorder = createEventRecorder({ client: clientFor(server.url, { clock }), clock, instance: "cp-1" });
  return { clock, recorder, server, bodies: () => server.requests.map(({ body }) => JSON.parse(body)) };
}

function event(overrides: Partial<RecordedEvent> & { name?: string; namespace?: string } = {}): RecordedEvent {
  const { name = "dns", namespace = "kube-system", ...rest } = overrides;
  return {
    regarding: { apiVersion: "apps/v1", kind: "Deployment", namespace, name, uid: "u" },
    type: "Normal",
    reason: "Repaired",
    note: "spec.replicas: 1 again",
    ...rest,
  };
}

describe("EventRecorder", () => {
  test("writes an events.k8s.io Event about the object", async () => {
    const { recorder, server, bodies } = await startBed();

    recorder.record(event());
    await recorder.flush();

    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/apis/events.k8s.io/v1/namespaces/kube-system/events",
    });
    expect(bodies()[0]).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: expect.stringMatching(/^dns\.[0-9a-f]{16}$/), namespace: "kube-system" },
      eventTime: "2030-01-01T00:00:00.000000Z",
      reportingController: "keelson",
      reportingInstance: "cp-1",
      action: "Repaired",
      reason: "Repaired",
      regarding: { apiVersion: "apps/v1", kind: "Deployment", name: "dns", namespace: "kube-system", uid: "u" },
      note: "spec.replicas: 1 again",
      type: "Normal",
    });
    expect(recorder.dropped).toBe(0);
  });

  test("puts Events about cluster-scoped objects into default, under a name that an Event may have", async () => {
    const { recorder, server, bodies } = await startBed();

    recorder.record(event({ namespace: "", name: "system:Node..x", note: "y".repeat(5_000) }));
    await recorder.flush();

    expect(server.requests[0]?.path).toBe("/apis/events.k8s.io/v1/namespaces/default/events");
    expect(bodies()[0]).toMatchObject({ metadata: { name: expect.stringMatching(/^system-node\.x\.[0-9a-f]{16}$/) } });
    expect(Buffer.byteLength(String(bodies()[0]?.note))).toBeLessThanOrEqual(1_024);
  });

  test("counts repetitions in one Event, and writes the count at most once a minute", async () => {
    const { recorder, server, bodies, clock } = await startBed();
    recorder.record(event());
    await until("it is written", () => server.requests.length === 1);

    for (let i = 0; i < 100; i += 1) recorder.record(event());
    await clock.advance(59_000);
    const early = server.requests.length;
    await clock.advance(1_000);
    await until("the count is written", () => server.requests.length === 2);
    recorder.record(event());
    await clock.advance(30_000);
    const soon = server.requests.length;
    await recorder.flush();

    expect([early, soon]).toEqual([1, 2]);
    expect(server.requests.slice(1).map(({ method }) => method)).toEqual(["PATCH", "PATCH"]);
    expect(server.requests[1]?.path).toMatch(/\/events\/dns\.[0-9a-f]{16}$/);
    expect(bodies().slice(1)).toEqual([
      { series: { count: 101, lastObservedTime: "2030-01-01T00:01:00.000000Z" } },
      { series: { count: 102, lastObservedTime: "2030-01-01T00:01:30.000000Z" } },
    ]);
  });

  test("begins a new Event after ten quiet minutes, and for another reason, note or object", async () => {
    const { recorder, server, clock } = await startBed();

    recorder.record(event());
    recorder.record(event({ reason: "Pruned" }));
    recorder.record(event({ note: "other" }));
    recorder.record(event({ name: "other" }));
    await recorder.flush();
    await clock.advance(600_000);
    recorder.record(event());
    await recorder.flush();

    expect(server.requests.map(({ method }) => method)).toEqual(Array(5).fill("POST"));
  });

  test("writes the Event anew where the server has already dropped it", async () => {
    const { recorder, server, bodies, clock } = await startBed(({ method }) => (method === "PATCH" ? 404 : 201));
    recorder.record(event());
    recorder.record(event());
    await until("the first is written", () => server.requests.length === 1);

    await clock.advance(60_000);
    await until("it is written anew", () => server.requests.length === 3);

    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "PATCH", "POST"]);
    expect(bodies()[2]).toMatchObject({ series: { count: 2 } });
  });

  test("drops what one object says beyond its burst, and counts it", async () => {
    const { recorder, server, clock } = await startBed();

    for (let i = 0; i < 30; i += 1) recorder.record(event({ note: `note ${i}` }));
    recorder.record(event({ name: "other" }));
    await recorder.flush();
    const burst = server.requests.length;
    await clock.advance(5_000);
    recorder.record(event({ note: "one more" }));
    recorder.record(event({ note: "one too many" }));
    await recorder.flush();

    expect([burst, server.requests.length, recorder.dropped]).toEqual([26, 27, 6]);
  });

  test("counts as one what is about the same, whatever the notes say", async () => {
    const { recorder, server } = await startBed();

    recorder.record(event({ note: "spec.replicas 1→5", about: "spec.replicas" }));
    recorder.record(event({ note: "spec.replicas 1→7", about: "spec.replicas" }));
    await recorder.flush();

    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "PATCH"]);
  });

  test("writes few of the minor ones of many objects, and all others", async () => {
    const { recorder, server, clock } = await startBed();

    for (let i = 0; i < 100; i += 1) recorder.record(event({ name: `o${i}`, isMinor: true }));
    recorder.record(event({ name: "grave" }));
    await recorder.flush();
    expect([server.requests.length, recorder.dropped]).toEqual([26, 75]);

    await clock.advance(200);
    recorder.record(event({ name: "later", isMinor: true }));
    await recorder.flush();
    expect(server.requests).toHaveLength(27);
  });

  test("writes minor ones when half a second went by without another, and others at once", async () => {
    const { recorder, server, clock, bodies } = await startBed();
    const names = () => bodies().map(({ regarding }) => (regarding as { name: string }).name);

    recorder.record(event({ name: "first", isMinor: true }));
    await clock.advance(400);
    recorder.record(event({ name: "second", isMinor: true }));
    await clock.advance(499);
    recorder.record(event({ name: "grave" }));
    await until("the grave one is written", () => server.requests.length === 1);
    expect(names()).toEqual(["grave"]);

    await clock.advance(1);
    await until("all are written", () => server.requests.length === 3);
    expect(names()).toEqual(["grave", "first", "second"]);
  });

  test("lets minor ones wait half a minute at most", async () => {
    const { recorder, server, clock } = await startBed();

    for (let i = 0; i < 75; i += 1) {
      recorder.record(event({ name: `o${i}`, isMinor: true }));
      await clock.advance(400);
    }

    await until("all are written", () => server.requests.length === 75);
    expect(recorder.dropped).toBe(0);
  });

  test("drops silently what the server refuses", async () => {
    const { recorder } = await startBed(() => 403);

    recorder.record(event());
    await recorder.flush();

    expect(recorder.dropped).toBe(1);
  });

  test("never lets a queue grow without bound", async () => {
    const { recorder, server } = await startBed();

    for (let i = 0; i < 1_000; i += 1) recorder.record(event({ name: `o-${i}` }));
    await recorder.flush();

    expect(server.requests.length + recorder.dropped).toBe(1_000);
    expect(recorder.dropped).toBeGreaterThan(700);
  });

  test("writes nothing once closed", async () => {
    const { recorder, server, clock } = await startBed();
    recorder.record(event());
    recorder.record(event());
    await until("the first is written", () => server.requests.length === 1);

    recorder.close();
    recorder.record(event({ note: "late" }));
    await clock.advance(120_000);
    await recorder.flush();

    expect(server.requests.length).toBe(1);
  });

  test("tells who made it of an Event that it has no right to write, and of no other failure", async () => {
    let code = 403;
    const server = await startServer((_, response) => {
      respond(response, code, status(code, { reason: code === 403 ? "Forbidden" : "NotFound" }));
    });
    const clock = new ManualClock(0);
    const told: string[] = [];
    const client = clientFor(server.url, { clock });
    const onForbidden = (error: { readonly code: string }): number => told.push(error.code);
    const recorder = createEventRecorder({ client, clock, instance: "cp-1", onForbidden });

    recorder.record(event());
    await recorder.flush();
    code = 404;
    recorder.record(event({ name: "other" }));
    await recorder.flush();

    expect(told).toEqual(["Forbidden"]);
    expect(recorder.dropped).toBe(2);
  });
});
