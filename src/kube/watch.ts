import type { Clock } from "../async/index.ts";
import { isAborted, KeelsonError, messageOf } from "../errors/index.ts";
import { isJsonObject, parseJson } from "../object/index.ts";
import { statusOf } from "./api-status.ts";
import { type Asked, classify } from "./classify.ts";
import type { WatchEvent, WatchOptions } from "./kube-client.ts";
import { LineSplitter } from "./line-splitter.ts";
import { toKubeObject } from "./object-of.ts";
import type { ApiResource } from "./resource.ts";
import type { WireStream } from "./transport.ts";

/** An object is at most 3 MiB as a request, and grows by its managedFields. */
const maxEventBytes = 32 << 20;

const initialEventsEnd = "k8s.io/initial-events-end";

export interface WatchedStream {
  readonly stream: WireStream;
  readonly resource: ApiResource;
  readonly options: WatchOptions;
  readonly clock: Clock;
  readonly asked: Asked;
}

/**
 * Reads a watch to its end, one event at a time; nothing of an event outlives its call of `onEvent`. Resolves at the
 * stream's regular end; rejects where it breaks, falls silent (`Timeout`), or carries an ERROR event (410 is `Expired`).
 */
export function readWatch({ stream, resource, options, clock, asked }: WatchedStream): Promise<void> {
  const { body, failureOf, release } = stream;
  return new Promise((resolve, reject) => {
    let cancelSilence: () => void = () => {};
    const finish = (error?: unknown): void => {
      cancelSilence();
      body.off("data", onData);
      release();
      if (error === undefined) resolve();
      else reject(error);
    };
    const awaitNext = (): void => {
      cancelSilence();
      const ms = options.silenceMs();
      if (ms === Number.POSITIVE_INFINITY) return;
      const stalled = `${asked.object}: watch: not a byte in ${Math.round(ms / 1000)} s`;
      cancelSilence = clock.after(ms, () => finish(new KeelsonError("Timeout", stalled)));
    };
    const splitter = new LineSplitter((line) => {
      options.onEvent(parseEvent(line, resource, asked));
    }, maxEventBytes);
    const onData = (chunk: Buffer): void => {
      try {
        splitter.push(chunk);
        awaitNext();
      } catch (error) {
        finish(error);
      }
    };
    const broken = (why: string): KeelsonError => new KeelsonError("Unreachable", `${asked.object}: watch: ${why}`);
    body.on("data", onData);
    body.once("end", () => finish(splitter.pendingBytes > 0 ? broken("cut off in the middle of an event") : undefined));
    const fail = (cause: unknown): void => {
      const failure = failureOf(cause);
      finish(isAborted(failure) ? failure : broken(messageOf(failure)));
    };
    body.on("error", fail);
    body.once("close", () => fail(new KeelsonError("Unreachable", "the connection was closed")));
    awaitNext();
  });
}

/** One line of a watch. An ERROR event throws what it says. */
function parseEvent(line: string, resource: ApiResource, asked: Asked): WatchEvent {
  const event = parseLine(line, asked);
  const { type, object } = event;
  if (!isJsonObject(object)) throw malformed(asked, "an event has no object");
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: toKubeObject(object, resource) };
    case "BOOKMARK": {
      const { metadata } = toKubeObject(object, resource);
      return {
        type,
        resourceVersion: metadata.resourceVersion ?? "",
        initialEventsEnd: metadata.annotations?.[initialEventsEnd] === "true",
      };
    }
    case "ERROR":
      // The HTTP status was 200 long ago; the Status inside carries the real one.
      throw classify(statusOf(object, 500), asked);
    default:
      throw malformed(asked, `unknown event type ${String(type)}`);
  }
}

function parseLine(line: string, asked: Asked): { readonly type?: unknown; readonly object?: unknown } {
  try {
    const value = parseJson(line);
    if (isJsonObject(value)) return value;
  } catch {
    // Told below, without the content: it may be a Secret's.
  }
  throw malformed(asked, "an event is no JSON object");
}

function malformed(asked: Asked, what: string): KeelsonError {
  return new KeelsonError("ServerError", `${asked.object}: watch: ${what}`);
}
