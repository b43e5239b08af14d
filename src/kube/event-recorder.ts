import { createHash } from "node:crypto";
import type { Clock } from "../async/index.ts";
import { isKeelsonError, KeelsonError } from "../errors/index.ts";
import { parseApiVersion, stringifyJson } from "../object/index.ts";
import type { KubeClient } from "./kube-client.ts";
import type { ApiResource, Target } from "./resource.ts";
import { TokenBuckets } from "./token-bucket.ts";

/** An Event to write. */
export interface RecordedEvent {
  /** The object that it is about; `namespace` "" for cluster-scoped ones, whose Events go to namespace default. */
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid?: string | undefined;
  };
  readonly type: "Normal" | "Warning";
  /** CamelCase, at most 128 bytes. */
  readonly reason: string;
  /** For people; cut at 1024 bytes. */
  readonly note: string;
  /** What was done or tried, CamelCase; default the reason. */
  readonly action?: string | undefined;
  /** What repetitions of one Event have in common; default the note. */
  readonly about?: string | undefined;
  /**
   * One of many of its kind: of these only 25 in a burst are written for all objects together, then five a second, and
   * none before half a second went by without another one (half a minute at most): they would only slow down the work
   * that they tell of.
   */
  readonly isMinor?: boolean;
}

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Default `keelson`. */
  readonly component?: string | undefined;
  /** This instance: the host's or the Pod's name. */
  readonly instance: string;
  /** The API server refused an Event for want of a right (403). */
  readonly onForbidden?: (error: KeelsonError) => void;
}

/** Writes Kubernetes Events in the background. */
export interface EventRecorder {
  /** Never blocks, never throws. */
  record(event: RecordedEvent): void;
  /** Events not written: over the rate limit, the queue full, or refused by the server. */
  readonly dropped: number;
  /** Resolves when everything recorded so far is written or dropped; counts that wait for their minute are written now. */
  flush(): Promise<void>;
  /** Stops; what is still queued is dropped. */
  close(): void;
}

/**
 * A recorder of events.k8s.io/v1 Events (`kubectl events` and `kubectl describe` show them). The same object, reason and
 * note (or `about`) within ten minutes is one Event, a series whose count is written at most once a minute; an object may
 * cause 25 Events in a burst and then one per five seconds.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new SeriesRecorder(options);
}

const events: ApiResource = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  resource: "events",
  namespaced: true,
  verbs: ["create", "patch"],
  subresources: [],
};

const aggregationMs = 600_000;
const countEveryMs = 60_000;
const burst = 25;
const refillMs = 5_000;
const minorRefillMs = 200;
const lullMs = 500;
const maxHeldMs = 30_000;
/** Objects and recent Events remembered. */
const maxRemembered = 1_024;
const maxQueued = 256;
const maxNote = 1_024;
const maxReason = 128;

/** One Event of the last ten minutes. */
interface Series {
  readonly event: RecordedEvent;
  readonly target: Target;
  readonly firstAt: number;
  lastAt: number;
  count: number;
  /** Of the object's count on the server. */
  writtenAt: number;
  writtenCount: number;
  /** The write of the count that waits for its minute. */
  cancelWrite: (() => void) | undefined;
}

class SeriesRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series: Map<string, Series> = new Map();
  readonly #buckets: TokenBuckets;
  readonly #minor: TokenBuckets;
  /** Minor ones that wait for a lull. */
  #held: Series[] = [];
  #cancelRelease: (() => void) | undefined;
  /** On the monotonic clock. */
  #lastMinorAt = 0;
  #heldSince = 0;
  readonly #closed = new AbortController();
  #writing: Promise<void> = Promise.resolve();
  #queued = 0;
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#buckets = new TokenBuckets({ burst, refillMs, maxKeys: maxRemembered, clock: options.clock });
    this.#minor = new TokenBuckets({ burst, refillMs: minorRefillMs, maxKeys: 1, clock: options.clock });
  }

  get dropped(): number {
    return this.#dropped;
  }

  record(event: RecordedEvent): void {
    if (this.#closed.signal.aborted) return;
    const { clock } = this.#options;
    if (event.isMinor === true) this.#lastMinorAt = clock.monotonic();
    const key = seriesKey(event);
    const known = this.#series.get(key);
    if (known !== undefined && clock.monotonic() - known.lastAt < aggregationMs) {
      this.#repeat(known);
      return;
    }
    const isTooMuch = event.isMinor === true && !this.#minor.take("");
    if (isTooMuch || !this.#buckets.take(objectKey(event))) {
      this.#dropped += 1;
      return;
    }
    known?.cancelWrite?.();
    const series = this.#begin(event);
    this.#remember(key, series);
    if (event.isMinor === true) this.#hold(series);
    else this.#enqueue(() => this.#create(series));
  }

  async flush(): Promise<void> {
    this.#release();
    for (const series of this.#series.values()) {
      if (series.cancelWrite !== undefined) this.#writeCount(series);
    }
    await this.#writing;
  }

  close(): void {
    for (const series of this.#series.values()) series.cancelWrite?.();
    this.#cancelRelease?.();
    this.#series.clear();
    this.#closed.abort();
  }

  #hold(series: Series): void {
    if (this.#held.length === 0) this.#heldSince = this.#lastMinorAt;
    this.#held.push(series);
    this.#cancelRelease ??= this.#options.clock.after(lullMs, () => this.#releaseInLull());
  }

  #releaseInLull(): void {
    this.#cancelRelease = undefined;
    const now = this.#options.clock.monotonic();
    const waitMs = Math.min(this.#lastMinorAt + lullMs, this.#heldSince + maxHeldMs) - now;
    if (waitMs <= 0) this.#release();
    else this.#cancelRelease = this.#options.clock.after(waitMs, () => this.#releaseInLull());
  }

  #release(): void {
    this.#cancelRelease?.();
    this.#cancelRelease = undefined;
    const held = this.#held;
    this.#held = [];
    for (const series of held) this.#enqueue(() => this.#create(series));
  }

  #begin(event: RecordedEvent): Series {
    const now = this.#options.clock.monotonic();
    return {
      event,
      target: eventTarget(event, this.#options.clock),
      firstAt: this.#options.clock.now(),
      lastAt: now,
      count: 1,
      writtenAt: now,
      writtenCount: 0,
      cancelWrite: undefined,
    };
  }

  #repeat(series: Series): void {
    const { clock } = this.#options;
    series.count += 1;
    series.lastAt = clock.monotonic();
    if (series.cancelWrite !== undefined) return;
    const wait = series.writtenAt + countEveryMs - clock.monotonic();
    series.cancelWrite = clock.after(wait, () => this.#writeCount(series));
  }

  #writeCount(series: Series): void {
    series.cancelWrite?.();
    series.cancelWrite = undefined;
    series.writtenAt = this.#options.clock.monotonic();
    this.#enqueue(() => this.#patchCount(series));
  }

  #remember(key: string, series: Series): void {
    this.#series.delete(key);
    this.#series.set(key, series);
    if (this.#series.size <= maxRemembered) return;
    for (const [oldest, { cancelWrite }] of this.#series) {
      cancelWrite?.();
      this.#series.delete(oldest);
      return;
    }
  }

  /** Writes go out one after the other: Events must never crowd out the work they tell of. */
  #enqueue(write: () => Promise<void>): void {
    if (this.#queued >= maxQueued) {
      this.#dropped += 1;
      return;
    }
    this.#queued += 1;
    this.#writing = this.#writing.then(async () => {
      this.#queued -= 1;
      try {
        if (this.#closed.signal.aborted) this.#dropped += 1;
        else await write();
      } catch (error) {
        // An Event that cannot be written (namespace going away) is worth no log line of its own; a missing right is.
        this.#dropped += 1;
        if (error instanceof KeelsonError && error.code === "Forbidden") this.#options.onForbidden?.(error);
      }
    });
  }

  async #create(series: Series): Promise<void> {
    const { client } = this.#options;
    const count = series.count;
    await client.create(events, series.target, stringifyJson(this.#eventObject(series)), this.#writeOptions());
    series.writtenCount = count;
  }

  async #patchCount(series: Series): Promise<void> {
    const { client, clock } = this.#options;
    if (series.writtenCount === 0) return this.#create(series);
    const count = series.count;
    const body = stringifyJson({ series: { count, lastObservedTime: timestamp(clock.now()) } });
    try {
      await client.patch(events, series.target, { type: "merge", body }, this.#writeOptions());
      series.writtenCount = count;
    } catch (error) {
      // Events live an hour by default; a series may outlive its own.
      if (!isKeelsonError(error, "NotFound")) throw error;
      await this.#create(series);
    }
  }

  #writeOptions(): { fieldManager: string; fieldValidation: "Ignore"; signal: AbortSignal } {
    const fieldManager = this.#options.component ?? "keelson";
    return { fieldManager, fieldValidation: "Ignore", signal: this.#closed.signal };
  }

  #eventObject({ event, target, firstAt, count }: Series): unknown {
    const { component = "keelson", instance, clock } = this.#options;
    const { regarding } = event;
    const { apiVersion, kind, name, uid } = regarding;
    return {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: target.name, namespace: target.namespace },
      eventTime: timestamp(firstAt),
      // A series begins with the second.
      series: count < 2 ? undefined : { count, lastObservedTime: timestamp(clock.now()) },
      reportingController: component,
      reportingInstance: instance.slice(0, maxReason),
      action: (event.action ?? event.reason).slice(0, maxReason),
      reason: event.reason.slice(0, maxReason),
      regarding: { apiVersion, kind, name, namespace: regarding.namespace || undefined, uid },
      note: cut(event.note),
      type: event.type,
    };
  }
}

/** Events must live in the namespace of their object; those of cluster-scoped objects live in default. */
function eventTarget({ regarding }: RecordedEvent, clock: Clock): Target {
  // Names such as `system:node` are none that an Event may have.
  const base = regarding.name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .replace(/^[.-]+|\.(?=\.)/g, "")
    .slice(0, 200);
  const digest = createHash("sha256")
    .update(`${objectKeyOf(regarding)} ${clock.now()} ${clock.random()}`)
    .digest("hex");
  return {
    namespace: regarding.namespace || "default",
    name: `${base.replace(/[.-]+$/, "") || "object"}.${digest.slice(0, 16)}`,
  };
}

function objectKey({ regarding }: RecordedEvent): string {
  return objectKeyOf(regarding);
}

function objectKeyOf({ apiVersion, kind, namespace, name, uid = "" }: RecordedEvent["regarding"]): string {
  return `${parseApiVersion(apiVersion).group}/${kind}/${namespace}/${name}/${uid}`;
}

function seriesKey(event: RecordedEvent): string {
  return `${objectKey(event)} ${event.type} ${event.reason} ${event.about ?? event.note}`;
}

/** The limit is the API server's, in bytes of UTF-8. */
function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= maxNote) return note;
  // What is left of a character that was cut in two is dropped.
  return `${bytes
    .subarray(0, maxNote - 6)
    .toString()
    .replace(/\ufffd$/, "")}…`;
}

/** metav1.MicroTime. */
function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}
