import { Backoff, type Clock, throwIfAborted } from "../async/index.ts";
import { isKeelsonError, type KeelsonError } from "../errors/index.ts";
import { parseStatus } from "./api-status.ts";
import { classify } from "./classify.ts";
import { ConnectionFailure, isTrustFailure } from "./connection-failure.ts";
import type { Credential, CredentialSource } from "./credentials.ts";
import { retryAfterOf, warningsOf } from "./headers.ts";
import type { ClientObserver } from "./kube-client.ts";
import type { ApiResource } from "./resource.ts";
import type { TlsMaterial } from "./tls-material.ts";
import { readText, type Transport, type WireAnswer, type WireRequest, type WireStream } from "./transport.ts";

/** One call of the API, before credentials and retries. */
export interface ApiCall {
  /** As metrics and messages name it: get, list, watch, apply, create, update, patch, delete, discovery, raw. */
  readonly verb: string;
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** What it is about, for messages. */
  readonly object: string;
  readonly resource?: ApiResource | undefined;
  readonly isJsonPatch?: boolean | undefined;
  /** Whether sending it twice does no harm; asked only when it comes to a retry. */
  readonly isRepeatable: () => boolean;
  /** No retry, whatever the failure. */
  readonly once?: boolean | undefined;
  readonly beforeSending?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiAnswer extends WireAnswer {
  readonly warnings: readonly string[];
}

export interface RequesterOptions {
  readonly transport: Transport;
  readonly credentials: CredentialSource;
  /** Undefined for http servers. */
  readonly tls: TlsMaterial | undefined;
  readonly clock: Clock;
  /** Of a call with its retries; 0: none. */
  readonly timeoutMs: number;
  /** On every request: user agent, impersonation. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly observer: ClientObserver;
}

/** A watch, and a call without a timeout of its own, still waits only this long for the headers. */
const headersTimeoutMs = 30_000;

/** Stale sockets of a pool are found out one by one; past this many, something else is wrong. */
const maxImmediateRetries = 4;

/** An internal error (a failing webhook, say) is more often the object's than the server's: the caller backs off. */
const maxInternalErrors = 3;

/** Adds credentials and retries to the transport, and turns refusals into errors. */
export class Requester {
  readonly #options: RequesterOptions;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  /** The answer below 400 (304 included). Rejects with a classified error. */
  async send(call: ApiCall): Promise<ApiAnswer> {
    const { clock, timeoutMs } = this.#options;
    const deadline = timeoutMs > 0 ? clock.monotonic() + timeoutMs : Number.POSITIVE_INFINITY;
    const retries = new Retries(call, clock, deadline);
    for (;;) {
      throwIfAborted(call.signal);
      try {
        return await this.#attempt(call, deadline);
      } catch (error) {
        const wait = call.once === true ? undefined : retries.waitAfter(error);
        if (wait === undefined) throw error;
        if (wait > 0) await clock.sleep(wait, call.signal);
      }
    }
  }

  /** The stream of a watch; one attempt. Its `release` must be called. */
  async open(call: ApiCall): Promise<WireStream> {
    const { clock, transport } = this.#options;
    const deadline = clock.monotonic() + (this.#options.timeoutMs || headersTimeoutMs);
    const stream = await this.#authorized(call, (headers, context) =>
      this.#observed(call, () => transport.open(this.#wire(call, { headers, context, deadline, pool: "watch" }))),
    );
    if (stream.status < 400) return stream;
    try {
      throw this.#refusal(call, { ...stream, text: await readText(stream.body) });
    } finally {
      stream.release();
    }
  }

  async #attempt(call: ApiCall, deadline: number): Promise<ApiAnswer> {
    const { transport } = this.#options;
    const answer = await this.#authorized(call, (headers, context) =>
      this.#observed(call, () => transport.exchange(this.#wire(call, { headers, context, deadline, pool: "request" }))),
    );
    const warnings = warningsOf(answer.headers);
    if (call.verb !== "list") for (const text of warnings) this.#options.observer.onWarning?.(text, call.resource);
    if (answer.status < 300 || answer.status === 304) return { ...answer, warnings };
    throw this.#refusal(call, answer);
  }

