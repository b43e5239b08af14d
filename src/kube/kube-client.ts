import type { ErrorCode } from "../errors/index.ts";
import type { GroupKind, GroupVersionKind, KubeObject } from "../object/index.ts";
import type { ApiResource, Target } from "./resource.ts";

/** What the API server serves, cached until {@link invalidate}. Concurrent questions share one request. */
export interface Discovery {
  /** Exactly this version of the kind, or undefined where it is not served. */
  find(gvk: GroupVersionKind, signal?: AbortSignal): Promise<ApiResource | undefined>;
  /** The kind in the version that the server prefers. */
  preferred(gk: GroupKind, signal?: AbortSignal): Promise<ApiResource | undefined>;
  /** The versions in which the kind is served, preferred first; empty where it is not. */
  versions(gk: GroupKind, signal?: AbortSignal): Promise<readonly string[]>;
  /** Every served group-version-kind. */
  all(signal?: AbortSignal): Promise<readonly ApiResource[]>;
  /**
   * Groups whose aggregated API server does not answer, as of the last look. Their kinds are unknown rather than
   * absent: what was known of them before is kept.
   */
  unavailableGroups(): readonly string[];
  /** The next question asks the server again (an unchanged answer costs two requests answered 304). */
  invalidate(): void;
}

export interface RequestOptions {
  /** Destroys the request at once; the call rejects with `Aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Called right before each attempt goes out; what it throws ends the call. */
  readonly beforeSending?: (() => void) | undefined;
}

export interface GetOptions extends RequestOptions {
  /** Only `metadata` (PartialObjectMetadata); `apiVersion` and `kind` are still the resource's. */
  readonly metadataOnly?: boolean;
  readonly subresource?: string;
  /** Sent once, without retries: the caller asks again by itself, and tells of each failure. */
  readonly once?: boolean;
}

/** Which objects of a kind. */
export interface Selection {
  /** "" or left out: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly metadataOnly?: boolean | undefined;
}

export interface ListOptions extends Selection, RequestOptions {
  /** Objects per page; default 500. */
  readonly limit?: number;
}

/** One page of a list; its objects carry `apiVersion` and `kind`, which the server leaves out of built-in lists. */
export interface ListPage {
  readonly objects: readonly KubeObject[];
  /** Of the whole list: equal on all pages, and where a watch can start. */
  readonly resourceVersion: string;
}

