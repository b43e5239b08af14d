import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { type ControlPlane, TestBedError } from "../../control-plane/index.ts";

/** A live object, looked into freely. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any field of any kind
export type Live = Record<string, any> & {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly metadata: Record<string, any> & { readonly name: string; readonly uid: string };
};

interface Answer {
  readonly status: number;
  readonly body: string;
}

const MERGE = "application/merge-patch+json";

/** What other people do in the cluster: the administrator's requests by path, past every proxy. */
export class Admin {
  readonly #plane: ControlPlane;
  readonly #agent: Agent;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 8, ca: readFileSync(plane.caPath) });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** undefined where it is not there. */
  async get(path: string): Promise<Live | undefined> {
    const answer = await this.#send("GET", path);
    return answer.status === 404 ? undefined : parse(answer, `GET ${path}`);
  }

  /** The object, which must be there. */
  async find(path: string): Promise<Live> {
    const found = await this.get(path);
    if (found === undefined) throw new TestBedError(`${path} is not there`);
    return found;
  }

  async list(path: string): Promise<readonly Live[]> {
    return parse(await this.#send("GET", path), `GET ${path}`).items;
  }

  /** POST; what is there already stays. */
  async create(collection: string, object: unknown, manager = "admin"): Promise<void> {
    const answer = await this.#send("POST", `${collection}?fieldManager=${manager}`, { body: object });
    if (answer.status !== 409) parse(answer, `POST ${collection}`);
  }

  async patch(path: string, patch: unknown, type: string = MERGE): Promise<Live> {
    return parse(await this.#send("PATCH", `${path}?fieldManager=admin`, { body: patch, type }), `PATCH ${path}`);
  }

  /** Nothing happens where it is not there. */
  async delete(path: string): Promise<void> {
    const answer = await this.#send("DELETE", path);
    if (answer.status !== 404) parse(answer, `DELETE ${path}`);
  }

  #send(method: string, path: string, content?: { readonly body: unknown; readonly type?: string }): Promise<Answer> {
    const { port } = this.#plane;
    const headers = {
      authorization: `Bearer ${this.#plane.tokenFor("admin")}`,
      "content-type": content?.type ?? "application/json",
    };
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: this.#agent, timeout: 30_000 });
      sent.once("timeout", () => sent.destroy(new TestBedError(`${method} ${path}: no answer in 30 s`)));
      sent.once("error", reject);
      sent.once("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }),
        );
      });
      sent.end(content === undefined ? undefined : JSON.stringify(content.body));
    });
  }
}

function parse({ status, body }: Answer, asked: string): Live {
  if (status >= 300) throw new TestBedError(`${asked}: ${status}: ${body.slice(0, 300)}`);
  return JSON.parse(body) as Live;
}
