/**
 * # daemon/dashboard: what the dashboard sees and does
 *
 * Fills the ports of `http/dashboard`: looks on while the add-on controller works (`source.ts`, with a bounded
 * `timeline.ts`), and does what people ask for (`actions.ts`).
 *
 * Invariants: without a page nothing but the timeline costs anything; the API server is asked only for the page of one
 * object, for revisions, and by actions.
 *
 * It decides nothing about objects, and checks no rights.
 */
export { Dashboard, type DashboardOptions } from "./dashboard.ts";
