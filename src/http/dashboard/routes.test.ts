import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { KeelsonError } from "../../errors/index.ts";
import { type Answer, type Ask, ask, ServerBed } from "../server-bed.case.ts";
import type { DashboardActions, DashboardSource } from "./ports.ts";
import { dashboardRoutes } from "./routes.ts";
import type { ActionPreview, ActionRequest } from "./types.ts";

const bed = new ServerBed();
let pages: string;

beforeAll(() => {
  pages = mkdtempSync(join(tmpdir(), "keelson-pages-"));
  mkdirSync(join(pages, "assets"));
  writeFileSync(join(pages, "index.html"), "<!doctype html>");
  writeFileSync(join(pages, "assets/index-AbCd1234.js"), "let a;");
  writeFileSync(join(pages, "assets/index-AbCd1234.js.gz"), gzipSync("let a;"));
  writeFileSync(join(pages, "secret"), "not a page");
});
afterAll(() => rmSync(pages, { recursive: true }));
afterEach(() => bed.close());

class Actions implements DashboardActions {
  summary = "Two objects change.";
  refused: string | undefined;
  readonly done: (readonly [ActionRequest, string])[] = [];

  async preview(): Promise<Omit<ActionPreview, "digest">> {
    const { summary, refused } = this;
    return { summary, steps: [], more: 0, warnings: [], ...(refused === undefined ? {} : { refused }) };
  }
  async act(request: ActionRequest, { user }: { readonly user: string }): Promise<{ readonly message: string }> {
    this.done.push([request, user]);
    return { message: "Done." };
  }
}

const source = {
  rows: () => Array.from({ length: 100 }, (_, at) => ({ key: `ConfigMap/default/object-${at}` })),
  overview: () => {
    throw new KeelsonError("Internal", "a fault of ours with /etc/secrets in it");
  },
  object: () => Promise.reject(new KeelsonError("NotFound", "no \u001b[31msuch object")),
  diff: () => Promise.resolve({}),
} as unknown as DashboardSource;

async function serve(actions: Actions = new Actions()): Promise<(path: string, how?: Ask) => Promise<Answer>> {
  const { port } = await bed.serve({ routes: dashboardRoutes({ source, actions, pages }) });
  return (path, how = {}) => ask(port, path, how);
}

const resume = { kind: "resume" } as const;
const previewPath = `/api/v1/preview?request=${encodeURIComponent(JSON.stringify(resume))}`;
const post = (body: unknown, more: Readonly<Record<string, string>> = { "x-keelson-action": "1" }): Ask => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...more },
});

describe("pages", () => {
  it("are the files of the build, hashed ones for ever, and no others", async () => {
    const get = await serve();

    expect(await get("/")).toMatchObject({ status: 200, body: "<!doctype html>" });
    const script = await get("/assets/index-AbCd1234.js");
    expect(script).toMatchObject({ status: 200, body: "let a;" });
    expect(script.headers["cache-control"]).toContain("immutable");
    for (const path of [
      "/assets/../secret",
      "/assets/..%2fsecret",
      "/assets/index-AbCd1234.js.gz",
      "/assets/",
      "/secret",
    ]) {
      expect((await get(path)).status, path).toBe(404);
    }
  });

  it("go packed to who takes that", async () => {
    const get = await serve();

    const packed = await get("/assets/index-AbCd1234.js", { headers: { "accept-encoding": "br, gzip" } });
    const refused = await get("/assets/index-AbCd1234.js", { headers: { "accept-encoding": "gzip;q=0" } });

    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(refused.body).toBe("let a;");
  });
});

describe("the API", () => {
  it("packs long answers", async () => {
    const get = await serve();

    const { headers } = await get("/api/v1/objects", { headers: { "accept-encoding": "gzip" } });

    expect(headers["content-encoding"]).toBe("gzip");
    expect(JSON.parse((await get("/api/v1/objects")).body)).toHaveLength(100);
    expect(gunzipSync(gzipSync("x")).toString()).toBe("x");
  });

  it("tells failures that a reader can understand, without control characters, and no faults of ours", async () => {
    const get = await serve();

    expect(await get("/api/v1/object?key=x")).toMatchObject({
      status: 404,
      body: '{"error":"no \\\\u001b[31msuch object"}',
    });
    const fault = await get("/api/v1/overview");
    expect(fault.status).toBe(500);
    expect(fault.body).not.toContain("secrets");
    expect((await get("/api/v1/diff?from=1&to=x")).status).toBe(404);
  });

  it("says who asks and what they may", async () => {
    const get = await serve();

    expect(JSON.parse((await get("/api/v1/me")).body)).toMatchObject({ user: "local" });
  });
});

describe("actions", () => {
  it("are done when they are what was shown", async () => {
    const actions = new Actions();
    const get = await serve(actions);
    const { digest } = JSON.parse((await get(previewPath)).body) as ActionPreview;

    const answer = await get("/api/v1/actions/resume", post({ request: resume, digest }));

    expect(answer).toMatchObject({ status: 200, body: '{"message":"Done."}' });
    expect(actions.done).toEqual([[resume, "local"]]);
  });

  it.each([
    ["something else would happen by now", (actions: Actions) => (actions.summary = "Nine objects are deleted."), 409],
    ["it cannot be done any more", (actions: Actions) => (actions.refused = "No revision is held."), 409],
  ])("are refused where %s", async (_, change, status) => {
    const actions = new Actions();
    const get = await serve(actions);
    const { digest } = JSON.parse((await get(previewPath)).body) as ActionPreview;

    change(actions);
    const answer = await get("/api/v1/actions/resume", post({ request: resume, digest }));

    expect(answer.status).toBe(status);
    expect(actions.done).toEqual([]);
  });

  it.each([
    ["without our header", post({ request: resume, digest: "d" }, {}), 403],
    ["of another name than the path's", post({ request: { kind: "rollback", revision: 1 }, digest: "d" }), 400],
    ["that are none", post({ anything: true }), 400],
  ])("are refused %s", async (_, how, status) => {
    const actions = new Actions();
    const get = await serve(actions);

    expect((await get("/api/v1/actions/resume", how)).status).toBe(status);
    expect(actions.done).toEqual([]);
  });

  it("cannot be asked for by a link", async () => {
    const get = await serve();

    expect((await get("/api/v1/actions/resume")).status).toBe(405);
  });
});
