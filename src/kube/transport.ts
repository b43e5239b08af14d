import { Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import { abortError, type Clock, Limiter } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { allowManyListeners, onAbort } from "./abort-listener.ts";
import { ConnectionFailure, connectionFailure, type FailurePoint } from "./connection-failure.ts";
import type { Dialer } from "./dialer.ts";

/** One HTTP request on the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, below the server's own path. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | undefined;
  /** Watches have sockets of their own, so that they never take one from a request. */
  readonly pool: "request" | "watch";
  readonly context: SecureContext | undefined;
  /**
   * On the monotonic clock, for the end of the answer, or for its headers where it is streamed; waiting for a socket
   * counts. Infinity: none.
   */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  readonly beforeSending?: (() => void) | undefined;
}

/** An answer read to its end. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** An answer whose body is still to be read; `release` must be called when done with it. */
export interface WireStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  /** What an error of the body amounts to: `Aborted` where the signal fired or the client was closed. */
  readonly failureOf: (error: unknown) => Error;
  /** Stops listening to the signal, and destroys the stream. */
  readonly release: () => void;
}

export interface TransportOptions {
  readonly server: URL;
  readonly dialer: Dialer;
  readonly clock: Clock;
  /** Sockets for requests. */
  readonly maxSockets: number;
}

/** Below the idle timeout of the API server (90 s), which would else close a socket just as it is used. */
const idleSocketMs = 55_000;

/** Sockets of certificates before the present ones: their requests may still run. */
const maxRetiredPools = 2;

interface Pool {
  readonly context: SecureContext | undefined;
  readonly request: Agent;
  readonly watch: Agent;
}

/** HTTP/1.1 over kept-alive sockets. Knows neither credentials nor retries. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #basePath: string;
  readonly #running: Set<Exchange> = new Set();
  readonly #limiter: Limiter;
  #pools: readonly Pool[] = [];
  #isClosed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    // Node's Agent counts only sockets that are connected, so that alone it would open one per request of a burst; and
    // after a failed connection it forgets the requests in its queue.
    this.#limiter = new Limiter(options.maxSockets);
    this.#basePath = options.server.pathname.replace(/\/+$/, "");
  }

  /** Sends a request and reads the whole answer. Rejects with {@link ConnectionFailure}, or `Aborted`. */
  exchange(wire: WireRequest): Promise<WireAnswer> {
    // The limiter listens to the signal as well.
    allowManyListeners(wire.signal);
    return this.#limiter.run(() => this.#exchange(wire), wire.signal);
  }

  async #exchange(wire: WireRequest): Promise<WireAnswer> {
    const exchange = this.#start(wire);
    try {
      const response = await exchange.headers;
      const text = await exchange.guard(readText(response));
      return { status: response.statusCode ?? 0, headers: response.headers, text };
    } finally {
      this.#settle(exchange);
    }
  }

  /** Sends a request and hands out the answer's stream, which the signal goes on to destroy. */
  async open(wire: WireRequest): Promise<WireStream> {
    const exchange = this.#start(wire);
    try {
      const body = await exchange.headers;
      exchange.stopTimeout();
      const release = (): void => {
        this.#settle(exchange);
        body.destroy();
      };
      const failureOf = (error: unknown): Error => exchange.failure(error, "after-sending");
      return { status: body.statusCode ?? 0, headers: body.headers, body, failureOf, release };
    } catch (error) {
      this.#settle(exchange);
      throw error;
    }
  }

  /** Destroys all sockets; what is under way, and what comes later, rejects with `Aborted`. */
  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#running) exchange.stop(abortError());
    for (const pool of this.#pools) destroyPool(pool);
    this.#pools = [];
  }

  #start(wire: WireRequest): Exchange {
    if (this.#isClosed) throw abortError();
    wire.beforeSending?.();
    const pool = this.#pool(wire.context);
    const sent = request({
      agent: pool[wire.pool],
      method: wire.method,
      path: this.#basePath + wire.path,
      headers: {
        host: this.#options.server.host,
        ...wire.headers,
        ...(wire.body !== undefined && { "content-length": Buffer.byteLength(wire.body) }),
      },
    });
    const exchange = new Exchange(sent, wire, this.#options);
    this.#running.add(exchange);
    return exchange;
  }

  #settle(exchange: Exchange): void {
    exchange.settle();
    this.#running.delete(exchange);
  }

  #pool(context: SecureContext | undefined): Pool {
    const current = this.#pools[0];
    if (current !== undefined && current.context === context) return current;
    const { dialer } = this.#options;
    const pool: Pool = {
      context,
      request: new DialAgent(dialer, context, { keepAlive: true, timeout: idleSocketMs }),
      watch: new DialAgent(dialer, context, { keepAlive: false }),
    };
    for (const retired of this.#pools.slice(maxRetiredPools)) destroyPool(retired);
    this.#pools = [pool, ...this.#pools.slice(0, maxRetiredPools)];
    return pool;
  }
}

