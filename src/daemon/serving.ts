import { hostname } from "node:os";
import { systemClock, type Watchdog } from "../async/index.ts";
import {
  CertificateFiles,
  type CertificateSource,
  type HealthComponent,
  HttpServer,
  healthRoutes,
  isLoopbackName,
  LoopbackAccess,
  metricsRoute,
  ReviewAccess,
  type Route,
  SelfSignedCertificate,
} from "../http/index.ts";
import type { KubeClient } from "../kube/index.ts";
import type { Logger } from "../log/index.ts";
import type { Metrics } from "../metrics/index.ts";
import type { RunnableController } from "./controllers.ts";
import type { Dashboard } from "./dashboard/index.ts";
import type { Settings } from "./settings.ts";

/** What is served. */
export interface Served {
  readonly log: Logger;
  /** Asked who a client is and what they may: of everyone beyond loopback, of who sends a token on it. */
  readonly client: KubeClient;
  readonly controllers: readonly RunnableController[];
  readonly watchdog: Watchdog;
  readonly metrics: Metrics | undefined;
  readonly dashboard: Dashboard | undefined;
}

/** Serves the daemon's pages until `signal` fires; at once where the settings say `off`. */
export async function serve(settings: Settings, served: Served, signal: AbortSignal): Promise<void> {
  const { httpAddress } = settings;
  if (httpAddress === undefined) return;
  const { log, client } = served;
  const { host, port } = httpAddress;
  const reviews = new ReviewAccess({ api: client, clock: systemClock, log });
  const access = isLoopbackName(host) ? new LoopbackAccess(reviews) : reviews;
  const certificate = certificateOf(settings, host);
  const server = new HttpServer({ host, port, routes: routesOf(served), log, certificate, access });
  await server.run(signal);
}

/** Files where they are given; beyond loopback nothing goes out in the clear. */
function certificateOf({ httpTlsCert, httpTlsKey }: Settings, host: string): CertificateSource | undefined {
  if (httpTlsCert !== undefined && httpTlsKey !== undefined) return new CertificateFiles(httpTlsCert, httpTlsKey);
  if (isLoopbackName(host)) return undefined;
  return new SelfSignedCertificate([...new Set(["localhost", hostname(), host])], systemClock);
}

/** Every page of the daemon. */
function routesOf({ controllers, watchdog, metrics, dashboard }: Served): readonly Route[] {
  return [
    ...healthRoutes({
      components: () => controllers.flatMap((controller) => controller.components()),
      loops: () => loopComponents(watchdog),
    }),
    ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
    ...(dashboard?.routes() ?? []),
  ];
}

function loopComponents(watchdog: Watchdog): readonly HealthComponent[] {
  return watchdog.loops().map(({ name, stuck }) => ({ name, ok: stuck === undefined, message: stuck ?? "goes round" }));
}
