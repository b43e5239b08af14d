import type { ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { ManualClock } from "../async/index.ts";
import { Reflector, type ReflectorEvent, type ReflectorOptions } from "./reflector.ts";
import { clientFor, configMaps, type Received, startServer, type TestServer } from "./test-server.case.ts";

// A reflector on a server that follows a script, and what it tells.

const endOfList = { "k8s.io/initial-events-end": "true" };

export function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function bookmark(resourceVersion: string, annotations?: Record<string, string>): string {
  return line("BOOKMARK", { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion, annotations } });
}

/** A complete WatchList answer, with the stream left open. */
export function listed(resourceVersion: string, ...objects: readonly unknown[]): string {
  return [...objects.map((object) => line("ADDED", object)), bookmark(resourceVersion, endOfList)].join("");
}

export interface Bed {
  readonly clock: ManualClock;
  readonly reflector: Reflector<unknown>;
  readonly events: ReflectorEvent<unknown>[];
  /** Each event in one word or two. */
  readonly story: () => readonly string[];
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

export function tell(event: ReflectorEvent<unknown>): string {
  switch (event.kind) {
    case "upsert":
      return `${event.initial ? "list" : "event"} ${event.target.name}@${event.resourceVersion}`;
    case "delete":
      return `delete ${event.target.name}@${event.resourceVersion}`;
    case "unavailable":
      return `unavailable ${event.error.code}`;
    default:
      return event.kind;
  }
}

/** Runs a reflector on ConfigMaps that keeps their `data`. */
export function reflect(server: TestServer, options: Partial<ReflectorOptions<unknown>> = {}): Bed {
  const clock = new ManualClock();
  const events: ReflectorEvent<unknown>[] = [];
  const stop = new AbortController();
  const reflector = new Reflector<unknown>({
    client: clientFor(server.url, { clock }),
    clock,
    resource: configMaps,
    project: (object) => object.data ?? "none",
    onEvent: (event) => events.push(event),
    ...options,
  });
  const ended = reflector.run(stop.signal).catch((error: unknown) => error);
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  return { clock, reflector, events, story: () => events.map(tell), stop, ended };
}

/** A server that answers the n-th watch or list by the n-th of `answers`; later ones stay open. */
export function script(
  ...answers: readonly ((response: ServerResponse, request: Received) => void)[]
): Promise<TestServer> {
  return startServer((request, response) => {
    const answer = answers[request.number - 1];
    if (answer === undefined) {
      response.writeHead(200).flushHeaders();
      return;
    }
    answer(response, request);
  });
}

export function stream(text: string): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200);
    response.write(text);
  };
}

export function streamAndEnd(text: string): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200);
    response.end(text);
  };
}

export function streamAndCut(text: string): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200);
    response.write(text, () => response.destroy());
  };
}

/** Moves the clock until `holds`: what waits is woken, whatever the jitter. */
export async function advanceUntil(bed: Bed, claim: string, holds: () => boolean, stepMs = 100): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`never: ${claim}: ${bed.story().join(", ")}`);
    await bed.clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