function destroyPool(pool: Pool): void {
  pool.request.destroy();
  pool.watch.destroy();
}

type OnSocket = (error: Error | null, socket?: Duplex) => void;

/** Node's pool over sockets of our own making. */
class DialAgent extends Agent {
  readonly #dialer: Dialer;
  readonly #context: SecureContext | undefined;

  constructor(dialer: Dialer, context: SecureContext | undefined, options: ConstructorParameters<typeof Agent>[0]) {
    super(options);
    this.#dialer = dialer;
    this.#context = context;
  }

  /** Called by Node for each new socket; not in its type declarations. */
  createConnection(_options: unknown, onSocket: OnSocket): undefined {
    this.#dialer.dial(this.#context).then(
      (socket) => onSocket(null, socket),
      (error: Error) => onSocket(error),
    );
  }
}

/** One request under way: its deadline, its signal, and where it stands. */
class Exchange {
  /** The answer's headers, and its body as a stream. */
  readonly headers: Promise<IncomingMessage>;
  readonly #request: ClientRequest;
  readonly #server: string;
  readonly #unlink: () => void;
  #cancelTimeout: () => void = () => {};
  #stopped: Error | undefined;
  #hasSocket = false;
  #isAnswered = false;
  #rejectHeaders: (why: Error) => void = () => {};

  constructor(sent: ClientRequest, wire: WireRequest, { clock, server }: TransportOptions) {
    this.#request = sent;
    this.#server = server.host;
    this.headers = new Promise((resolve, reject) => {
      this.#rejectHeaders = reject;
      sent.once("socket", () => {
        this.#hasSocket = true;
      });
      sent.once("response", (response) => {
        this.#isAnswered = true;
        resolve(response);
      });
      // Stays, as a destroyed request may fail more than once.
      sent.on("error", (error) => reject(this.failure(error, this.#point())));
      sent.once("close", () => {
        // It also comes after each answer, and an error has to gather its stack.
        if (this.#isAnswered) return;
        reject(this.failure(new KeelsonError("Unreachable", "the connection was closed"), this.#point()));
      });
    });
    if (wire.deadline !== Number.POSITIVE_INFINITY) {
      this.#cancelTimeout = clock.after(wire.deadline - clock.monotonic(), () =>
        this.stop(new ConnectionFailure("Timeout", `${this.#server}: no answer in time`, { point: this.#point() })),
      );
    }
    this.#unlink = onAbort(wire.signal, () => this.stop(abortError(wire.signal)));
    sent.end(wire.body);
  }

  /** `reading`, with its failures told as those of the connection. */
  async guard<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      throw this.failure(error, "after-sending");
    }
  }

  stopTimeout(): void {
    this.#cancelTimeout();
  }

  settle(): void {
    this.#cancelTimeout();
    this.#unlink();
  }

  /** Destroys the request; it fails with `why`. */
  stop(why: Error): void {
    this.#stopped = why;
    // Node tells a request that still waits for its connection only when that is made, or has failed.
    this.#rejectHeaders(why);
    this.#request.destroy(why);
  }

  /** The reason why it was stopped, else what `error` amounts to. */
  failure(error: unknown, point: FailurePoint): Error {
    return this.#stopped ?? connectionFailure(error, this.#server, point);
  }

  #point(): FailurePoint {
    if (!this.#hasSocket) return "before-sending";
    return this.#request.reusedSocket ? "on-reused-socket" : "after-sending";
  }
}

/** The whole body as UTF-8. Rejects where the connection breaks before its end. */
export function readText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    response.on("error", reject);
    response.once("close", () => {
      // As above: it also comes after the end.
      if (!response.complete) reject(new KeelsonError("Unreachable", "the answer was cut off"));
    });
  });
}
