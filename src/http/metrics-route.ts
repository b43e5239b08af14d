import type { Route } from "./route.ts";

/** Where metrics come from; answered from memory. */
export interface MetricsSource {
  /** `accept` is the scraper's Accept header. */
  page(accept: string | undefined): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** `/metrics`, for who has the right to it. */
export function metricsRoute(source: MetricsSource): Route {
  return {
    path: "/metrics",
    respond: async (request) => {
      const { contentType, body } = await source.page(request.header("accept"));
      return { status: 200, contentType, headers: { vary: "accept" }, body };
    },
  };
}