  /** Sends with the credential of the moment; after a 401 once more with a new one. */
  async #authorized<A extends { readonly status: number; readonly release?: () => void }>(
    call: ApiCall,
    send: (headers: Record<string, string>, context: WireRequest["context"]) => Promise<A>,
  ): Promise<A> {
    const { credentials, tls } = this.#options;
    const sendWith = async (credential: Credential): Promise<A> => {
      const headers = credential.authorization === undefined ? {} : { authorization: credential.authorization };
      return send(headers, await tls?.context(credential.certificate));
    };
    const credential = await credentials.current();
    const answer = await sendWith(credential);
    if (answer.status !== 401) return answer;
    tls?.expire();
    if (!(await credentials.renew(credential))) return answer;
    answer.release?.();
    throwIfAborted(call.signal);
    return sendWith(await credentials.current());
  }

  async #observed<A extends { readonly status: number }>(call: ApiCall, send: () => Promise<A>): Promise<A> {
    const { clock, observer, tls } = this.#options;
    const start = clock.monotonic();
    const report = (code: number): void =>
      observer.onRequest?.({
        verb: call.verb,
        resource: call.resource,
        code,
        ms: clock.monotonic() - start,
        isAborted: call.signal?.aborted === true,
      });
    try {
      const answer = await send();
      report(answer.status);
      return answer;
    } catch (error) {
      report(0);
      // The authority may have rotated: look at the files again before the next try.
      if (error instanceof ConnectionFailure && isTrustFailure(error.cause)) tls?.expire();
      throw error;
    }
  }

  #wire(
    call: ApiCall,
    sending: Pick<WireRequest, "context" | "deadline" | "pool"> & { readonly headers: Record<string, string> },
  ): WireRequest {
    const { method, path, body, signal, beforeSending } = call;
    const headers = { accept: "application/json", ...this.#options.headers, ...call.headers, ...sending.headers };
    return { method, path, body, signal, beforeSending, ...sending, headers };
  }

  #refusal(call: ApiCall, answer: WireAnswer): KeelsonError {
    const asked = { ...call, resource: call.resource?.resource ?? "" };
    const retryAfterMs = retryAfterOf(answer.headers, this.#options.clock.now());
    return classify(parseStatus(answer.status, answer.text), asked, retryAfterMs);
  }
}

/** Decides whether a failed call is worth another try, and when. */
class Retries {
  readonly #call: ApiCall;
  readonly #clock: Clock;
  readonly #deadline: number;
  readonly #backoff: Backoff;
  #immediate = 0;
  #internalErrors = 0;

  constructor(call: ApiCall, clock: Clock, deadline: number) {
    this.#call = call;
    this.#clock = clock;
    this.#deadline = deadline;
    this.#backoff = new Backoff({ baseMs: 100, maxMs: 5_000 }, clock);
  }

  /** Milliseconds until the next try, or undefined where there is none. */
  waitAfter(error: unknown): number | undefined {
    if (error instanceof ConnectionFailure) return this.#waitAfterFailure(error);
    if (isKeelsonError(error, "TooManyRequests", "ServerError")) return this.#waitAfterRefusal(error);
    return undefined;
  }

  #waitAfterFailure(failure: ConnectionFailure): number | undefined {
    if (failure.disposition === "user") return undefined;
    if (failure.point === "before-sending") return this.#within(this.#backoff.next());
    if (!this.#call.isRepeatable()) return undefined;
    if (failure.point === "on-reused-socket" && this.#immediate < maxImmediateRetries) {
      this.#immediate += 1;
      return this.#within(0);
    }
    return this.#within(this.#backoff.next());
  }

  #waitAfterRefusal(refusal: KeelsonError): number | undefined {
    // 429 comes from the server's admission, before anything is done.
    if (refusal.code !== "TooManyRequests" && !this.#call.isRepeatable()) return undefined;
    if (refusal.httpStatus === 500) this.#internalErrors += 1;
    if (this.#internalErrors >= maxInternalErrors) return undefined;
    return this.#within(refusal.retryAfterMs ?? this.#backoff.next());
  }

  /** A wait past the deadline is the caller's business: it learns `retryAfterMs` from the error. */
  #within(ms: number): number | undefined {
    return this.#clock.monotonic() + ms < this.#deadline ? ms : undefined;
  }
}
