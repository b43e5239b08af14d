import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../async/index.ts";
import { messageOf } from "../errors/index.ts";
import { ChangeLog, type Logger } from "../log/index.ts";
import type { AccessControl, Permit } from "./access.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { type ReviewApi, type ReviewedRequest, type ReviewedUser, reviewAccess, reviewToken } from "./reviews.ts";
import type { Reply, RouteMethod } from "./route.ts";

/** What {@link ReviewAccess} needs. */
export interface ReviewAccessOptions {
  readonly api: ReviewApi;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long answers count, as in controller-runtime's filter of its metrics: a token's, a right's, a refusal's. */
const TOKEN_MS = 60_000;
const ALLOWED_MS = 5 * 60_000;
const REFUSED_MS = 30_000;
const NO_TOKEN_MS = 10_000;
const MAX_ENTRIES = 256;
/** Whoever sends one wrong token after another must not have us flood the API server. */
const MAX_REVIEWS_A_SECOND = 20;
const REVIEW_TIMEOUT_MS = 10_000;

/** `nobody`: the token is no one's. */
type Reviewed = { readonly kind: "user"; readonly user: ReviewedUser } | { readonly kind: "nobody" };

/** Asks the API server who it is (TokenReview) and whether they may (SubjectAccessReview on the path). */
export class ReviewAccess implements AccessControl {
  readonly anyone = { name: "" } as const;
  readonly #options: ReviewAccessOptions;
  readonly #said: ChangeLog;
  /** By digest of the token: no token is kept. */
  readonly #users: BoundedCache<Reviewed>;
  readonly #rights: BoundedCache<boolean>;
  /** Questions that are under way, so that the same one is asked once. */
  readonly #asking: Map<string, Promise<unknown>> = new Map();
  #second = { since: Number.NEGATIVE_INFINITY, reviews: 0 };

  constructor(options: ReviewAccessOptions) {
    this.#options = options;
    this.#said = new ChangeLog(options.log);
    this.#users = new BoundedCache(options.clock, MAX_ENTRIES);
    this.#rights = new BoundedCache(options.clock, MAX_ENTRIES);
  }

  async permit(
    request: IncomingMessage,
    asked: { readonly method: RouteMethod; readonly path: string },
  ): Promise<Permit> {
    const token = bearerToken(request);
    if (token === undefined) return refused(UNAUTHENTICATED);
    const digest = createHash("sha256").update(token).digest("base64");
    try {
      const reviewed = this.#users.get(digest) ?? (await this.#once(digest, () => this.#reviewToken(digest, token)));
      if (reviewed === "busy") return refused(BUSY);
      if (reviewed.kind === "nobody") return refused(UNAUTHENTICATED);
      const { user } = reviewed;
      const isAllowed = (method: RouteMethod, path: string): Promise<boolean> =>
        this.#isAllowed(digest, user, { verb: method.toLowerCase(), path });
      const allowed = await isAllowed(asked.method, asked.path);
      this.#said.clear("review");
      if (!allowed) return refused(forbidden(user.username, asked));
      return { kind: "granted", identity: { name: user.username }, isAllowed };
    } catch (error) {
      const advice = "its account needs to create tokenreviews and subjectaccessreviews (system:auth-delegator)";
      const message = `HTTP clients cannot be told apart: ${messageOf(error)}; ${advice}`;
      this.#said.report({ key: "review", level: "warn", message });
      return refused(UNKNOWN);
    }
  }

  async #reviewToken(digest: string, token: string): Promise<Reviewed | "busy"> {
    if (!this.#mayAsk()) return "busy";
    const user = await reviewToken(this.#options.api, token, AbortSignal.timeout(REVIEW_TIMEOUT_MS));
    const reviewed: Reviewed = user === undefined ? { kind: "nobody" } : { kind: "user", user };
    this.#users.set(digest, reviewed, user === undefined ? NO_TOKEN_MS : TOKEN_MS);
    return reviewed;
  }

  async #isAllowed(digest: string, user: ReviewedUser, request: ReviewedRequest): Promise<boolean> {
    const key = JSON.stringify([digest, request.verb, request.path]);
    const known = this.#rights.get(key);
    if (known !== undefined) return known;
    return this.#once(key, async () => {
      const signal = AbortSignal.timeout(REVIEW_TIMEOUT_MS);
      const allowed = await reviewAccess(this.#options.api, { user, request }, signal);
      this.#rights.set(key, allowed, allowed ? ALLOWED_MS : REFUSED_MS);
      return allowed;
    });
  }

  #once<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const underWay = this.#asking.get(key) as Promise<T> | undefined;
    if (underWay !== undefined) return underWay;
    const asking = ask().finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  #mayAsk(): boolean {
    const now = this.#options.clock.monotonic();
    if (now - this.#second.since >= 1_000) this.#second = { since: now, reviews: 0 };
    this.#second.reviews += 1;
    return this.#second.reviews <= MAX_REVIEWS_A_SECOND;
  }
}

const UNAUTHENTICATED: Reply = {
  status: 401,
  headers: { "www-authenticate": 'Bearer realm="keelson"' },
  body: "a bearer token of this cluster is needed\n",
};
const BUSY: Reply = { status: 429, headers: { "retry-after": "1" }, body: "too many unknown tokens\n" };
const UNKNOWN: Reply = {
  status: 503,
  headers: { "retry-after": "5" },
  body: "the API server cannot be asked who you are\n",
};

/** Told to somebody whose name it is. */
function forbidden(user: string, asked: { readonly method: RouteMethod; readonly path: string }): Reply {
  const body = `user ${JSON.stringify(user)} may not ${asked.method.toLowerCase()} the path ${JSON.stringify(asked.path)}\n`;
  return { status: 403, body };
}

function refused(reply: Reply): Permit {
  return { kind: "refused", reply };
}

/** RFC 6750; undefined where there is none. */
function bearerToken({ headers }: IncomingMessage): string | undefined {
  return /^bearer +([\w.~+/=-]+)$/i.exec(headers.authorization ?? "")?.[1];
}
