import { describe, expect, it } from "vitest";
import { ManualClock, Watchdog } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import type { KubeClient, WatchOptions } from "./kube-client.ts";
import { Reflector } from "./reflector.ts";
import { configMaps } from "./test-server.case.ts";

const MINUTE_MS = 60_000;

interface Bed {
  readonly watchdog: Watchdog;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  readonly advance: (ms: number) => Promise<void>;
}

/** A reflector whose client watches as `watch` says. */
function reflect(
  watch: (options: WatchOptions, clock: ManualClock) => Promise<void>,
  onEvent: () => void = () => {},
): Bed {
  const clock = new ManualClock();
  const stop = new AbortController();
  const watchdog = new Watchdog(clock);
  watchdog.run(stop.signal).catch(() => {});
  const client = { watch: (_: unknown, options: WatchOptions) => watch(options, clock) } as unknown as KubeClient;
  const heart = watchdog.heart("watches", "ConfigMap");
  const project = (): number => 0;
  const reflector = new Reflector({ client, clock, heart, resource: configMaps, project, onEvent });
  const ended = reflector.run(stop.signal).catch((error: unknown) => error);
  return { watchdog, stop, ended, advance: (ms) => clock.advance(ms) };
}

const never = (): Promise<never> => new Promise(() => {});
const bookmark = (end: boolean) => ({ type: "BOOKMARK", resourceVersion: "1", initialEventsEnd: end }) as const;

describe("a reflector", () => {
  it("is stuck where its stream neither ends nor says anything, which the client should have seen", async () => {
    const { watchdog, advance } = reflect((options) => {
      options.onEvent(bookmark(true));
      return never();
    });
    await advance(7 * MINUTE_MS);
    expect(watchdog.loops()).toEqual([{ name: "watches", stuck: undefined }]);

    await advance(10 * MINUTE_MS);

    expect(watchdog.loops()).toEqual([{ name: "watches", stuck: "ConfigMap: watching, for too long" }]);
  });

  it("is stuck where it cannot even begin a stream", async () => {
    const { watchdog, advance } = reflect(never);

    await advance(16 * MINUTE_MS);

    expect(watchdog.loops()).toEqual([{ name: "watches", stuck: "ConfigMap: opening a stream, for too long" }]);
  });

  it("is not stuck where the kind has been refused for days, nor where nothing changes for days", async () => {
    const refused = reflect(() => Promise.reject(new KeelsonError("Forbidden", "no")));
    const quiet = reflect(async (options, clock) => {
      options.onEvent(bookmark(true));
      for (let minute = 0; minute < 20; minute++) {
        await clock.sleep(MINUTE_MS, options.signal);
        options.onEvent(bookmark(false));
      }
    });

    for (const { watchdog, advance } of [refused, quiet]) {
      for (let hour = 0; hour < 10; hour++) {
        await advance(60 * MINUTE_MS);
        expect(watchdog.loops()[0]?.stuck).toBeUndefined();
      }
    }
  });

  it("is stuck at once where it has given up", async () => {
    const onEvent = (): void => {
      throw new TypeError("a fault of ours");
    };
    const { watchdog, ended } = reflect(() => Promise.reject(new KeelsonError("Forbidden", "no")), onEvent);

    await ended;

    expect(watchdog.loops()).toEqual([{ name: "watches", stuck: "ConfigMap: ended: a fault of ours" }]);
  });

  it("is forgotten where it was stopped", async () => {
    const { watchdog, stop, ended } = reflect((options, clock) => clock.sleep(60 * MINUTE_MS, options.signal));

    stop.abort();
    await ended;

    expect(watchdog.loops()).toEqual([]);
  });
});
