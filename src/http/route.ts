/** What a route can be asked with. HEAD is answered as GET, without the body. */
export type RouteMethod = "GET" | "POST";

/**
 * Who may ask: `open` is for probes and for what holds nothing of the cluster (pages and scripts); `protected` asks for
 * the right to the method and path wherever the server is not bound to loopback alone.
 */
export type Access = "open" | "protected";

/** A request that has passed every guard. */
export interface RouteRequest {
  readonly method: RouteMethod;
  /** As the client sent it, without the query; not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** A POST's JSON, bounded by {@link Route.maxBodyBytes}; undefined where there was none. Check its shape: it is a client's. */
  readonly body: unknown;
  /**
   * The authenticated user; `local` where the server is bound to loopback and asks nobody who they are, "" on open routes
   * elsewhere.
   */
  readonly user: string;
  /** Fires when the client has gone or the server stops. */
  readonly signal: AbortSignal;
  /** A header by its name in lower case; several values joined with `, `. */
  header(name: string): string | undefined;
  /** Whether this user may also ask for that: what decides whether a page shows a button as usable. Answers are cached. */
  isAllowed(method: RouteMethod, path: string): Promise<boolean>;
}

/** Where a streaming reply is written to. */
export interface ReplyStream {
  /**
   * Sends a part at once; resolves when the client can take more.
   *
   * @throws KeelsonError Aborted where the client has gone, does not read, or the server stops
   */
  write(part: string | Uint8Array): Promise<void>;
  /** Fires when the client has gone, the server stops, or the stream has lasted its longest time: return then. */
  readonly signal: AbortSignal;
}

/** What is sent back. */
export interface Reply {
  readonly status: number;
  /** Default `text/plain; charset=utf-8`. */
  readonly contentType?: string;
  /** Beside, and in place of, the headers that every reply carries (`security-headers.ts`); names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The whole body; or a function that writes it piece by piece and returns when it is complete (server-sent events, a
   * long list). A stream takes one of few places; where all are taken the client gets a 503.
   */
  readonly body: string | Uint8Array | ((out: ReplyStream) => Promise<void>);
}

/** One path of the server. */
export interface Route {
  /** Default GET. A path may have one route for each method. */
  readonly method?: RouteMethod;
  /** Exact (`/readyz`), or everything below a folder (`/assets/*`). The exact one wins, then the longest. */
  readonly path: string;
  /** Default `protected`. */
  readonly access?: Access;
  /** The largest body taken; default 64 KiB. POST only. */
  readonly maxBodyBytes?: number;
  /**
   * The answer. What it throws is logged and answered 500 without a word of it. A POST comes here only as
   * `application/json` from our own origin: a foreign page cannot send one.
   */
  readonly respond: (request: RouteRequest) => Reply | Promise<Reply>;
}

/** A {@link Reply} of JSON. */
export function jsonReply(value: unknown, status: number = 200): Reply {
  return { status, contentType: "application/json; charset=utf-8", body: `${JSON.stringify(value)}\n` };
}
