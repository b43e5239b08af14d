import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../async/index.ts";
import type { EngineState } from "../../converge/index.ts";
import type { KeelsonError } from "../../errors/index.ts";
import { type ConfigMapServer, startConfigMapServer } from "./config-map-server.case.ts";
import { namesOf } from "./identity.ts";
import { readOwn } from "./own-config-map.ts";
import { engineStatus, snapshotOf } from "./samples.case.ts";
import { decodeState } from "./state.ts";
import { statusReport } from "./status.ts";
import { StatusWriter } from "./status-writer.ts";

const names = namesOf("");
const MAP = "keelson-status";

describe("StatusWriter", () => {
  const clock = new ManualClock();
  let server: ConfigMapServer;
  let stop: AbortController;
  let errors: KeelsonError[];
  let desired: number;
  let state: EngineState;
  beforeEach(async () => {
    server = await startConfigMapServer();
    stop = new AbortController();
    errors = [];
    desired = 1;
    state = { missing: { broken: [], wasEmpty: false, missing: [] }, kinds: ["ConfigMap"], confirmed: [] };
  });
  afterEach(() => stop.abort());

  function writerOf(stored?: Awaited<ReturnType<typeof readOwn>>, instance = "cp-1_1"): StatusWriter {
    return new StatusWriter(
      {
        client: server.client,
        clock,
        names,
        report: () =>
          statusReport({
            set: "",
            instance,
            path: "/addons",
            engine: engineStatus({ desired }),
            addons: undefined,
            snapshot: snapshotOf({}),
            now: clock.now(),
          }),
        state: () => state,
        onError: (error) => errors.push(error),
      },
      stored,
    );
  }

  const writes = (): number => server.requests.filter((request) => !request.startsWith("GET")).length;
  const written = (): { summary: { desired: number } } =>
    JSON.parse(server.objects.get(MAP)?.data["status.json"] ?? "{}");
  /** Lets the writer's requests come back; they are real, its timers are not. */
  const settled = (count: number): Promise<void> => vi.waitFor(() => expect(writes()).toBe(count), { interval: 2 });
  /** Gives a write that should not be the time to show. */
  async function quiet(): Promise<void> {
    await clock.advance(60_000);
    await server.client.raw("GET", "/marker").catch(() => {});
    await clock.advance(0);
  }

  it("creates the ConfigMap with status and state, a second after its start", async () => {
    writerOf().start(stop.signal);
    await clock.advance(999);
    expect(server.requests).toEqual([]);

    await clock.advance(1);
    await vi.waitFor(() => expect(server.objects.has(MAP)).toBe(true), { interval: 2 });

    expect(written().summary.desired).toBe(1);
    expect(decodeState(server.objects.get(MAP)?.data.state)).toEqual(state);
  });

  it("writes once for a burst of changes", async () => {
    const writer = writerOf();
    await writer.flush(stop.signal);
    const before = writes();
    writer.start(stop.signal);

    desired = 2;
    for (let n = 0; n < 50; n += 1) writer.changed();
    await clock.advance(1_000);
    await settled(before + 1);
    await quiet();

    expect(writes()).toBe(before + 1);
    expect(written().summary.desired).toBe(2);
  });

  it("writes nothing where nothing has changed, whatever time it is", async () => {
    const writer = writerOf();
    await writer.flush(stop.signal);
    const before = writes();

    writer.start(stop.signal);
    await quiet();
    writer.changed();
    await quiet();

    expect(writes()).toBe(before);
  });

  it.each([
    { name: "the status", change: () => (desired = 7) },
    { name: "the state alone", change: () => (state = { ...state, confirmed: ["uid-1"] }) },
  ])("writes when $name changes", async ({ change }) => {
    const writer = writerOf();
    await writer.flush(stop.signal);
    const before = writes();

    change();
    await writer.flush(stop.signal);

    expect(writes()).toBe(before + 1);
  });

  it("writes nothing after a restart on the same host that finds all as it was", async () => {
    await writerOf().flush(stop.signal);
    const before = writes();
    const stored = await readOwn(server.client, MAP, stop.signal);

    await writerOf(stored, "cp-1_2").flush(stop.signal);
    expect(writes()).toBe(before);

    await writerOf(stored, "cp-2_1").flush(stop.signal);
    expect(writes()).toBe(before + 1);
  });

  it.each([
    { name: "no JSON", data: { "status.json": "{", state: "" } },
    { name: "a damaged state", data: { state: "***" } },
  ])("writes over a status that is $name", async ({ data }) => {
    await writerOf().flush(stop.signal);
    const stored = await readOwn(server.client, MAP, stop.signal);
    const before = writes();

    await writerOf(stored && { ...stored, data: { ...stored.data, ...data } }).flush(stop.signal);

    expect(writes()).toBe(before + 1);
  });

  it("replaces what another leader wrote since this one was started", async () => {
    const ours = writerOf();
    await ours.flush(stop.signal);
    desired = 9;
    await writerOf(undefined, "cp-2").flush(stop.signal);
    desired = 1;
    const before = writes();

    ours.start(stop.signal);
    await clock.advance(1_000);
    await settled(before + 1);

    expect(written().summary.desired).toBe(1);
  });

  it("tells a refused write and tries again in ten seconds", async () => {
    server.fail(403);
    const writer = writerOf();
    writer.start(stop.signal);
    await clock.advance(1_000);
    await vi.waitFor(() => expect(errors).toHaveLength(1), { interval: 2 });
    expect(errors[0]?.code).toBe("Forbidden");
    await vi.waitFor(() => expect(clock.pending).toBe(1), { interval: 2 });

    server.fail(undefined);
    await clock.advance(9_999);
    expect(server.objects.size).toBe(0);
    await clock.advance(1);

    await vi.waitFor(() => expect(server.objects.has(MAP)).toBe(true), { interval: 2 });
    expect(errors).toHaveLength(1);
  });

  it("writes nothing before its start, and nothing after its end", async () => {
    const writer = writerOf();
    writer.changed();
    await quiet();
    expect(server.requests.filter((request) => request.endsWith(MAP))).toEqual([]);

    writer.start(stop.signal);
    stop.abort();
    await quiet();

    expect(server.requests.filter((request) => request.endsWith(MAP))).toEqual([]);
  });

  it("leaves annotations of others on the ConfigMap alone", async () => {
    const writer = writerOf();
    await writer.flush(stop.signal);
    const stored = server.objects.get(MAP);
    if (stored !== undefined) stored.metadata.annotations["keelson.dev/instance"] = "cp-1";

    desired = 3;
    await writer.flush(stop.signal);

    expect(server.objects.get(MAP)?.metadata.annotations).toEqual({ "keelson.dev/instance": "cp-1" });
  });
});
