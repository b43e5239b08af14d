import type {
  ActionOrder,
  ActionPreview,
  ActionRequest,
  ActionResult,
  Addon,
  Me,
  ObjectDetail,
  ObjectRow,
  Overview,
  RevisionDiff,
  Revisions,
} from "../../../src/http/dashboard/types.ts";
import { StreamRefused } from "../live/connection.ts";

/** Why a request has no answer to show. */
export type FailureKind = "offline" | "unauthenticated" | "forbidden" | "failed";

/** A request that failed, with words for the reader. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const BASE = "/api/v1";
const TOKEN_KEY = "keelson-token";
const TIMEOUT_MS = 20_000;

/**
 * The daemon's API. A token, where the reader has given one, is kept for this browser tab alone and sent as a bearer
 * token; never as a cookie, so that no other page can act in the reader's name.
 */
export class Api {
  get token(): string | undefined {
    return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
  }

  /** Signs in with a token, or out. */
  setToken(token: string | undefined): void {
    if (token === undefined) sessionStorage.removeItem(TOKEN_KEY);
    else sessionStorage.setItem(TOKEN_KEY, token);
  }

  me(): Promise<Me> {
    return this.#get("/me");
  }
  overview(): Promise<Overview> {
    return this.#get("/overview");
  }
  addons(): Promise<readonly Addon[]> {
    return this.#get("/addons");
  }
  objects(): Promise<readonly ObjectRow[]> {
    return this.#get("/objects");
  }
  object(key: string): Promise<ObjectDetail> {
    return this.#get("/object", { key });
  }
  revisions(): Promise<Revisions> {
    return this.#get("/revisions");
  }
  diff(from: number, to: number): Promise<RevisionDiff> {
    return this.#get("/diff", { from: String(from), to: String(to) });
  }
  /** What an action would do. Does nothing. */
  preview(request: ActionRequest): Promise<ActionPreview> {
    return this.#get("/preview", { request: JSON.stringify(request) });
  }
  act(order: ActionOrder): Promise<ActionResult> {
    return this.#post(`/actions/${order.request.kind}`, order);
  }

  /** The stream of events. */
  async events(signal: AbortSignal): Promise<AsyncIterable<string>> {
    const response = await fetch(`${BASE}/events`, {
      headers: this.#headers("text/event-stream"),
      signal,
      cache: "no-store",
    });
    if (response.status === 401 || response.status === 403)
      throw new StreamRefused((await failureOf(response)).message);
    if (!response.ok || response.body === null) throw await failureOf(response);
    return textOf(response.body);
  }

  async #get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
    const search = new URLSearchParams(query).toString();
    return this.#ask(`${BASE}${path}${search === "" ? "" : `?${search}`}`, {
      headers: this.#headers("application/json"),
    });
  }

  async #post<T>(path: string, body: unknown): Promise<T> {
    const headers = {
      ...this.#headers("application/json"),
      "Content-Type": "application/json",
      // No form and no foreign page can send this without asking the server first.
      "X-Keelson-Action": "1",
    };
    return this.#ask(`${BASE}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async #ask<T>(url: string, init: RequestInit): Promise<T> {
    let response: Response;
    try {
      response = await fetch(url, { ...init, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch {
      throw new ApiFailure("offline", "Keelson does not answer.");
    }
    if (!response.ok) throw await failureOf(response);
    try {
      return (await response.json()) as T;
    } catch {
      throw new ApiFailure("failed", "The answer could not be read.");
    }
  }

  #headers(accept: string): Record<string, string> {
    const { token } = this;
    return token === undefined ? { Accept: accept } : { Accept: accept, Authorization: `Bearer ${token}` };
  }
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const said = await response.text().catch(() => "");
  const message = messageIn(said) ?? `The server answered ${response.status}.`;
  if (response.status === 401) return new ApiFailure("unauthenticated", message);
  return new ApiFailure(response.status === 403 ? "forbidden" : "failed", message);
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    const line = text.trim();
    return line === "" || line.length > 300 ? undefined : line;
  }
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
