import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Reply } from "./route.ts";

/**
 * Refuses requests for a name that is not this machine's own, where the server is bound to loopback: a page on the web
 * may make its own name resolve to 127.0.0.1 (DNS rebinding), but the browser then sends that name. Any port: a forwarded
 * one differs from ours.
 */
export function refuseForeignHost(request: IncomingMessage): Reply | undefined {
  const { host } = request.headers;
  if (host === undefined || isLoopbackName(nameOf(host))) return undefined;
  const body = "only localhost, 127.0.0.1 and [::1] are served here: ask for one of them by that name\n";
  return { status: 421, body };
}

/**
 * Refuses what a page of another origin can make a browser send: a POST that is no JSON (a form) and one that comes from
 * elsewhere. JSON from another origin needs a preflight, which is never answered.
 */
export function refuseForeignPost(request: IncomingMessage): Reply | undefined {
  const { headers } = request;
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") return { status: 415, body: "only application/json is taken\n" };
  const site = headers["sec-fetch-site"];
  const isForeignSite = site !== undefined && site !== "same-origin" && site !== "none";
  const { origin } = headers;
  if (isForeignSite || (origin !== undefined && hostOfOrigin(origin) !== headers.host?.toLowerCase())) {
    return { status: 403, body: "not from another origin\n" };
  }
  return undefined;
}

/** Whether an address or name can only mean this machine: what is bound to it is out of reach for others. */
export function isLoopbackName(name: string): boolean {
  if (name === "localhost" || name === "::1") return true;
  return isIP(name) === 4 && name.startsWith("127.");
}

/** `localhost` of `localhost:8080`, `::1` of `[::1]:8080`. */
function nameOf(host: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host);
  return (match?.[1] ?? match?.[2] ?? host).toLowerCase();
}

function hostOfOrigin(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
