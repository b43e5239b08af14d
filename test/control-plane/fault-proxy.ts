import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer, Agent as HttpsAgent, request as httpsRequest, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { pipeline } from "node:stream";
import { createLoopbackCertificate } from "./certificate.ts";
import { TestBedError } from "./errors.ts";
import { Fault, type FaultAction, type FaultMatch, type ProxiedRequest } from "./fault.ts";

export interface FaultProxyOptions {
  /** Base URL of the server behind the proxy, http or https. */
  readonly upstream: string;
  /** PEM of the certificate that an https upstream must prove. */
  readonly upstreamCa?: string;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly request: ProxiedRequest;
}

/** Starts a proxy on a free loopback port. `ControlPlane.startFaultProxy` does it for a plane. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new FaultProxy(options);
  await proxy.start();
  return proxy;
}

/**
 * An HTTPS server on loopback that passes requests on, and injects the faults that a test asks for.
 *
 * Like a direct connection: bodies and watches are streamed, connections are kept alive on both sides, credentials pass
 * through, and where the upstream breaks a connection, the client's is broken. Unlike one: HTTP/1.1 only, and no
 * upgrades (exec, port-forward).
 */
export class FaultProxy {
  /** PEM of the proxy's certificate, for the client. */
  readonly ca: string;
  readonly #options: FaultProxyOptions;
  readonly #server: Server;
  readonly #agent: HttpAgent;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<ServerResponse>();
  #faults: readonly Fault[] = [];
  #requests: ProxiedRequest[] = [];
  #connections = 0;
  #isDropping = false;

