/** Which requests a fault is for: all conditions hold. */
export interface FaultMatch {
  readonly method?: string;
  /** Tested against the path without the query. */
  readonly path?: RegExp;
  /** Tested against the query without its question mark, "" where there is none. */
  readonly query?: RegExp;
  /** The first matching request that is affected, from 1; 1 where left out. */
  readonly nth?: number;
  /** How many matching requests are affected from there on; all where left out. */
  readonly times?: number;
}

/** What happens to a request. `before`: the API server never sees it; `after`: it has acted on it, fully. */
export type FaultAction =
  | {
      readonly kind: "respond";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Text, or a value to be sent as JSON; a Status object with the code where left out. */
      readonly body?: unknown;
    }
  | { readonly kind: "cut"; readonly when: "before" | "after" }
  | { readonly kind: "hang"; readonly when: "before" | "after" }
  | { readonly kind: "delay"; readonly ms: number }
  /** The head of the answer and so many bytes of its body, then the connection is cut. */
  | { readonly kind: "truncate"; readonly bytes: number }
  /** The same, but then the connection stays open and silent. */
  | { readonly kind: "stall"; readonly bytes: number };

/** One request that reached the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark, "" where there is none. */
  readonly query: string;
  /** "" where the request has none. */
  readonly contentType: string;
}

/** A fault in force, as `addFault` returns it. */
export class Fault {
  readonly action: FaultAction;
  readonly #match: FaultMatch;
  #seen = 0;
  #hits = 0;
  #isRemoved = false;

  constructor(match: FaultMatch, action: FaultAction) {
    this.#match = match;
    this.action = action;
  }

  /** How many requests it has affected. */
  get hits(): number {
    return this.#hits;
  }

  remove(): void {
    this.#isRemoved = true;
  }

  /** Counts the request where it matches, and tells whether it is affected. */
  takes(request: ProxiedRequest): boolean {
    if (this.#isRemoved || !this.#matches(request)) return false;
    this.#seen += 1;
    const { nth = 1, times = Number.POSITIVE_INFINITY } = this.#match;
    if (this.#seen < nth || this.#seen >= nth + times) return false;
    this.#hits += 1;
    return true;
  }

  #matches({ method, path, query }: ProxiedRequest): boolean {
    const match = this.#match;
    if (match.method !== undefined && match.method !== method) return false;
    // search() and not test(): the latter remembers a position in a regular expression with the flag g.
    if (match.path && path.search(match.path) < 0) return false;
    return !match.query || query.search(match.query) >= 0;
  }
}
