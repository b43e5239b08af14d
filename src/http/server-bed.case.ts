import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { KeelsonError } from "../errors/index.ts";
import { createLogger } from "../log/index.ts";
import { HttpServer, type HttpServerOptions } from "./http-server.ts";

/** A server under test. */
export interface Running {
  readonly port: number;
  readonly lines: readonly string[];
  readonly stop: () => Promise<void>;
}

/** What came back. */
export interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** How to ask. */
export interface Ask {
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Servers and sockets of one test file; `close` after each test. */
export class ServerBed {
  readonly #stops: (() => Promise<void> | void)[] = [];

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
  }

  async serve(options: Partial<HttpServerOptions> = {}): Promise<Running> {
    const lines: string[] = [];
    const log = createLogger({ sink: { write: (line) => lines.push(line) > 0, close: () => {} } });
    const server = new HttpServer({ host: "127.0.0.1", port: 0, routes: [], log, ...options });
    const controller = new AbortController();
    const ended = server.run(controller.signal);
    const stop = async (): Promise<void> => {
      controller.abort();
      await ended;
    };
    this.#stops.push(stop);
    const address = await until(() => server.address);
    return { port: Number(address.split(":").at(-1)), lines, stop };
  }

  open(port: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => resolve(socket));
      socket.on("error", reject);
      this.#stops.push(() => void socket.destroy());
    });
  }
}

/** Asks once, on a connection of its own. */
export function ask(port: number, path: string, options: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {} } = options;
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode, body: Buffer.concat(parts).toString(), headers: response.headers }),
      );
    });
    sent.on("error", reject);
    sent.end(options.body);
  });
}

/** Polls until `probe` finds something. */
export async function until<T>(probe: () => T | undefined): Promise<T> {
  const deadline = performance.now() + 5000;
  for (;;) {
    const value = probe();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new KeelsonError("Timeout", "not within 5 s");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Resolves when the other side has closed the connection. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.resume();
    socket.on("close", () => resolve());
    socket.on("error", () => {});
  });
}
