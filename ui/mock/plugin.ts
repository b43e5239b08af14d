import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin } from "vite";
import { MOCK_REVISIONS, mockAddons, mockDetail, mockDiff, mockOverview, mockRows, mockTimeline } from "./world.ts";

/** `npx vite ui` serves the pages with a made-up cluster behind them; KEELSON_API=http://… uses a daemon's API instead. */
export function mockApi(): Plugin {
  const daemon = process.env.KEELSON_API;
  return {
    name: "keelson-mock-api",
    apply: "serve",
    config: () => (daemon === undefined ? {} : { server: { proxy: { "/api": daemon } } }),
    configureServer(server) {
      if (daemon !== undefined) return;
      const rows = mockRows(10_000);
      server.middlewares.use("/api/v1", (request, response) => answer(rows, request, response));
    },
  };
}

type Rows = ReturnType<typeof mockRows>;

function answer(rows: Rows, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://mock");
  if (url.pathname === "/events") {
    stream(rows, response);
    return;
  }
  const value = replyTo(rows, url);
  response.statusCode = value === undefined ? 404 : 200;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(value ?? { error: "not found" }));
}

function replyTo(rows: Rows, url: URL): unknown {
  const row = rows.find(({ key }) => key === url.searchParams.get("key"));
  switch (url.pathname) {
    case "/me":
      return { user: "alice", may: ["rollback", "resume", "pause", "unpause", "confirm-prune"] };
    case "/overview":
      return mockOverview(rows);
    case "/addons":
      return mockAddons(rows);
    case "/objects":
      return rows;
    case "/object":
      return row === undefined ? undefined : mockDetail(row, rows);
    case "/revisions":
      return MOCK_REVISIONS;
    case "/diff":
      return mockDiff(Number(url.searchParams.get("from")), Number(url.searchParams.get("to")));
    case "/preview":
      return {
        summary: "12 objects change, 1 is deleted.",
        steps: mockDiff(1, 2).objects.map(({ object, changes }) => ({
          action: "apply",
          object,
          reason: "differs in revision 11",
          changes,
        })),
        more: 0,
        warnings: ["Changes of the directory wait until somebody resumes."],
        digest: "v1:plan",
      };
    default:
      return url.pathname.startsWith("/actions/") ? { message: "Done." } : undefined;
  }
}

function stream(rows: Rows, response: ServerResponse): void {
  response.setHeader("Content-Type", "text/event-stream");
  const send = (event: string, value: object): void => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
  };
  send("hello", { instance: "node-1_4711" });
  send("overview", { overview: mockOverview(rows) });
  let id = 100;
  const timer = setInterval(() => {
    response.write(": still here\n\n");
    const [entry] = mockTimeline(rows);
    id += 1;
    if (id % 4 === 0) send("timeline", { entry: { ...entry, id, at: new Date().toISOString() } });
  }, 4000);
  response.on("close", () => clearInterval(timer));
}
