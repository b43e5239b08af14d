import type { IncomingMessage } from "node:http";
import type { AccessControl, Permit } from "./access.ts";
import type { RouteMethod } from "./route.ts";

/**
 * For a server that only this machine can reach: everyone may read, and is called `local`. To act takes a token of the
 * cluster and the right to it, here as elsewhere: a pod in the host's network must not be able to roll a cluster back.
 */
export class LoopbackAccess implements AccessControl {
  readonly anyone = { name: "local" } as const;
  readonly #reviews: AccessControl;

  /** `reviews` is asked about those who send a token. */
  constructor(reviews: AccessControl) {
    this.#reviews = reviews;
  }

  async permit(
    request: IncomingMessage,
    asked: { readonly method: RouteMethod; readonly path: string },
  ): Promise<Permit> {
    if (asked.method === "POST") return this.#reviews.permit(request, asked);
    if (request.headers.authorization === undefined) return LOCAL;
    const permit = await this.#reviews.permit(request, asked);
    // Who has a token, but not the right to read elsewhere, may read here like anybody.
    const mayReadAllTheSame = permit.kind === "refused" && permit.reply.status === 403;
    return mayReadAllTheSame ? LOCAL : permit;
  }
}

const LOCAL: Permit = {
  kind: "granted",
  identity: { name: "local" },
  isAllowed: (method) => Promise.resolve(method === "GET"),
};
