import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { createLogger } from "../log/index.ts";
import { ReviewAccess } from "./review-access.ts";
import type { Route } from "./route.ts";
import { type Answer, ask, ServerBed } from "./server-bed.case.ts";

/** An API server's reviews: `TOKEN-NAME` is the token of NAME. */
class Reviews {
  readonly asked: { readonly path: string; readonly spec: Record<string, unknown> }[] = [];
  readonly allowed: Set<string> = new Set(["get /metrics", "post /api/act"]);
  failure: KeelsonError | undefined;

  raw(_method: string, path: string, options: { readonly body: string }): Promise<{ body: string }> {
    const { spec } = JSON.parse(options.body) as { spec: Record<string, unknown> };
    this.asked.push({ path, spec });
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const status = path.endsWith("tokenreviews") ? this.#token(String(spec.token)) : this.#access(spec);
    return Promise.resolve({ body: JSON.stringify({ status }) });
  }

  of(kind: string): number {
    return this.asked.filter(({ path }) => path.endsWith(kind)).length;
  }

  #token(token: string): unknown {
    const name = /^TOKEN-(.*)$/.exec(token)?.[1];
    if (name === undefined) return { authenticated: false, error: "no" };
    return { authenticated: true, user: { username: name, uid: "1", groups: ["g"], extra: { k: ["v"] } } };
  }

  #access(spec: Record<string, unknown>): unknown {
    const { verb, path } = spec.nonResourceAttributes as { verb: string; path: string };
    return { allowed: spec.user === "prometheus" && this.allowed.has(`${verb} ${path}`) };
  }
}

const bed = new ServerBed();
let reviews: Reviews;
let clock: ManualClock;
let lines: string[];

beforeEach(() => {
  reviews = new Reviews();
  clock = new ManualClock();
  lines = [];
});

afterEach(() => bed.close());

const routes: readonly Route[] = [
  { path: "/metrics", respond: ({ user }) => ({ status: 200, body: `secret of ${user}` }) },
  {
    method: "POST",
    path: "/api/act",
    respond: async ({ user, isAllowed }) => ({ status: 200, body: `${user} ${await isAllowed("POST", "/api/other")}` }),
  },
  { path: "/livez", access: "open", respond: ({ user }) => ({ status: 200, body: `ok${user}` }) },
];

async function serve(): Promise<(path: string, authorization?: string, method?: string) => Promise<Answer>> {
  const log = createLogger({ sink: { write: (line) => lines.push(line) > 0, close: () => {} } });
  const access = new ReviewAccess({ api: reviews, clock, log });
  const { port } = await bed.serve({ routes, access });
  return (path, authorization, method = "GET") => {
    const headers = { ...(authorization !== undefined && { authorization }), "content-type": "application/json" };
    return ask(port, path, { method, headers });
  };
}

describe("protected routes", () => {
  it.each([
    ["no token", undefined],
    ["another scheme", "Basic dXNlcjpwYXNz"],
    ["an empty token", "Bearer "],
    ["a token that is none", "Bearer {}"],
    ["a token of nobody", "Bearer wrong"],
  ])("answer 401 to %s, and tell nothing", async (_, authorization) => {
    const get = await serve();

    const answer = await get("/metrics", authorization);

    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
    expect(answer.body).not.toContain("secret");
  });

  it("answer 403 to a user without the right, and name the right", async () => {
    const get = await serve();

    expect(await get("/metrics", "Bearer TOKEN-mallory")).toMatchObject({
      status: 403,
      body: 'user "mallory" may not get the path "/metrics"\n',
    });
  });

  it("answer who has the right, by name, and ask with all that is known of the user", async () => {
    const get = await serve();

    expect(await get("/metrics", "bearer TOKEN-prometheus")).toMatchObject({
      status: 200,
      body: "secret of prometheus",
    });
    expect(reviews.asked[1]?.spec).toEqual({
      user: "prometheus",
      uid: "1",
      groups: ["g"],
      extra: { k: ["v"] },
      nonResourceAttributes: { verb: "get", path: "/metrics" },
    });
  });

  it("ask for the right to the method, and tell a page what else is allowed", async () => {
    const get = await serve();

    expect((await get("/api/act", "Bearer TOKEN-prometheus", "POST")).body).toBe("prometheus false");
    reviews.allowed.clear();
    expect((await get("/api/act", "Bearer TOKEN-mallory", "POST")).status).toBe(403);
  });

  it("leave probes open", async () => {
    const get = await serve();

    expect(await get("/livez")).toMatchObject({ status: 200, body: "ok" });
    expect(reviews.asked).toEqual([]);
  });
});

describe("answers of the API server", () => {
  it("are remembered for a while, and asked for anew then", async () => {
    const get = await serve();
    const scrape = (): Promise<Answer> => get("/metrics", "Bearer TOKEN-prometheus");
    for (let i = 0; i < 10; i++) await scrape();
    expect([reviews.of("tokenreviews"), reviews.of("subjectaccessreviews")]).toEqual([1, 1]);

    await clock.advance(61_000);
    await scrape();
    expect([reviews.of("tokenreviews"), reviews.of("subjectaccessreviews")]).toEqual([2, 1]);
    reviews.allowed.clear();
    await clock.advance(5 * 60_000);

    expect((await scrape()).status).toBe(403);
  });

  it("are asked for once by requests at the same time", async () => {
    const get = await serve();

    await Promise.all(Array.from({ length: 10 }, () => get("/metrics", "Bearer TOKEN-prometheus")));

    expect([reviews.of("tokenreviews"), reviews.of("subjectaccessreviews")]).toEqual([1, 1]);
  });

  it("are not asked for by a flood of wrong tokens", async () => {
    const get = await serve();
    const statuses: (number | undefined)[] = [];

    for (let i = 0; i < 50; i++) statuses.push((await get("/metrics", `Bearer wrong-${i}`)).status);

    expect(reviews.of("tokenreviews")).toBe(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    await clock.advance(1_000);
    expect((await get("/metrics", "Bearer TOKEN-prometheus")).status).toBe(200);
  });

  it("that fail shut everybody out, with a warning that says what to do and no token", async () => {
    const get = await serve();
    reviews.failure = new KeelsonError("Forbidden", "POST tokenreviews: forbidden");

    expect(await get("/metrics", "Bearer TOKEN-prometheus")).toMatchObject({
      status: 503,
      body: "the API server cannot be asked who you are\n",
    });
    await get("/metrics", "Bearer TOKEN-prometheus");

    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("system:auth-delegator");
    expect(lines[0]).not.toContain("TOKEN-");
    reviews.failure = undefined;
    expect((await get("/metrics", "Bearer TOKEN-prometheus")).status).toBe(200);
  });
});
