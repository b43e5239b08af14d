import type { IncomingMessage } from "node:http";
import type { Reply, RouteMethod } from "./route.ts";

/** Somebody whose token was accepted. */
export interface Identity {
  readonly name: string;
}

/** What became of asking who it is and whether they may. */
export type Permit =
  | {
      readonly kind: "granted";
      readonly identity: Identity;
      isAllowed(method: RouteMethod, path: string): Promise<boolean>;
    }
  | { readonly kind: "refused"; readonly reply: Reply };

/** Decides who may ask for protected routes. */
export interface AccessControl {
  /** Who asks for open ones: `local`, or nobody in particular (""). */
  readonly anyone: Identity;
  /** Never throws: what cannot be found out is refused. */
  permit(request: IncomingMessage, asked: { readonly method: RouteMethod; readonly path: string }): Promise<Permit>;
}

/** For a server that only this machine can reach: everyone may, and is called `local`. */
export const LOCAL_ACCESS: AccessControl = {
  anyone: { name: "local" },
  permit: () =>
    Promise.resolve({ kind: "granted", identity: { name: "local" }, isAllowed: () => Promise.resolve(true) }),
};
