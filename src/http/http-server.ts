import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { type AddressInfo, isIPv6, type Socket } from "node:net";
import { type Clock, systemClock } from "../async/index.ts";
import { isKeelsonError, KeelsonError, messageOf } from "../errors/index.ts";
import { ChangeLog, type Logger } from "../log/index.ts";
import { type AccessControl, LOCAL_ACCESS } from "./access.ts";
import { Answerer } from "./answer.ts";
import type { CertificateSource } from "./certificate.ts";
import { Connections } from "./connections.ts";
import { isLoopbackName } from "./request-guards.ts";
import type { Route } from "./route.ts";
import { Router } from "./router.ts";

/** What {@link HttpServer} needs. */
export interface HttpServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly log: Logger;
  /** TLS with this certificate, which is looked at again every ten seconds; default plain HTTP. */
  readonly certificate?: CertificateSource | undefined;
  /** Who may ask for protected routes; default everyone, as `local`. */
  readonly access?: AccessControl;
  /** Default the system clock. */
  readonly clock?: Clock;
  /** How long a client may take for its request, and sit idle; default 5000 ms. */
  readonly clientTimeoutMs?: number;
  /** Default 64. */
  readonly maxConnections?: number;
  /** Streams at the same time; default half the connections. */
  readonly maxStreams?: number;
  /** How long one stream lasts; default 10 minutes, in milliseconds. */
  readonly maxStreamMs?: number;
}

const CLIENT_TIMEOUT_MS = 5000;
/** How often a busy port is tried again: the instance before us may still be going down. */
const RETRY_MS = 5000;
/** How often a certificate is looked at. Notifications of volumes are not to be relied on. */
const CERTIFICATE_MS = 10_000;
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_STREAM_MS = 10 * 60_000;
/** The longest that a client may take to fetch a whole reply, in client timeouts. */
const LONGEST_REPLY = 12;

/**
 * Serves routes on one address. Slow, idle and superfluous clients are cut off, and a port or certificate that cannot be
 * had is a warning, tried again: serving must not stop the work.
 */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #answerer: Answerer;
  readonly #said: ChangeLog;
  readonly #timeoutMs: number;
  #server: Server | TlsServer | undefined;

  constructor(options: HttpServerOptions) {
    const { log, routes, access = LOCAL_ACCESS, maxConnections = MAX_CONNECTIONS } = options;
    this.#options = options;
    this.#said = new ChangeLog(log);
    this.#timeoutMs = options.clientTimeoutMs ?? CLIENT_TIMEOUT_MS;
    this.#answerer = new Answerer({
      router: new Router(routes),
      access,
      isLoopback: isLoopbackName(options.host),
      log,
      stalledMs: this.#timeoutMs * 2,
      maxStreams: options.maxStreams ?? Math.ceil(maxConnections / 2),
      maxStreamMs: options.maxStreamMs ?? MAX_STREAM_MS,
    });
  }

  /** Serves until `signal` fires, then closes every connection at once and resolves. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock = systemClock, log } = this.#options;
    while (!signal.aborted) {
      const made = this.#create();
      const failure = made instanceof KeelsonError ? made : await listen(made, this.#options);
      if (!(made instanceof KeelsonError) && failure === undefined) {
        this.#server = made;
        this.#said.clear("listen");
        log.info(this.#options.certificate === undefined ? "Serving HTTP" : "Serving HTTPS", { address: this.address });
        await closeOn(signal, made);
        this.#server = undefined;
        return;
      }
      const { host, port } = this.#options;
      const message = `Cannot serve HTTP on ${hostPort(host, port)}: ${messageOf(failure)}; trying again`;
      this.#said.report({ key: "listen", level: "warn", message });
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }

  /** Where it listens (`127.0.0.1:10270`), undefined while it does not. */
  get address(): string | undefined {
    const address = this.#server?.address();
    return isAddressInfo(address) ? hostPort(address.address, address.port) : undefined;
  }

  /** The error where there is no certificate to serve with. */
  #create(): Server | TlsServer | KeelsonError {
    const timeout = this.#timeoutMs;
    const { certificate, maxConnections = MAX_CONNECTIONS } = this.#options;
    const connections = new Connections(maxConnections);
    const limits = {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: timeout,
      requestTimeout: timeout,
      keepAliveTimeout: timeout,
      connectionsCheckingInterval: Math.min(1000, timeout),
    };
    const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#answer(request, response, connections);
    try {
      const server =
        certificate === undefined
          ? createServer(limits, onRequest)
          : this.#createTls(certificate, { ...limits, handshakeTimeout: timeout }, onRequest);
      server.maxRequestsPerSocket = 1000;
      server.on("connection", (socket: Socket) => connections.add(socket));
      // Also cuts off a client that does not read its answer.
      server.setTimeout(timeout * 2, (socket: Socket) => socket.destroy());
      return server;
    } catch (error) {
      if (isKeelsonError(error)) return error;
      throw error;
    }
  }

  #createTls(
    certificate: CertificateSource,
    limits: NonNullable<Parameters<typeof createTlsServer>[0]>,
    onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  ): TlsServer {
    let pair = certificate.current();
    const server = createTlsServer({ ...limits, ...pair, minVersion: "TLSv1.2" }, onRequest);
    const look = (): void => {
      try {
        const now = certificate.current();
        if (now !== pair) {
          server.setSecureContext(now);
          this.#options.log.info("Serving HTTPS with a renewed certificate");
        }
        pair = now;
        this.#said.clear("certificate");
      } catch (error) {
        const message = `The certificate for HTTPS cannot be renewed: ${messageOf(error)}; the last one goes on`;
        this.#said.report({ key: "certificate", level: "warn", message });
      }
      cancel = clock.after(CERTIFICATE_MS, look);
    };
    const { clock = systemClock } = this.#options;
    let cancel = clock.after(CERTIFICATE_MS, look);
    server.on("close", () => cancel());
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, connections: Connections): Promise<void> {
    const answered = connections.answering(request.socket);
    response.once("close", answered);
    await this.#answerer.answer(request, response);
    if (response.closed) return;
    const { clock = systemClock } = this.#options;
    response.once(
      "close",
      clock.after(this.#timeoutMs * LONGEST_REPLY, () => response.destroy()),
    );
  }
}

/** The error that kept the server from listening; undefined once it listens. */
function listen(
  server: Server | TlsServer,
  where: { readonly host: string; readonly port: number },
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    server.once("error", resolve);
    server.listen({ host: where.host, port: where.port }, () => {
      server.off("error", resolve);
      server.on("error", () => {}); // accept errors (EMFILE): the next connection may work
      resolve(undefined);
    });
  });
}

function closeOn(signal: AbortSignal, server: Server | TlsServer): Promise<void> {
  return new Promise((resolve) => {
    const close = (): void => {
      server.close(() => resolve());
      server.closeAllConnections();
    };
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  });
}

function hostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function isAddressInfo(address: AddressInfo | string | null | undefined): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
