import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { ControlPlane } from "../test/control-plane/control-plane.ts";
import { BenchError } from "./errors.ts";

export interface Live {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: Live;
  /** When the event was read, on `performance.now()`'s clock. */
  readonly seenAt: number;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
  /** When the answer was complete, on `performance.now()`'s clock. */
  readonly answeredAt: number;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/**
 * The bench's own view of the cluster, as the administrator: kept-alive requests, and watches. It shares no code with
 * the client under test, which must not be its own judge.
 */
export class ApiClient {
  readonly #plane: ControlPlane;
  readonly #ca: string;
  readonly #agent: Agent = new Agent({ keepAlive: true });
  readonly #watches = new Set<IncomingMessage>();

  constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#ca = readFileSync(plane.caPath, "utf8");
  }

  /** @throws BenchError where the answer is no success. */
  async send(given: ApiRequest): Promise<ApiAnswer> {
    const response = await this.#open(given);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const answeredAt = performance.now();
    const body = Buffer.concat(chunks).toString("utf8");
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) {
      throw new BenchError(`${given.method} ${given.path}: HTTP ${status}: ${body.slice(0, 300)}`);
    }
    return { status, body, answeredAt };
  }

  /** Watches a collection; begins with an ADDED event for each object that is there. Ends with `close()`. */
  async watch(path: string, onEvent: (event: WatchEvent) => void): Promise<void> {
    const response = await this.#open({ method: "GET", path });
    if (response.statusCode !== 200) throw new BenchError(`GET ${path}: HTTP ${response.statusCode}`);
    this.#watches.add(response);
    let rest = "";
    response.setEncoding("utf8");
    response.on("error", () => undefined);
    response.on("data", (chunk: string) => {
      const seenAt = performance.now();
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onEvent({ ...(JSON.parse(line) as Omit<WatchEvent, "seenAt">), seenAt });
    });
  }

  close(): void {
    for (const response of this.#watches) response.destroy();
    this.#watches.clear();
    this.#agent.destroy();
  }

  #open({ method, path, body, contentType = "application/json" }: ApiRequest): Promise<IncomingMessage> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#plane.serverUrl}${path}`,
        {
          method,
          ca: this.#ca,
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${this.#plane.tokenFor("admin")}`,
            ...(text === undefined ? {} : { "content-type": contentType, "content-length": Buffer.byteLength(text) }),
          },
        },
        resolve,
      );
      sent.once("error", reject);
      sent.end(text);
    });
  }
}
