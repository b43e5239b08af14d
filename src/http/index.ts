/**
 * # http: what the daemon serves
 *
 * A small server made of routes ({@link Route}): probes, metrics, and whatever a folder beside it adds. A request passes
 * the guards of `answer.ts` in a fixed order (host, path, method, origin, access, body) before a route sees it.
 *
 * Invariants: a client can neither hold resources for long nor stop the work, nor keep a probe out; no page of another
 * origin can make a browser act here; beyond loopback nothing but what is `open` is answered without the right to it; what
 * a route throws is told to the log alone; everything is closed at once when it is stopped.
 *
 * It does not know what is healthy, or who may do what: ports tell ({@link HealthSource}, {@link AccessControl}).
 */
export type { AccessControl, Identity, Permit } from "./access.ts";
export { CertificateFiles, type CertificateSource, SelfSignedCertificate } from "./certificate.ts";
export * from "./dashboard/index.ts";
export { type HealthComponent, type HealthSource, healthRoutes } from "./health.ts";
export { HttpServer, type HttpServerOptions } from "./http-server.ts";
export { LoopbackAccess } from "./loopback-access.ts";
export { type MetricsSource, metricsRoute } from "./metrics-route.ts";
export { isLoopbackName } from "./request-guards.ts";
export { ReviewAccess, type ReviewAccessOptions } from "./review-access.ts";
export type { ReviewApi } from "./reviews.ts";
export type {
  Access,
  Reply,
  ReplyStream,
  Route,
  RouteMethod,
  RouteRequest,
} from "./route.ts";
