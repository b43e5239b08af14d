import type { IncomingMessage, ServerResponse } from "node:http";
import { isAborted, KeelsonError, messageOf } from "../errors/index.ts";
import type { Logger } from "../log/index.ts";
import type { AccessControl, Permit } from "./access.ts";
import { openStream } from "./reply-stream.ts";
import { hasBody, readJson } from "./request-body.ts";
import { refuseForeignHost, refuseForeignPost } from "./request-guards.ts";
import { send, sendStream, writeHead } from "./respond.ts";
import type { Reply, Route, RouteMethod, RouteRequest } from "./route.ts";
import type { Router } from "./router.ts";

/** What answering needs. Durations are milliseconds. */
export interface AnswerOptions {
  readonly router: Router;
  readonly access: AccessControl;
  /** Only names of this machine are served. */
  readonly isLoopback: boolean;
  readonly log: Logger;
  /** A client that takes nothing of its answer for so long is cut off. */
  readonly stalledMs: number;
  readonly maxStreams: number;
  readonly maxStreamMs: number;
}

const MAX_BODY_BYTES = 64 * 1024;

type Granted = Extract<Permit, { kind: "granted" }>;

/** Takes requests through the guards to their routes, and sends what those reply. */
export class Answerer {
  readonly #options: AnswerOptions;
  #streams = 0;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort(new KeelsonError("Aborted", "the client has gone")));
    try {
      const reply = await this.#replyTo(request, gone.signal);
      if (typeof reply.body !== "function") send(request, response, reply);
      else await this.#stream(request, response, { reply, body: reply.body, gone: gone.signal });
    } catch (error) {
      if (gone.signal.aborted && isAborted(error)) return;
      // Only the path: a query may hold what somebody took for a place to put a token.
      this.#options.log.error(`HTTP ${request.method ?? ""} ${pathOf(request)}: ${messageOf(error)}`);
      if (response.headersSent) response.destroy();
      else send(request, response, { status: 500, body: "internal error\n" });
    }
  }

  async #replyTo(request: IncomingMessage, gone: AbortSignal): Promise<Reply> {
    const { router, isLoopback } = this.#options;
    const foreign = isLoopback ? refuseForeignHost(request) : undefined;
    if (foreign !== undefined) return foreign;
    const found = router.find(request.method ?? "", pathOf(request));
    switch (found.kind) {
      case "no-path":
        return { status: 404, body: "not found\n" };
      case "no-method":
        return { status: 405, headers: { allow: found.allowed.join(", ") }, body: "not with this method\n" };
      case "route":
        return this.#replyOf(found.route, request, gone);
    }
  }

  async #replyOf(route: Route, request: IncomingMessage, gone: AbortSignal): Promise<Reply> {
    const method = route.method ?? "GET";
    if (method === "GET" && hasBody(request)) return { status: 413, body: "no request body is taken\n" };
    const foreign = method === "POST" ? refuseForeignPost(request) : undefined;
    if (foreign !== undefined) return foreign;
    const permit = await this.#permit(route, request, method);
    if (permit.kind === "refused") return permit.reply;
    const body = await readJson(request, route.maxBodyBytes ?? MAX_BODY_BYTES);
    if (body.kind === "refused") return body.reply;
    return route.respond(routeRequest(request, { method, permit, body: body.value, gone }));
  }

  #permit(route: Route, request: IncomingMessage, method: RouteMethod): Promise<Permit> {
    const { access } = this.#options;
    if (route.access === "open") {
      const isAllowed = (): Promise<boolean> => Promise.resolve(false);
      return Promise.resolve({ kind: "granted", identity: access.anyone, isAllowed });
    }
    return access.permit(request, { method, path: pathOf(request) });
  }

  async #stream(
    request: IncomingMessage,
    response: ServerResponse,
    what: {
      readonly reply: Reply;
      readonly body: Extract<Reply["body"], (...args: never) => unknown>;
      readonly gone: AbortSignal;
    },
  ): Promise<void> {
    const { maxStreams, maxStreamMs, stalledMs } = this.#options;
    if (this.#streams >= maxStreams) {
      const headers = { "retry-after": "5" };
      return send(request, response, { status: 503, headers, body: "too many streams are open\n" });
    }
    if (response.destroyed) return;
    writeHead(request, response, what.reply);
    if (request.method === "HEAD") return void response.end();
    this.#streams += 1;
    // Rights may be taken away: who comes again is asked again.
    const signal = AbortSignal.any([what.gone, AbortSignal.timeout(maxStreamMs)]);
    try {
      request.socket.setTimeout(0);
      await sendStream(response, what.body, openStream(response, { signal, stalledMs }));
    } catch (error) {
      if (!signal.aborted) throw error;
      response.end();
    } finally {
      this.#streams -= 1;
    }
  }
}

function routeRequest(
  request: IncomingMessage,
  made: { readonly method: RouteMethod; readonly permit: Granted; readonly body: unknown; readonly gone: AbortSignal },
): RouteRequest {
  const { permit } = made;
  const [, query = ""] = splitUrl(request);
  return {
    method: made.method,
    path: pathOf(request),
    query: new URLSearchParams(query),
    body: made.body,
    user: permit.identity.name,
    signal: made.gone,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    isAllowed: (method, path) => permit.isAllowed(method, path),
  };
}

function pathOf(request: IncomingMessage): string {
  return splitUrl(request)[0];
}

/** A URL of the client's making: only its path and query count. */
function splitUrl({ url = "" }: IncomingMessage): readonly [string, string] {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}