  constructor(options: FaultProxyOptions) {
    const { key, certificate } = createLoopbackCertificate();
    this.ca = certificate;
    this.#options = options;
    this.#agent = options.upstream.startsWith("https:")
      ? new HttpsAgent({ keepAlive: true, ...(options.upstreamCa === undefined ? {} : { ca: options.upstreamCa }) })
      : new HttpAgent({ keepAlive: true });
    this.#server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
      this.#take({ incoming, outgoing, request: describeRequest(incoming) });
    });
    // Idle connections are the client's to close.
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
    this.#server.on("connection", (socket: Socket) => {
      if (this.#isDropping) socket.destroy();
    });
    this.#server.on("secureConnection", (socket) => this.#accept(socket));
    this.#server.on("tlsClientError", () => undefined);
  }

  /** Base URL for clients, without a slash at the end. */
  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** TLS connections accepted so far. */
  get connections(): number {
    return this.#connections;
  }

  /** Watches that stream at this moment. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Called by `startFaultProxy`. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
  }

  /** Every request that has arrived, in order, whatever became of it. */
  requests(): readonly ProxiedRequest[] {
    return [...this.#requests];
  }

  clearRequests(): void {
    this.#requests = [];
  }

  /** Puts a fault in force. Where several take a request, the one that was added first counts. */
  addFault(match: FaultMatch, action: FaultAction): Fault {
    const fault = new Fault(match, action);
    this.#faults = [...this.#faults, fault];
    return fault;
  }

  /** Removes all faults and ends `dropAll`. */
  restore(): void {
    this.#faults = [];
    this.#isDropping = false;
  }

  /** Breaks every open watch in the middle, and returns how many there were. */
  cutWatches(): number {
    const open = [...this.#watches];
    for (const watch of open) watch.destroy();
    return open.length;
  }

  /** Ends every open watch as the API server does when its time is up, and returns how many there were. */
  endWatches(): number {
    const open = [...this.#watches];
    for (const watch of open) watch.end();
    return open.length;
  }

  /** Breaks all connections, and each new one at once, until `restore()`. */
  dropAll(): void {
    this.#isDropping = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.dropAll();
    this.#agent.destroy();
    if (!this.#server.listening) return;
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #accept(socket: Socket): void {
    this.#connections += 1;
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined); // A client that goes away is no failure of the proxy.
  }

  #take(exchange: Exchange): void {
    this.#requests.push(exchange.request);
    const fault = this.#faults.find((candidate) => candidate.takes(exchange.request));
    exchange.outgoing.on("error", () => undefined);
    if (fault) this.#inject(fault.action, exchange);
    else this.#forward(exchange, (answer) => this.#passOn(answer, exchange));
  }

  #inject(action: FaultAction, exchange: Exchange): void {
    const { incoming, outgoing } = exchange;
    switch (action.kind) {
      case "respond":
        incoming.resume();
        respond(action, outgoing);
        return;
      case "cut":
        if (action.when === "before") incoming.destroy();
        else this.#forward(exchange, (answer) => whenRead(answer, () => outgoing.destroy()));
        return;
      case "hang":
        if (action.when === "before") incoming.resume();
        else this.#forward(exchange, (answer) => whenRead(answer, () => undefined));
        return;
      case "delay":
        setTimeout(() => this.#forward(exchange, (answer) => this.#passOn(answer, exchange)), action.ms);
        return;
      case "truncate":
        this.#forward(exchange, (answer) => truncate(answer, outgoing, action.bytes));
        return;
      case "stall":
        this.#forward(exchange, (answer) => stall(answer, outgoing, action.bytes));
        return;
      default:
        throw new TestBedError(`unknown fault ${JSON.stringify(action satisfies never)}`);
    }
  }

  #forward({ incoming, outgoing }: Exchange, receive: (answer: IncomingMessage) => void): void {
    if (outgoing.destroyed) return;
    const upstream = new URL(this.#options.upstream);
    const send = upstream.protocol === "https:" ? httpsRequest : httpRequest;
    const forwarded = send(new URL(incoming.url ?? "/", upstream), {
      method: incoming.method,
      agent: this.#agent,
      headers: { ...withoutHopByHop(incoming.headers), host: upstream.host },
    });
    forwarded.once("response", receive);
    // The upstream broke the connection, or the client left: either way the other side sees the same.
    forwarded.once("error", () => outgoing.destroy());
    outgoing.once("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  }

  #passOn(answer: IncomingMessage, { outgoing, request }: Exchange): void {
    if (/(^|&)watch=(1|true)(&|$)/.test(request.query)) {
      this.#watches.add(outgoing);
      outgoing.once("close", () => this.#watches.delete(outgoing));
    }
    outgoing.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
    outgoing.flushHeaders();
    pipeline(answer, outgoing, () => undefined);
  }
}

function describeRequest({ method, url, headers }: IncomingMessage): ProxiedRequest {
  const [path = "", query = ""] = (url ?? "").split(/\?(.*)/s);
  return { method: method ?? "", path, query, contentType: headers["content-type"] ?? "" };
}

function respond(action: FaultAction & { readonly kind: "respond" }, outgoing: ServerResponse): void {
  const { status, body = statusObject(status) } = action;
  outgoing.writeHead(status, { "content-type": "application/json", ...action.headers });
  outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** The body that the API server's own failures have: a Status of apimachinery. */
function statusObject(code: number): Readonly<Record<string, unknown>> {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: code < 400 ? "Success" : "Failure",
    message: `injected ${code}`,
    reason: reasons.get(code) ?? "",
    code,
  };
}

const reasons: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [409, "Conflict"],
  [410, "Expired"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);

function whenRead(answer: IncomingMessage, then: () => void): void {
  answer.resume();
  answer.once("end", then);
}

function truncate(answer: IncomingMessage, outgoing: ServerResponse, bytes: number): void {
  outgoing.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
  let left = bytes;
  answer.on("data", (chunk: Buffer) => {
    if (left < 0) return;
    const part = chunk.subarray(0, left);
    left -= chunk.length;
    if (left >= 0) outgoing.write(part);
    else outgoing.write(part, () => outgoing.destroy());
  });
  answer.once("end", () => {
    if (left >= 0) outgoing.end();
  });
}

function stall(answer: IncomingMessage, outgoing: ServerResponse, bytes: number): void {
  outgoing.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
  outgoing.flushHeaders();
  let left = bytes;
  answer.on("data", (chunk: Buffer) => {
    if (left > 0) outgoing.write(chunk.subarray(0, left));
    left -= chunk.length;
  });
}

// RFC 9110, 7.6.1: each of the two connections has its own. Node re-creates the framing.
const hopByHop: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade"]);

function withoutHopByHop(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHop.has(name)) kept[name] = value;
  }
  return kept;
}