/** Options of every verb that writes an object. */
export interface WriteOptions extends RequestOptions {
  /** At most 128 bytes. */
  readonly fieldManager: string;
  readonly dryRun?: boolean;
  /** Default `Strict`: an unknown field is a `SchemaError`. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
}

/** Options of a verb that can also write `status` or `scale` alone. */
export interface SubresourceWriteOptions extends WriteOptions {
  readonly subresource?: string;
}

export interface ApplyOptions extends SubresourceWriteOptions {
  /** Take over fields that others own; default true. */
  readonly force?: boolean;
}

export interface Patch {
  readonly type: "json" | "merge" | "strategic";
  readonly body: string;
}

export interface WriteResult {
  /** The object as the server stored it, with managedFields. Look at `deletionTimestamp`: applies to a dying object succeed. */
  readonly object: KubeObject;
  /** The server answered 201. */
  readonly created: boolean;
  /** Texts of the `Warning:` headers. */
  readonly warnings: readonly string[];
}

export interface DeleteOptions extends RequestOptions {
  /** Preconditions: the server answers 409 (`Conflict`) where they do not hold. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Default `Background`. */
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly dryRun?: boolean;
}

/** What became of a DELETE that the server accepted. An absent object is a `NotFound` error. */
export type DeleteResult =
  | { readonly kind: "deleted"; readonly warnings: readonly string[] }
  /** Finalizers or a graceful termination hold it. */
  | { readonly kind: "terminating"; readonly object: KubeObject; readonly warnings: readonly string[] };

/** One event of a watch. ERROR events end the watch as errors (410 is `Expired`). */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | {
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      /** All objects of a watch with `sendInitialEvents` have come. */
      readonly initialEventsEnd: boolean;
    };

export interface WatchOptions extends Selection, RequestOptions {
  /** Where to start; "" with `sendInitialEvents` means "the newest". */
  readonly resourceVersion: string;
  /** WatchList (KEP-3157): the objects first, then a bookmark with `initialEventsEnd`. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the stream after this many seconds. */
  readonly timeoutSeconds: number;
  /**
   * A stream on which not one byte comes for this many milliseconds counts as stalled and ends with a `Timeout` error.
   * Asked anew after every event. Infinity: never.
   */
  readonly silenceMs: () => number;
  /** Called synchronously for each event, in order. What it throws ends the watch. */
  readonly onEvent: (event: WatchEvent) => void;
}

/** Answer of {@link KubeClient.raw}. */
export interface RawResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface RawOptions extends RequestOptions {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One cluster's API. Errors are {@link KeelsonError}s classified from the server's answer, with `object`, `httpStatus`,
 * `causes` and `retryAfterMs` where known.
 *
 * Verbs that can safely be repeated (get, list, apply, update with a resourceVersion, delete with a precondition) are
 * retried on broken connections, 429 and 5xx until the request timeout is over; others only where the server cannot
 * have seen them, and on 429. Credentials are refreshed once on 401.
 */
export interface KubeClient {
  /** The namespace of the context or service account; `default` where none is set. */
  readonly defaultNamespace: string;
  /** URL of the API server. */
  readonly server: string;
  readonly discovery: Discovery;
  get(resource: ApiResource, target: Target, options?: GetOptions): Promise<KubeObject>;
  /** Pages, newest state, in the server's order. `Expired` where the list takes longer than the server keeps versions. */
  list(resource: ApiResource, options?: ListOptions): AsyncIterable<ListPage>;
  /** Server-side apply of `body` (JSON or YAML). */
  apply(resource: ApiResource, target: Target, body: string, options: ApplyOptions): Promise<WriteResult>;
  /** POST of `body`. Only the target's namespace is used; its name appears in messages. */
  create(resource: ApiResource, target: Target, body: string, options: WriteOptions): Promise<WriteResult>;
  /** PUT of `body`. */
  update(resource: ApiResource, target: Target, body: string, options: SubresourceWriteOptions): Promise<WriteResult>;
  patch(resource: ApiResource, target: Target, patch: Patch, options: SubresourceWriteOptions): Promise<WriteResult>;
  delete(resource: ApiResource, target: Target, options?: DeleteOptions): Promise<DeleteResult>;
  /** Runs one watch until its stream ends (resolves) or breaks (rejects). The reflector adds all that makes it last. */
  watch(resource: ApiResource, options: WatchOptions): Promise<void>;
  /** Any other path: `/version`, `/readyz`, a token review. Only GET is retried. */
  raw(method: string, path: string, options?: RawOptions): Promise<RawResponse>;
  /** Destroys all connections. */
  close(): void;
}

/** Told about every exchange, for metrics and logs. Must not throw. */
export interface ClientObserver {
  /** After each attempt. `code` is the HTTP status, 0 where no answer came. `ms` runs to the answer's headers for a watch. */
  readonly onRequest?: (request: {
    readonly verb: string;
    readonly resource?: ApiResource | undefined;
    readonly code: number;
    readonly ms: number;
    /** It ended because the caller's signal fired. */
    readonly isAborted: boolean;
  }) => void;
  /**
   * A watch that was not stopped by us is over, and will be started again: `ended` regularly, or the code of the error
   * that broke it or kept it from beginning.
   */
  readonly onWatchEnd?: (resource: ApiResource, reason: "ended" | ErrorCode) => void;
  /** A `Warning:` header of the server; not called for list and watch. */
  readonly onWarning?: (text: string, resource: ApiResource | undefined) => void;
}
