/**
 * # http/dashboard: the dashboard's API and pages
 *
 * Routes for the pages that the build made of `ui/`, for the JSON that they show (`types.ts`, shared with them), for
 * server-sent events (`live-hub.ts`), and for actions. What is shown and done comes through the ports of `ports.ts`.
 *
 * Invariants: without an open page nothing is computed, remembered or asked; an action does what its preview showed or
 * nothing; what a client sends is checked before it goes further; no value of a Secret gets here.
 *
 * It does not know engine, history or cluster, and decides no right: the server does.
 */
export type { Actor, DashboardActions, DashboardListener, DashboardSource } from "./ports.ts";
export { type DashboardOptions, dashboardRoutes } from "./routes.ts";
export type * from "./types.ts";
export { OBJECT_STATES } from "./types.ts";
