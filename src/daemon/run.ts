import { systemClock, Watchdog } from "../async/index.ts";
import { isAborted, type KeelsonError } from "../errors/index.ts";
import { createEventRecorder } from "../kube/index.ts";
import { ChangeLog, startMessage } from "../log/index.ts";
import type { Figures, Metrics } from "../metrics/index.ts";
import { ApiHealth, connect, instanceName } from "./connect.ts";
import { buildControllers, type RunnableController, requireSettings } from "./controllers.ts";
import { Dashboard, type DashboardOptions } from "./dashboard/index.ts";
import { openJournal } from "./journal.ts";
import type { OperationIo } from "./operations.ts";
import { serve } from "./serving.ts";
import type { Settings } from "./settings.ts";

/** Runs the daemon until `io.signal` fires; the exit code. */
export async function run(settings: Settings, io: OperationIo): Promise<number> {
  const { log, signal } = io;
  requireSettings(settings, io);
  log.info(startMessage(systemClock.now(), settings.intervalMs));
  if (settings.kubectlBin !== undefined) log.info("KUBECTL_BIN is ignored: Keelson talks to the API server itself");
  const health = new ApiHealth();
  const watchdog = new Watchdog(systemClock, ({ name, stuck = "" }) =>
    log.error(`The loop ${name} is stuck: ${stuck}`),
  );
  let controllers: readonly RunnableController[] = [];
  const metrics = await loadMetrics(settings, io, () => ({
    isApiReachable: health.isAnswering,
    stuckLoops: watchdog.loops().filter(({ stuck }) => stuck !== undefined).length,
    controllers: controllers.map((controller) => controller.figures()),
  }));
  const client = await connect(settings, io, { health, meter: metrics?.requests });
  const recorder = createEventRecorder({
    client,
    clock: systemClock,
    instance: settings.hostname,
    onForbidden: sayForbidden(new ChangeLog(log)),
  });
  const instance = instanceName(settings);
  const journal = openJournal(settings, log, instance);
  const dashboard = buildDashboard(settings, io, {
    client,
    health,
    journal,
    instance,
    view: () => controllers.map((controller) => controller.view?.()).find((view) => view !== undefined),
  });
  const { spectator } = dashboard ?? {};
  const shared = { client, recorder, health, watchdog, metrics, spectator, io, journal, instance };
  controllers = buildControllers(settings, shared);
  const stopRescan = io.onRescan(() => {
    for (const controller of controllers) controller.rescan();
  });
  const stop = new AbortController();
  const all = AbortSignal.any([signal, stop.signal]);
  watchdog.run(all).catch(() => {});
  const serving = serve(settings, { log, controllers, watchdog, metrics, dashboard, client }, all);
  try {
    await runAll(controllers, stop, all);
    log.info("Stopped");
    return 0;
  } catch (error) {
    if (isAborted(error) && signal.aborted) return 0;
    throw error;
  } finally {
    stopRescan();
    stop.abort();
    recorder.close();
    journal.close();
    await serving;
    client.close();
  }
}

/** Each refusal once: its message names verb, resource and namespace. */
function sayForbidden(said: ChangeLog): (error: KeelsonError) => void {
  return ({ message }) => said.report({ key: message, level: "warn", message: `Events cannot be written: ${message}` });
}

/** One that fails ends the others in good order; its error is thrown when all have ended. */
async function runAll(
  controllers: readonly RunnableController[],
  stop: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const runs = controllers.map((controller) => controller.run(signal).finally(() => stop.abort()));
  const results = await Promise.allSettled(runs);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Nothing of it is loaded where nothing is served. */
async function loadMetrics(
  { httpAddress }: Settings,
  { version }: OperationIo,
  figures: () => Figures,
): Promise<Metrics | undefined> {
  if (httpAddress === undefined) return undefined;
  const { Metrics } = await import("../metrics/index.ts");
  return new Metrics({ version, figures, now: () => systemClock.now() });
}

/** The dashboard shows the add-on controller; undefined where there is none, or nothing is served. */
function buildDashboard(
  settings: Settings,
  { log, version }: OperationIo,
  ports: Pick<DashboardOptions, "client" | "health" | "view" | "journal" | "instance">,
): Dashboard | undefined {
  if (settings.httpAddress === undefined || !settings.controllers.includes("addon")) return undefined;
  const { addonPath: path, set, revisionNamespace } = settings;
  return new Dashboard({ ...ports, log, version, path, set, revisionNamespace });
}
