import { type Clock, systemClock } from "../../async/index.ts";
import { KeelsonError } from "../../errors/index.ts";
import { digestOf } from "../../object/index.ts";
import type { Reply, Route, RouteRequest } from "../route.ts";
import { ACTION_NAMES, parseActionOrder, parseActionRequest } from "./action-body.ts";
import { LiveHub } from "./live-hub.ts";
import { pageRoutes } from "./pages.ts";
import type { Actor, DashboardActions, DashboardSource } from "./ports.ts";
import { answering, errorAnswer } from "./reply.ts";
import type { ActionName, ActionPreview, ActionRequest, Me } from "./types.ts";

/** Where the API stands. */
const API_PATH = "/api/v1";

/** What {@link dashboardRoutes} serves. */
export interface DashboardOptions {
  readonly source: DashboardSource;
  readonly actions: DashboardActions;
  /** The folder of the built pages; undefined where the program came without. */
  readonly pages: string | undefined;
  /** Default the system clock. */
  readonly clock?: Clock;
}

/**
 * The dashboard: pages at `/`, JSON and server-sent events below `/api/v1`. An action is a POST that carries the header
 * `x-keelson-action: 1`, to a path of its own, so that the right to it can be given apart, and with the digest of the
 * preview that the person saw: anything else than what was shown is refused.
 */
export function dashboardRoutes(options: DashboardOptions): readonly Route[] {
  return [...pageRoutes(options.pages), ...readRoutes(options), ...actionRoutes(options.actions)];
}

function readRoutes({ source, clock = systemClock }: DashboardOptions): readonly Route[] {
  const hub = new LiveHub(source, clock);
  const get = (path: string, answer: (request: RouteRequest) => unknown): Route => ({
    path: `${API_PATH}${path}`,
    respond: (request) => answering(request, () => answer(request)),
  });
  return [
    get("/me", whoAsks),
    get("/overview", () => source.overview()),
    get("/addons", () => source.addons()),
    get("/objects", () => source.rows()),
    get("/object", ({ query, signal }) => source.object(query.get("key") ?? "", signal)),
    get("/revisions", ({ signal }) => source.revisions(signal)),
    get("/diff", ({ query, signal }) => source.diff(revisionIn(query, "from"), revisionIn(query, "to"), signal)),
    {
      path: `${API_PATH}/events`,
      respond: () => ({
        status: 200,
        contentType: "text/event-stream; charset=utf-8",
        headers: { "x-accel-buffering": "no" },
        body: (out) => hub.stream(out),
      }),
    },
  ];
}

function actionRoutes(actions: DashboardActions): readonly Route[] {
  // Whoever may read may see what would happen.
  const preview: Route = {
    path: `${API_PATH}/preview`,
    respond: (request) => {
      const asked = parseActionRequest(jsonOf(request.query.get("request")));
      if (asked === undefined) return errorAnswer(400, "request: is no action");
      return answering(request, () => previewOf(actions, asked, request));
    },
  };
  return [preview, ...ACTION_NAMES.map((name) => actionRoute(name, actions))];
}

function actionRoute(name: ActionName, actions: DashboardActions): Route {
  return {
    method: "POST",
    path: actionPath(name),
    respond: (request) => {
      const order = parseActionOrder(name, request.body);
      if (order === undefined) return errorAnswer(400, `the body is no order to ${name}`);
      return unlessForeign(request, () =>
        answering(request, async () => {
          const { digest, refused } = await previewOf(actions, order.request, request);
          if (refused !== undefined) throw new KeelsonError("Refused", refused);
          if (digest !== order.digest) throw new KeelsonError("Refused", MOVED);
          return actions.act(order.request, actorOf(request));
        }),
      );
    },
  };
}

const MOVED = "what would happen is no longer what was shown: nothing was done; look at it again";

/** No form can set a header, and a script of another origin may not without asking first, which is always refused. */
function unlessForeign(request: RouteRequest, answer: () => Promise<Reply>): Reply | Promise<Reply> {
  return request.header("x-keelson-action") === "1"
    ? answer()
    : errorAnswer(403, "actions carry the header x-keelson-action: 1");
}

async function previewOf(
  actions: DashboardActions,
  asked: ActionRequest,
  request: RouteRequest,
): Promise<ActionPreview> {
  const preview = await actions.preview(asked, actorOf(request));
  const { kind } = asked;
  return { ...preview, digest: digestOf([kind, preview.summary, preview.steps, preview.more, preview.refused ?? ""]) };
}

async function whoAsks(request: RouteRequest): Promise<Me> {
  const allowed = await Promise.all(ACTION_NAMES.map((name) => request.isAllowed("POST", actionPath(name))));
  return { user: request.user, may: ACTION_NAMES.filter((_, index) => allowed[index]) };
}

function actionPath(name: ActionName): string {
  return `${API_PATH}/actions/${name}`;
}

function actorOf({ user, signal }: RouteRequest): Actor {
  return { user, signal };
}

function revisionIn(query: URLSearchParams, name: string): number {
  const number = Number(query.get(name));
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new KeelsonError("NotFound", `${name}: no revision is called that`, { disposition: "user" });
}

function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
