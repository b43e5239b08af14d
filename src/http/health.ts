import type { Reply, Route, RouteRequest } from "./route.ts";

/** One part of the program, as probes see it. */
export interface HealthComponent {
  /** A word: `leader`, `files`, `watches`. */
  readonly name: string;
  readonly ok: boolean;
  /** What it does, or why it is not ok. */
  readonly message: string;
}

/** Where the server asks; answered from memory, at once. */
export interface HealthSource {
  /** What has to be ok for the program to be ready. */
  components(): readonly HealthComponent[];
  /** What has to be ok for the program to be alive: where one is not, only a restart helps. */
  loops(): readonly HealthComponent[];
}

/** The event loop turns, or nobody would read this. */
const PING: HealthComponent = { name: "ping", ok: true, message: "answers" };

/**
 * `/livez` and `/readyz` as the API server has them: 200 and `ok`, or 503 and the list of checks; `?verbose` lists them
 * anyhow, `?exclude=NAME` leaves one out, and each is also at `/livez/NAME` and `/readyz/NAME`.
 *
 * Open to everyone. Where the server is not bound to loopback, messages are withheld: they name hosts, files and users.
 */
export function healthRoutes(source: HealthSource): readonly Route[] {
  return [
    ...routesOf("livez", () => [PING, ...source.loops()]),
    ...routesOf("readyz", () => [PING, ...source.components()]),
  ];
}

function routesOf(name: string, checks: () => readonly HealthComponent[]): readonly Route[] {
  return [
    { path: `/${name}`, access: "open", respond: (request) => report(name, checks(), request) },
    { path: `/${name}/*`, access: "open", respond: (request) => reportOne(name, checks(), request) },
  ];
}

function report(name: string, checks: readonly HealthComponent[], { query, user }: RouteRequest): Reply {
  const excluded = new Set(query.getAll("exclude").flatMap((names) => names.split(",")));
  excluded.delete("");
  const isFailed = checks.some((check) => !check.ok && !excluded.has(check.name));
  const status = isFailed ? 503 : 200;
  // As the API server does, a failure is always told in full: a probe's event shows the body.
  if (!query.has("verbose") && !isFailed) return { status, body: "ok" };
  const lines = checks.map((check) =>
    excluded.has(check.name) ? `[+]${check.name} excluded: ok` : lineOf(check, user),
  );
  const unknown = [...excluded].filter((wanted) => !checks.some((check) => check.name === wanted));
  if (unknown.length > 0) lines.push("warn: some health checks cannot be excluded: there are none of these names");
  return { status, body: `${[...lines, `${name} check ${isFailed ? "failed" : "passed"}`].join("\n")}\n` };
}

function reportOne(name: string, checks: readonly HealthComponent[], { path, query, user }: RouteRequest): Reply {
  const wanted = path.slice(name.length + 2);
  const check = checks.find((candidate) => candidate.name === wanted);
  if (check === undefined) return { status: 404, body: "there is no check of this name\n" };
  const status = check.ok ? 200 : 503;
  return { status, body: check.ok && !query.has("verbose") ? "ok" : `${lineOf(check, user)}\n` };
}

/** Nobody is asked who they are: an empty name is anybody's. */
function lineOf({ name, ok, message }: HealthComponent, user: string): string {
  const told = user === "" ? "" : `: ${message}`;
  return ok ? `[+]${name} ok${told}` : `[-]${name} failed${user === "" ? ": reason withheld" : told}`;
}
