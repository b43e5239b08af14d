import { abortError, Backoff, type Clock, type Heart, Signal } from "../async/index.ts";
import { type ErrorCode, isAborted, KeelsonError, messageOf } from "../errors/index.ts";
import type { KubeObject } from "../object/index.ts";
import { allowManyListeners } from "./abort-listener.ts";
import type { KubeClient, Selection, WatchEvent } from "./kube-client.ts";
import { RecordStore } from "./record-store.ts";
import { type ApiResource, describeTarget, type Target } from "./resource.ts";

/** What happens to a kind's objects, as a reflector tells it. */
export type ReflectorEvent<R> =
  /**
   * New or changed; another `uid` than before means deleted and created anew. `initial`: it came with a (re)list;
   * objects that a relist finds unchanged are not told again.
   */
  | {
      readonly kind: "upsert";
      readonly target: Target;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly record: R;
      readonly initial: boolean;
    }
  /** Gone, or no longer selected: the API server does not tell which (GET decides). `record` is the last one. */
  | {
      readonly kind: "delete";
      readonly target: Target;
      readonly uid: string;
      /** Of the deletion where it was watched, else the last one seen. */
      readonly resourceVersion: string;
      readonly record: R;
      readonly terminalState: "deleted-or-unselected";
    }
  /** A complete list has been told, deletions included. Comes again after each relist. */
  | { readonly kind: "synced" }
  /**
   * The kind cannot be listed or watched now (401, 403, 404, 405, or a projection that threw). Told once per change of code; tried again by itself,
   * at most every five minutes. What was known is kept. `synced` follows when it works again.
   */
  | { readonly kind: "unavailable"; readonly error: KeelsonError };

export interface ReflectorOptions<R> extends Selection {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly resource: ApiResource;
  /** What to keep of an object. The object itself is dropped. */
  readonly project: (object: KubeObject) => R;
  /** Called synchronously, in order. Must not throw. */
  readonly onEvent: (event: ReflectorEvent<R>) => void;
  /** Objects per page where the server has no WatchList; default 500. */
  readonly pageSize?: number | undefined;
  /** Told that it goes on; default: nobody is. */
  readonly heart?: Heart | undefined;
}

/** The server's bookmarks come every minute; two and a half of them missing is a dead stream. */
const bookmarkSilenceMs = 150_000;
/** Beyond the end that the server was asked to keep. */
const endSlackMs = 30_000;
/** Initial events come in one go, once the server's cache is fresh enough. */
const listingSilenceMs = 60_000;
/** Beyond the time at which a stream or a pause ends by itself. */
const heartSlackMs = 2 * 60_000;
/** Pages of a list, each repeated until it times out. */
const listWithinMs = 15 * 60_000;
/** Silent initial lists after which the server is taken for one that ignores `sendInitialEvents`. */
const maxSilentLists = 2;
/** A stream that ends sooner was refused rather than ended. */
const shortStreamMs = 1_000;

/**
 * Keeps a projection of a kind's objects current: WatchList where the server has it, else list and watch; resumes broken
 * streams, lists anew where the server no longer knows our resourceVersion or a stream has gone silent.
 */
export class Reflector<R> {
  readonly #options: ReflectorOptions<R>;
  readonly #store: RecordStore<R> = new RecordStore();
  readonly #wake = new Signal();
  readonly #breakBackoff: Backoff;
  readonly #unavailableBackoff: Backoff;
  /** Where to resume; undefined: list first. */
  #resourceVersion: string | undefined;
  #isListing = false;
  #synced = false;
  #hasWatchList = true;
  #silentLists = 0;
  /** The server sends bookmarks on its own: their absence means something. */
  #hasBookmarks = false;
  #eventsOfStream = 0;
  #timeoutSeconds = 0;
  #unavailable: ErrorCode | undefined;

  constructor(options: ReflectorOptions<R>) {
    this.#options = options;
    this.#breakBackoff = new Backoff({ baseMs: 100, maxMs: 5_000, jitter: 0.5 }, options.clock);
    this.#unavailableBackoff = new Backoff({ baseMs: 1_000, maxMs: 300_000 }, options.clock);
  }

