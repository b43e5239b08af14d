import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type SecureContext } from "node:tls";
import type { Clock } from "../async/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";

export interface DialerOptions {
  readonly server: URL;
  /** Expected in the server's certificate instead of the URL's host. */
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** http or https URL of a CONNECT proxy; user and password in it are sent to the proxy. */
  readonly proxyUrl?: string | undefined;
  readonly clock: Clock;
}

/** A connection, with its TLS handshake, that takes longer is given up. */
const connectTimeoutMs = 10_000;
/** The kernel finds dead peers of idle watches. */
const keepAliveProbeMs = 30_000;

/**
 * Opens connections to one API server, through a CONNECT proxy where one is set. All sockets share the last TLS session
 * of the server, so that a reconnect costs no full handshake.
 */
export class Dialer {
  readonly #options: DialerOptions;
  readonly #host: string;
  readonly #port: number;
  readonly #isTls: boolean;
  #session: { readonly ticket: Buffer; readonly context: SecureContext | undefined } | undefined;

  constructor(options: DialerOptions) {
    this.#options = options;
    this.#host = bareHost(options.server);
    this.#isTls = options.server.protocol === "https:";
    this.#port = Number(options.server.port) || (this.#isTls ? 443 : 80);
  }

  /** A socket that is ready, TLS handshake and all. `context` is needed for https servers. */
  async dial(context: SecureContext | undefined): Promise<Socket> {
    const transport = await this.#open();
    if (!this.#isTls) return transport;
    return this.#secure(transport, context);
  }

  #open(): Promise<Socket> {
    if (this.#options.proxyUrl !== undefined) return this.#tunnel(new URL(this.#options.proxyUrl));
    const socket = connectTcp({ host: this.#host, port: this.#port });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveProbeMs);
    return this.#ready(socket, "connect");
  }

  #secure(transport: Socket, context: SecureContext | undefined): Promise<Socket> {
    const { serverName, insecureSkipVerify } = this.#options;
    const name = serverName ?? this.#host;
    const options: ConnectionOptions = {
      socket: transport,
      host: this.#host,
      rejectUnauthorized: !insecureSkipVerify,
      ALPNProtocols: ["http/1.1"],
      ...(context !== undefined && { secureContext: context }),
      // SNI knows no addresses; the certificate is then checked against the host.
      ...(isIP(name) === 0 && { servername: name }),
      // A resumed session does not check the certificate again: it must not outlive the roots it was checked with.
      ...(this.#session?.context === context && { session: this.#session?.ticket }),
    };
    const socket = connectTls(options);
    socket.on("session", (ticket: Buffer) => {
      this.#session = { ticket, context };
    });
    return this.#ready(socket, "secureConnect").catch((error: unknown) => {
      // A session that the server no longer takes must not fail the next connection too.
      this.#session = undefined;
      throw error;
    });
  }

  /** `socket` once `event` has come; destroyed where an error or the deadline comes first. */
  #ready<S extends Socket>(socket: S, event: "connect" | "secureConnect"): Promise<S> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        settle();
        socket.destroy();
        reject(error);
      };
      const onClose = (): void =>
        fail(new KeelsonError("Unreachable", "the connection was closed while it was set up"));
      const onEvent = (): void => {
        settle();
        resolve(socket);
      };
      const cancelTimeout = this.#options.clock.after(connectTimeoutMs, () =>
        fail(new KeelsonError("Timeout", `no connection in ${connectTimeoutMs / 1000} s`)),
      );
      const settle = (): void => {
        cancelTimeout();
        socket.off("error", fail).off("close", onClose).off(event, onEvent);
        // The agent listens from the next tick on; an error in between would end the process.
        socket.on("error", () => {});
      };
      socket.once("error", fail).once("close", onClose).once(event, onEvent);
    });
  }

  #tunnel(proxy: URL): Promise<Socket> {
    const target = `${isIP(this.#host) === 6 ? `[${this.#host}]` : this.#host}:${this.#port}`;
    const options: RequestOptions = {
      method: "CONNECT",
      host: bareHost(proxy),
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      path: target,
      agent: false,
      headers: { host: target, ...proxyAuthorization(proxy) },
    };
    const request = proxy.protocol === "https:" ? httpsRequest(options) : httpRequest(options);
    return new Promise((resolve, reject) => {
      const fail = (why: string, disposition: "transient" | "user", cause?: unknown): void => {
        cancelTimeout();
        request.destroy();
        reject(new KeelsonError("Unreachable", `proxy ${proxy.host}: ${why}`, { disposition, cause }));
      };
      const cancelTimeout = this.#options.clock.after(connectTimeoutMs, () => fail("no tunnel in time", "transient"));
      request.on("error", (error) => fail(messageOf(error), "transient", error));
      request.once("response", ({ statusCode = 0 }) =>
        fail(`refuses the tunnel: HTTP ${statusCode}`, dispositionOf(statusCode)),
      );
      request.once("connect", ({ statusCode = 0, statusMessage = "" }, socket: Socket, head: Buffer) => {
        if (statusCode !== 200) {
          socket.destroy();
          fail(`refuses the tunnel: HTTP ${statusCode} ${statusMessage}`, dispositionOf(statusCode));
          return;
        }
        cancelTimeout();
        if (head.length > 0) socket.unshift(head);
        socket.setNoDelay(true);
        socket.setKeepAlive(true, keepAliveProbeMs);
        socket.on("error", () => {});
        resolve(socket);
      });
      request.end();
    });
  }
}

function dispositionOf(status: number): "transient" | "user" {
  return status === 403 || status === 407 ? "user" : "transient";
}

/** The host without the brackets of an IPv6 address. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}
