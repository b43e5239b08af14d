import { systemClock, type Watchdog } from "../async/index.ts";
import {
  AddonController,
  type AddonOptions,
  type AddonView,
  type LeaderReport,
  type Spectator,
} from "../controllers/addon/index.ts";
import {
  requireEnvironment,
  type SriovHealth,
  SriovOperatorConfigController,
} from "../controllers/sriov-operator-config/index.ts";
import { assertNever, KeelsonError } from "../errors/index.ts";
import type { Journal } from "../history/index.ts";
import type { EventRecorder, KubeClient } from "../kube/index.ts";
import {
  CONTROLLER_MANAGER_LEASE,
  LEASE_NAMESPACE,
  type LeaderElector,
  ownLeaseName,
} from "../leader-election/index.ts";
import { TemplateFolder } from "../manifest/index.ts";
import type { ControllerFigures, Metrics } from "../metrics/index.ts";
import { bundledTemplates } from "./bundled-templates.ts";
import { type ApiHealth, buildElector, buildSriovElector } from "./connect.ts";
import type { OperationIo } from "./operations.ts";
import { prunePolicy } from "./prune-policy.ts";
import type { ControllerName, Settings } from "./settings.ts";
import { toolingOf } from "./single-pass.ts";
import { addonSource, admissionSource } from "./sources.ts";

/** What the daemon does with a controller, whichever it is. */
export interface RunnableController {
  run(signal: AbortSignal): Promise<void>;
  /** Reads its files again now (SIGHUP). */
  rescan(): void;
  /** The parts of health. */
  components(): readonly SriovHealth[];
  /** How things stand, in numbers. */
  figures(): ControllerFigures;
  /** A look into the add-on controller. */
  view?(): AddonView | undefined;
}

/** What all controllers of one process share. */
export interface SharedPorts {
  readonly client: KubeClient;
  readonly recorder: EventRecorder;
  readonly health: ApiHealth;
  /** What the addon controller writes goes down there. */
  readonly journal: Journal;
  /** Name of this process. */
  readonly instance: string;
  readonly watchdog: Watchdog;
  /** Undefined where nothing is served. */
  readonly metrics: Metrics | undefined;
  /** Looks on while the add-on controller works. */
  readonly spectator: Spectator | undefined;
  readonly io: OperationIo;
}

/** Builds the controllers that the settings ask for. @throws KeelsonError InvalidFlag where a setting of one is wrong */
export function buildControllers(settings: Settings, shared: SharedPorts): readonly RunnableController[] {
  return settings.controllers.map((name) => buildController(name, settings, shared));
}

/** Refuses settings that a controller cannot start with, before anything is connected. */
export function requireSettings(settings: Settings, io: Pick<OperationIo, "environment">): void {
  if ((settings.httpTlsCert === undefined) !== (settings.httpTlsKey === undefined)) {
    throw new KeelsonError("InvalidFlag", "--http-tls-cert and --http-tls-key belong together: give both, or neither");
  }
  if (!settings.controllers.includes("sriov-operator-config")) return;
  requireEnvironment(io.environment);
  manifestsOf(settings);
}

function buildController(name: ControllerName, settings: Settings, shared: SharedPorts): RunnableController {
  switch (name) {
    case "addon":
      return buildAddon(settings, shared);
    case "sriov-operator-config":
      return buildSriov(settings, shared);
    default:
      return assertNever(name);
  }
}

function buildAddon(settings: Settings, shared: SharedPorts): AddonController {
  const { client, recorder, health, io, journal, instance, watchdog, metrics, spectator } = shared;
  const { log } = io;
  const elector = counted(buildElector(settings, client, log), "addon", metrics);
  return new AddonController(
    {
      client,
      clock: systemClock,
      log,
      recorder,
      source: addonSource(settings, systemClock, watchdog.heart("source")),
      admission: admissionSource(settings),
      elector,
      health,
      journal,
      watchdog,
      meter: metrics?.engine("addon"),
      spectator,
    },
    addonOptions(settings, instance, io),
  );
}

function addonOptions(settings: Settings, instance: string, io: OperationIo): AddonOptions {
  return {
    path: settings.addonPath,
    intervalMs: settings.intervalMs,
    prune: prunePolicy(settings),
    set: settings.set,
    instance,
    isUnelected: settings.leaderElect === "always",
    admissionWait: settings.admissionWait,
    revisions: { namespace: settings.revisionNamespace, limit: settings.revisions },
    tooling: settings.applySet ? toolingOf(io) : undefined,
    leader: leaderOf(settings),
  };
}

/** How this instance comes to act, for those who read the status. */
function leaderOf({ leaderElect, set }: Settings): LeaderReport {
  switch (leaderElect) {
    case "lease":
      return { election: "lease", lease: `${LEASE_NAMESPACE}/${ownLeaseName(set)}` };
    case "follow":
      return { election: "follow", lease: `${LEASE_NAMESPACE}/${CONTROLLER_MANAGER_LEASE}` };
    case "always":
      return { election: "always" };
    default:
      return assertNever(leaderElect);
  }
}

function buildSriov(settings: Settings, shared: SharedPorts): SriovOperatorConfigController {
  const { client, recorder, io, watchdog, metrics } = shared;
  const { log, environment } = io;
  const { namespace } = requireEnvironment(environment);
  return new SriovOperatorConfigController({
    client,
    clock: systemClock,
    log,
    recorder,
    elector: counted(buildSriovElector(settings, client, { log, namespace }), "sriov-operator-config", metrics),
    watchdog,
    meter: metrics?.engine("sriov-operator-config"),
    templates: new TemplateFolder(manifestsOf(settings)),
    environment: () => environment,
  });
}

/** Terms of leadership are counted from the outside: electors know nothing of metrics. */
function counted(elector: LeaderElector, name: ControllerName, metrics: Metrics | undefined): LeaderElector {
  elector.onChange(({ kind }) => metrics?.led(name, kind === "leading"));
  metrics?.led(name, elector.state.kind === "leading");
  return elector;
}

function manifestsOf(settings: Settings): string {
  return settings.sriovManifests ?? bundledTemplates();
}