  /** Runs until `signal` fires or the client is closed; then rejects with `Aborted`. Never ends otherwise. */
  async run(signal: AbortSignal): Promise<never> {
    allowManyListeners(signal);
    try {
      for (;;) {
        const wait = await this.#stream(signal);
        if (signal.aborted) throw abortError(signal);
        if (wait > 0) await this.#pause(wait, signal);
      }
    } catch (error) {
      if (isAborted(error)) this.#options.heart?.stop();
      else this.#options.heart?.fail(`ended: ${messageOf(error)}`);
      throw error;
    }
  }

  /** Tries again now where the reflector waits: a CRD has been established, say, or a right granted. */
  retryNow(): void {
    this.#unavailableBackoff.reset();
    this.#wake.notify();
  }

  /** A complete list has been seen since the kind was last unavailable. */
  get synced(): boolean {
    return this.#synced;
  }

  get size(): number {
    return this.#store.size;
  }

  get(target: Target): R | undefined {
    return this.#store.get(target)?.record;
  }

  entries(): IterableIterator<[Target, R]> {
    return this.#store.entries();
  }

  /** One stream, with the list before it where needed. Returns how long to wait before the next. */
  async #stream(signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    const start = clock.monotonic();
    this.#eventsOfStream = 0;
    try {
      if (this.#resourceVersion === undefined && !this.#hasWatchList) await this.#list(signal);
      await this.#watch(signal);
    } catch (error) {
      if (isAborted(error)) throw error;
      return signal.aborted ? 0 : this.#waitAfter(error);
    }
    if (clock.monotonic() - start < shortStreamMs) return this.#breakBackoff.next();
    // Nothing at all, not even a bookmark: our resourceVersion may lie in the future of a restored etcd, where the server
    // would keep silent for ever.
    if (this.#eventsOfStream === 0) this.#resourceVersion = undefined;
    return 0;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, resource, pageSize } = this.#options;
    this.#store.beginList();
    this.#options.heart?.expect("listing", listWithinMs);
    let resourceVersion = "";
    const options = { ...this.#selection(), signal, ...(pageSize !== undefined && { limit: pageSize }) };
    for await (const page of client.list(resource, options)) {
      for (const object of page.objects) this.#upsert(object, true);
      resourceVersion = page.resourceVersion;
    }
    this.#finishList(resourceVersion);
  }

  #watch(signal: AbortSignal): Promise<void> {
    const { client, clock, resource } = this.#options;
    const lists = this.#resourceVersion === undefined;
    if (lists) this.#store.beginList();
    this.#isListing = lists;
    this.#options.heart?.expect("opening a stream", listWithinMs);
    // Spread, so that all the kinds' streams do not end at once; long where bookmarks tell that a stream is alive.
    const baseSeconds = this.#hasBookmarks ? 1_800 : 300;
    const timeoutSeconds = Math.round(baseSeconds * (1 + clock.random()));
    this.#timeoutSeconds = timeoutSeconds;
    return client.watch(resource, {
      ...this.#selection(),
      resourceVersion: this.#resourceVersion ?? "",
      sendInitialEvents: lists,
      timeoutSeconds,
      silenceMs: () => this.#silenceMs(timeoutSeconds),
      onEvent: (event) => this.#take(event),
      signal,
    });
  }

  #silenceMs(timeoutSeconds: number): number {
    if (this.#isListing) return listingSilenceMs;
    return this.#hasBookmarks ? bookmarkSilenceMs : timeoutSeconds * 1000 + endSlackMs;
  }

