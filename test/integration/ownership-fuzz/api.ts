import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import type { ControlPlane } from "../../control-plane/index.ts";

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the API server, looked into freely by the test
  readonly body: any;
}

export type ContentType = "json" | "merge" | "strategic" | "json-patch" | "apply";

const CONTENT_TYPES: Readonly<Record<ContentType, string>> = {
  json: "application/json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  "json-patch": "application/json-patch+json",
  apply: "application/apply-patch+yaml",
};

export interface ApiCall {
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: ContentType;
  readonly body?: unknown;
}

/** A bare client of the test: it shares no code with src/kube, and every answer is data. */
export class Api {
  readonly #plane: ControlPlane;
  readonly #agent: Agent;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 16, ca: readFileSync(plane.caPath) });
  }

  close(): void {
    this.#agent.destroy();
  }

  send({ method, path, query = {}, type = "json", body }: ApiCall): Promise<ApiAnswer> {
    const url = new URL(path, this.#plane.serverUrl);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${this.#plane.tokenFor("keelson")}`,
      ...(text === undefined ? {} : { "content-type": CONTENT_TYPES[type], "content-length": Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent: this.#agent, timeout: 60_000 }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          const answer = Buffer.concat(chunks).toString("utf8");
          resolve({ status: response.statusCode ?? 0, body: isJson(response.headers) ? JSON.parse(answer) : answer });
        });
      });
      sent.once("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.once("error", reject);
      sent.end(text);
    });
  }

  get(path: string): Promise<ApiAnswer> {
    return this.send({ method: "GET", path });
  }

  /** Forced server-side apply. */
  apply(
    path: string,
    body: unknown,
    options: { manager?: string; dryRun?: boolean; force?: boolean } = {},
  ): Promise<ApiAnswer> {
    const { manager = "keelson", dryRun = false, force = true } = options;
    return this.send({
      method: "PATCH",
      path,
      type: "apply",
      body,
      query: {
        fieldManager: manager,
        force: String(force),
        fieldValidation: "Strict",
        ...(dryRun ? { dryRun: "All" } : {}),
      },
    });
  }
}

function isJson(headers: { readonly "content-type"?: string | undefined }): boolean {
  return headers["content-type"]?.includes("json") ?? false;
}
