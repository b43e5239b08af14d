import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** JSON as tests handle it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into objects of any shape
export type Json = any;

/** What a server answered. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** A request to either server. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly contentType?: string;
}

/** One of the two API servers that the suites run on. */
export class Target {
  readonly name: "embedded" | "real";
  readonly url: string;
  readonly #token: string | undefined;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(name: "embedded" | "real", url: string, token?: string) {
    this.name = name;
    this.url = url;
    this.#token = token;
    const options = { keepAlive: true, maxSockets: 32 };
    this.#agent = url.startsWith("https")
      ? new HttpsAgent({ ...options, rejectUnauthorized: false })
      : new HttpAgent(options);
  }

  async call({ method, path, query, body, contentType }: Call): Promise<Reply> {
    const url = new URL(path, this.url);
    for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value);
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const headers: Record<string, string> = { accept: "application/json", "user-agent": "conformance/1.0" };
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`;
    if (text !== undefined) {
      headers["content-type"] = contentType ?? "application/json";
      headers["content-length"] = String(Buffer.byteLength(text));
    }
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = send(url, { method, headers, agent: this.#agent }, (response) => {
        let received = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          received += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: parse(received) }));
        response.on("error", reject);
      });
      request.on("error", reject);
      request.end(text);
    });
  }

  /** Opens a watch and collects its events until `enough` says so, the server ends it, or `timeoutMs` pass. */
  async watch(
    path: string,
    query: Readonly<Record<string, string>>,
    enough: (events: readonly Json[]) => boolean,
    timeoutMs = 5000,
  ): Promise<readonly Json[]> {
    const url = new URL(path, this.url);
    for (const [key, value] of Object.entries({ watch: "true", ...query })) url.searchParams.set(key, value);
    const headers: Record<string, string> = { accept: "application/json" };
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`;
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const events: Json[] = [];
      let rest = "";
      const request = send(url, { headers, agent: false, rejectUnauthorized: false }, (response) => {
        const finish = (): void => {
          clearTimeout(timer);
          request.destroy();
          resolve(events);
        };
        const timer = setTimeout(finish, timeoutMs);
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) events.push(parse(line));
          if (enough(events)) finish();
        });
        response.on("end", finish);
        response.on("error", finish);
      });
      request.on("error", reject);
      request.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