  /** Whatever comes, a stream is over by then, or something has come. */
  get #longestSilenceMs(): number {
    return this.#silenceMs(this.#timeoutSeconds) + heartSlackMs;
  }

  #selection(): Selection {
    const { namespace, labelSelector, fieldSelector, metadataOnly } = this.#options;
    return { namespace, labelSelector, fieldSelector, metadataOnly };
  }

  #take(event: WatchEvent): void {
    this.#eventsOfStream += 1;
    switch (event.type) {
      case "BOOKMARK":
        if (event.initialEventsEnd) this.#finishList(event.resourceVersion);
        else this.#hasBookmarks = true;
        break;
      case "DELETED":
        this.#remove(event.object);
        break;
      default:
        this.#upsert(event.object, this.#isListing);
    }
    this.#options.heart?.expect("watching", this.#longestSilenceMs);
    // In the initial list objects come in any order; only its end is a place to resume from.
    if (this.#isListing) return;
    this.#resourceVersion = event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
    this.#breakBackoff.reset();
  }

  #upsert(object: KubeObject, initial: boolean): void {
    const target = targetOf(object);
    const { uid = "", resourceVersion = "" } = object.metadata;
    if (this.#store.confirm(target, { uid, resourceVersion })) return;
    const record = this.#options.project(object);
    this.#store.set(target, { uid, resourceVersion, record });
    this.#options.onEvent({ kind: "upsert", target, uid, resourceVersion, record, initial });
  }

  #remove(object: KubeObject): void {
    const target = targetOf(object);
    const last = this.#store.delete(target);
    if (last === undefined) return;
    const resourceVersion = object.metadata.resourceVersion ?? last.resourceVersion;
    this.#tellDelete(target, { ...last, resourceVersion });
  }

  #tellDelete(
    target: Target,
    last: { readonly uid: string; readonly resourceVersion: string; readonly record: R },
  ): void {
    const { uid, resourceVersion, record } = last;
    const terminalState = "deleted-or-unselected";
    this.#options.onEvent({ kind: "delete", target, uid, resourceVersion, record, terminalState });
  }

  #finishList(resourceVersion: string): void {
    for (const [target, last] of this.#store.endList()) this.#tellDelete(target, last);
    this.#isListing = false;
    this.#resourceVersion = resourceVersion;
    this.#silentLists = 0;
    this.#unavailable = undefined;
    this.#unavailableBackoff.reset();
    this.#synced = true;
    this.#options.onEvent({ kind: "synced" });
  }

  /** Learns from a failure, and returns how long to wait before the next stream. */
  #waitAfter(thrown: unknown): number {
    const error = asKeelsonError(thrown, this.#options.resource);
    const wait = Math.max(this.#breakBackoff.next(), error.retryAfterMs ?? 0);
    switch (error.code) {
      case "Expired":
        this.#resourceVersion = undefined;
        return wait;
      case "Timeout":
        return this.#waitAfterSilence(wait);
      case "Unauthorized":
      case "Forbidden":
      case "NotFound":
      case "NamespaceNotFound":
      case "NoMatch":
      case "Internal":
        return this.#waitUnavailable(error);
      case "Invalid":
      case "BadRequest":
        return this.#waitAfterBadRequest(error, wait);
      default:
        // A server that cannot be reached keeps its history: resume where we were.
        return wait;
    }
  }

  #waitAfterSilence(wait: number): number {
    this.#resourceVersion = undefined;
    if (this.#isListing && this.#eventsOfStream > 0) this.#silentLists += 1;
    if (this.#silentLists >= maxSilentLists) this.#hasWatchList = false;
    return wait;
  }

  /** Servers without WatchList refuse its parameters: 422, or 400 from some aggregated ones. */
  #waitAfterBadRequest(error: KeelsonError, wait: number): number {
    if (error.httpStatus === 405) return this.#waitUnavailable(error);
    if (this.#isListing && this.#hasWatchList) {
      this.#hasWatchList = false;
      return 0;
    }
    this.#resourceVersion = undefined;
    return Math.max(wait, this.#waitUnavailable(error));
  }

  #waitUnavailable(error: KeelsonError): number {
    this.#resourceVersion = undefined;
    this.#synced = false;
    if (this.#unavailable !== error.code) {
      this.#unavailable = error.code;
      this.#unavailableBackoff.reset();
      this.#options.onEvent({ kind: "unavailable", error });
    }
    return this.#unavailableBackoff.next();
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    this.#options.heart?.expect("waiting to try again", ms + heartSlackMs);
    const cancel = this.#options.clock.after(ms, () => this.#wake.notify());
    try {
      await this.#wake.wait(signal);
    } finally {
      cancel();
    }
  }
}

function targetOf({ metadata }: KubeObject): Target {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** What a projection or a consumer throws is our own fault, and must not end the watch for good. */
function asKeelsonError(error: unknown, resource: ApiResource): KeelsonError {
  if (error instanceof KeelsonError) return error;
  const about = describeTarget(resource, { namespace: "", name: "(all)" });
  return new KeelsonError("Internal", `${about}: watch: ${messageOf(error)}`, { cause: error });
}
