import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuditedRequest } from "../../control-plane/index.ts";

/** One user's way to an API server that keeps no audit log: what passes is noted in the audit log's terms. */
export class RecordingProxy {
  readonly requests: AuditedRequest[] = [];
  readonly #target: string;
  readonly #user: string;
  readonly #server: Server;

  constructor(target: string, user: string) {
    this.#target = target;
    this.#user = user;
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  }

  /** Its URL. */
  listen(): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, "127.0.0.1", () => {
        resolve(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
      });
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = "GET", headers, url: uri = "/" } = incoming;
    const receivedAt = new Date().toISOString();
    const upstream = forward(this.#target + uri, { method, headers, agent: false }, (answer) => {
      const code = answer.statusCode ?? 0;
      const about = describeRequest(method, uri);
      const userAgent = headers["user-agent"] ?? "";
      this.requests.push({ ...about, uri, code, user: this.#user, userAgent, receivedAt, isComplete: true });
      outgoing.writeHead(code, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  }
}

type About = Pick<AuditedRequest, "verb" | "group" | "resource" | "subresource" | "name" | "namespace">;

/** `/apis/GROUP/VERSION/[namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]`. */
function describeRequest(method: string, uri: string): About {
  const { pathname, searchParams } = new URL(uri, "http://server");
  const [root, ...parts] = pathname.slice(1).split("/");
  const group = root === "apis" ? (parts.shift() ?? "") : "";
  const path = parts.slice(1);
  const isInside = path[0] === "namespaces" && path.length > 2;
  const namespace = isInside ? (path[1] ?? "") : "";
  const [resource = "", name = "", subresource = ""] = isInside ? path.slice(2) : path;
  return { verb: verbOf(method, name, searchParams), group, resource, subresource, name, namespace };
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
    default:
      return query.get("watch") === "true" ? "watch" : name === "" ? "list" : "get";
  }
}
