import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

/** One request as the API server's audit log states it. */
export interface AuditedRequest {
  /** The API's verb: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  /** API group, "" for the core group and for paths outside of resources. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  /** Path and query. */
  readonly uri: string;
  /** Status code of the answer. */
  readonly code: number;
  /** User name, as in the plane's token file. */
  readonly user: string;
  readonly userAgent: string;
  /** When the server received it, RFC 3339 with microseconds. */
  readonly receivedAt: string;
  /** False while a watch is still open. */
  readonly isComplete: boolean;
}

/** Policy file: every request, without its body; watches show from their first byte on. */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`;

interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly userAgent?: string;
  readonly user?: { readonly username?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
}

/** Reads what the API server appends to its audit log, each line once. */
export class AuditLog {
  readonly #path: string;
  readonly #requests = new Map<string, AuditedRequest>();
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** All requests so far, in the order in which they were first seen to answer. A watch is one request. */
  read(): readonly AuditedRequest[] {
    for (const line of this.#appended().split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line) as AuditEvent;
      this.#requests.set(event.auditID, requestOf(event));
    }
    return [...this.#requests.values()];
  }

  #appended(): string {
    if (!existsSync(this.#path)) return "";
    const file = openSync(this.#path, "r");
    try {
      const buffer = Buffer.alloc(fstatSync(file).size - this.#offset);
      const length = readSync(file, buffer, 0, buffer.length, this.#offset);
      // Up to the last whole line only: the rest may end within a character.
      const end = buffer.subarray(0, length).lastIndexOf(0x0a) + 1;
      this.#offset += end;
      return buffer.toString("utf8", 0, end);
    } finally {
      closeSync(file);
    }
  }
}

function requestOf(event: AuditEvent): AuditedRequest {
  const { objectRef } = event;
  return {
    verb: event.verb,
    group: objectRef?.apiGroup ?? "",
    resource: objectRef?.resource ?? "",
    subresource: objectRef?.subresource ?? "",
    name: objectRef?.name ?? "",
    namespace: objectRef?.namespace ?? "",
    uri: event.requestURI,
    code: event.responseStatus?.code ?? 0,
    user: event.user?.username ?? "",
    userAgent: event.userAgent ?? "",
    receivedAt: event.requestReceivedTimestamp,
    isComplete: event.stage !== "ResponseStarted",
  };
}
