import type { ServerResponse } from "node:http";
import { type JsonObject, stringifyJson } from "../../object/index.ts";
import { withMetadata } from "../managers/index.ts";
import { type Api, ApiError, type Cluster, expired, invalid, type Matcher, matcherOf } from "../rest/index.ts";
import type { StoreEvent } from "../storage/index.ts";
import { FieldErrors } from "../strategy/index.ts";

/** How often a watch that asked for bookmarks gets one. */
const BOOKMARK_MS = 60_000;
const DEFAULT_TIMEOUT_SECONDS = 1800;
/** A client that is this far behind is cut off. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

/** How an object is written for the client (as it is, as a table row, its metadata only). */
export type Present = (object: JsonObject) => JsonObject;

/** Serves one watch until the client goes, its timeout passes, or `signal` fires. */
export function serveWatch(
  cluster: Cluster,
  target: { readonly api: Api; readonly namespace: string; readonly query: URLSearchParams; readonly present: Present },
  output: { readonly response: ServerResponse; readonly contentType: string; readonly signal: AbortSignal },
): void {
  const { api, namespace, query, present } = target;
  const options = watchOptions(query);
  const matches = inNamespace(api, namespace, matcherOf(api, query));
  const { response } = output;
  response.writeHead(200, { "content-type": output.contentType, "cache-control": "no-cache, private" });
  response.flushHeaders();
  const watch = new Watch(cluster, { api, matches, present }, response);
  watch.start(options);
  const stopTimer = cluster.clock.after(options.timeoutMs, () => watch.finish(options.bookmarks));
  const stop = (): void => {
    stopTimer();
    watch.stop();
  };
  output.signal.addEventListener("abort", () => response.destroy(), { once: true });
  response.once("close", stop);
  response.once("error", stop);
}

interface WatchOptions {
  readonly from: string;
  readonly initial: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
}

function watchOptions(query: URLSearchParams): WatchOptions {
  const initial = query.get("sendInitialEvents");
  const match = query.get("resourceVersionMatch");
  const errors = new FieldErrors();
  if (initial !== null && match !== "NotOlderThan")
    errors.forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  if (initial === null && match !== null)
    errors.forbidden(
      "resourceVersionMatch",
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
  if (!errors.isEmpty) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors.list);
  const from = query.get("resourceVersion") ?? "";
  if (from !== "" && !/^\d+$/.test(from))
    throw new ApiError(500, "", `strconv.ParseUint: parsing ${JSON.stringify(from)}: invalid syntax`);
  const seconds = Number(query.get("timeoutSeconds") ?? 0);
  return {
    from,
    initial: initial === "true",
    bookmarks: query.get("allowWatchBookmarks") === "true",
    timeoutMs: (seconds > 0 ? seconds : DEFAULT_TIMEOUT_SECONDS) * 1000,
  };
}

function inNamespace(api: Api, namespace: string, matches: Matcher): Matcher {
  if (!api.namespaced || namespace === "") return matches;
  return (object) => {
    const { metadata } = object;
    const of =
      typeof metadata === "object" && metadata !== null && "namespace" in metadata ? metadata.namespace : undefined;
    return of === namespace && matches(object);
  };
}

interface Selection {
  readonly api: Api;
  readonly matches: Matcher;
  readonly present: Present;
}

class Watch {
  readonly #cluster: Cluster;
  readonly #selection: Selection;
  readonly #response: ServerResponse;
  #unsubscribe: () => void = () => {};
  #stopBookmarks: () => void = () => {};

  constructor(cluster: Cluster, selection: Selection, response: ServerResponse) {
    this.#cluster = cluster;
    this.#selection = selection;
    this.#response = response;
  }

  start(options: WatchOptions): void {
    const { store } = this.#cluster;
    const { table } = this.#selection.api;
    const isFresh = options.from === "" || options.from === "0" || options.initial;
    const wantsState = options.initial || options.from === "" || options.from === "0";
    const missed = isFresh ? [] : store.since(table, Number(options.from));
    if (missed === undefined) {
      const error = expired(`too old resource version: ${options.from} (${store.compacted})`);
      this.#write({ type: "ERROR", object: error.status });
      this.#response.end();
      return;
    }
    if (wantsState) this.#sendState();
    for (const event of missed) this.#send(event);
    if (options.initial && options.bookmarks) this.#bookmark({ "k8s.io/initial-events-end": "true" });
    // A resourceVersion from the future: the server is silent until it is reached.
    const from = isFresh ? 0 : Number(options.from);
    this.#unsubscribe = store.subscribe(table, (event) => {
      if (event.revision > from) this.#send(event);
    });
    if (options.bookmarks) this.#scheduleBookmark();
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopBookmarks();
  }

  /** Ends the watch as its timeout does: with a last bookmark. */
  finish(bookmarks: boolean): void {
    if (bookmarks) this.#bookmark({});
    this.stop();
    this.#response.end();
  }

  #sendState(): void {
    const { api, matches } = this.#selection;
    for (const [, stored] of this.#cluster.store.list(api.table)) {
      const object = api.codec.fromStored(stored);
      if (matches(object)) this.#emit("ADDED", object);
    }
  }

  /** A change of what the selectors match is an arrival or a departure; one who leaves shows its last matching state. */
  #send(event: StoreEvent): void {
    const { api, matches } = this.#selection;
    const object = api.codec.fromStored(event.object);
    const previous = event.previous === undefined ? undefined : api.codec.fromStored(event.previous);
    const was = previous !== undefined && matches(previous);
    const is = event.kind !== "deleted" && matches(object);
    if (is) this.#emit(was ? "MODIFIED" : "ADDED", object);
    else if (was && previous !== undefined)
      this.#emit("DELETED", withMetadata(previous, { resourceVersion: String(event.revision) }));
  }

  #emit(type: string, object: JsonObject): void {
    this.#write({ type, object: this.#selection.present(object) });
  }

  #bookmark(annotations: Readonly<Record<string, string>>): void {
    const { api } = this.#selection;
    const metadata = {
      resourceVersion: String(this.#cluster.store.revision),
      creationTimestamp: null,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    };
    this.#write({ type: "BOOKMARK", object: { kind: api.kind, apiVersion: api.apiVersion, metadata } });
  }

  #scheduleBookmark(): void {
    this.#stopBookmarks = this.#cluster.clock.after(BOOKMARK_MS, () => {
      this.#bookmark({});
      this.#scheduleBookmark();
    });
  }

  #write(event: JsonObject): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(`${stringifyJson(event)}\n`);
    if (this.#response.writableLength > MAX_BUFFERED_BYTES) this.#response.destroy();
  }
}
