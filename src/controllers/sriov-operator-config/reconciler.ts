import { Backoff, type Clock, type Heart, Signal, type Watchdog } from "../../async/index.ts";
import { Engine, meteredListener, type PrunePolicy } from "../../converge/index.ts";
import { isAborted, KeelsonError, messageOf } from "../../errors/index.ts";
import type { EventRecorder, KubeClient } from "../../kube/index.ts";
import { type LeaderElector, type LeadingTerm, runWhileLeading } from "../../leader-election/index.ts";
import { ChangeLog, type Logger } from "../../log/index.ts";
import type { ControllerFigures, EngineMeter } from "../../metrics/index.ts";
import { apiVersionOf } from "../../object/index.ts";
import type { RenderContext } from "./components.ts";
import { type OperatorConfig, parseConfig } from "./config.ts";
import { desiredOperands, NOTHING_ASKED, type RenderedComponent, type Templates } from "./desired.ts";
import { type Environment, readEnvironment, requireEnvironment } from "./environment.ts";
import { ignoreFailures } from "./failure-policies.ts";
import { FeatureGates } from "./feature-gates.ts";
import { ensureFinalizer, removeFinalizer } from "./finalizer.ts";
import {
  CONFIG_NAME,
  CONFIGS,
  FINALIZER,
  MACHINE_CONFIG,
  MACHINE_CONFIG_NAME,
  OPERAND_KINDS,
  sriovIdentity,
} from "./identity.ts";
import { detectPlatform, type Platform } from "./platform.ts";
import { PolicyWatch } from "./policies.ts";
import { Reporter } from "./reporter.ts";
import { type ConfigStatus, configStatus } from "./status.ts";
import { StatusWriter } from "./status-writer.ts";
import { deleteClusterObjects } from "./teardown.ts";
import { Verbosity } from "./verbosity.ts";
import { watchConfig } from "./watches.ts";

/** What the controller is handed. */
export interface SriovPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly elector: LeaderElector;
  readonly templates: Templates;
  /** The operator's variables; read anew at each reconcile. */
  readonly environment: () => Environment;
  /** Counts what happens; default: nobody does. */
  readonly meter?: EngineMeter | undefined;
  /** Told that the loops go round; default: nobody is. */
  readonly watchdog?: Watchdog | undefined;
}

/** How it works. Durations are milliseconds. */
export interface SriovOptions {
  /** Everything is looked at again so often; default 5 minutes. */
  readonly resyncMs?: number;
  /** Between two self-checks of the engine; default 5 minutes, 0 switches them off. */
  readonly selfCheckMs?: number;
}

/** One part of health. */
export interface SriovHealth {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

const MINUTES_5 = 5 * 60_000;
const STOP_WITHIN_MS = 5_000;
/** Far longer than one reconcile takes, whose requests are all repeated until they time out. */
const RECONCILE_WITHIN_MS = 15 * 60_000;
/** Changes of the config that come faster are taken together. */
const TOGETHER_MS = 120;
const RETRY = { baseMs: 500, maxMs: MINUTES_5 } as const;

/** Whatever leaves the set is deleted at once: the config says so, and no file can be half written. */
const PRUNE: PrunePolicy = {
  kinds: OPERAND_KINDS,
  allKinds: true,
  isOff: false,
  legacy: "hold",
  limit: undefined,
  settleMs: 0,
};

/** Keeps everything that the SR-IOV operator's config asks for in the cluster, until stopped. */
export class SriovOperatorConfigController {
  /** The gates of the current config, shared with whoever asks. */
  readonly gates: FeatureGates = new FeatureGates();
  readonly #ports: SriovPorts;
  readonly #options: SriovOptions;
  readonly #namespace: string;
  readonly #said: ChangeLog;
  readonly #verbosity: Verbosity;
  readonly #wake: Signal = new Signal();
  readonly #engine: Engine;
  readonly #reporter: Reporter;
  readonly #writer: StatusWriter;
  readonly #policies: PolicyWatch;
  #platform: Platform | undefined;
  /** undefined: not there. */
  #config: OperatorConfig | undefined;
  #isConfigKnown = false;
  #unavailable: string | undefined = "not read yet";
  /** What the last reconcile was about; another one is due where it differs. */
  #trigger = "";
  #components: readonly RenderedComponent[] = [];
  #componentOf: ReadonlyMap<string, string> = new Map();
  #errors: readonly KeelsonError[] = [];
  #isPruning = false;
  #isResyncDue = false;

  /** @throws KeelsonError InvalidFlag that names the variable which is missing or malformed */
  constructor(ports: SriovPorts, options: SriovOptions = {}) {
    const { client, clock, log, recorder, environment } = ports;
    this.#ports = ports;
    this.#options = options;
    this.#namespace = requireEnvironment(environment()).namespace;
    this.#said = new ChangeLog(log);
    this.#verbosity = new Verbosity(log);
    this.#reporter = new Reporter({
      log,
      said: this.#said,
      recorder,
      config: () => this.#config,
      componentOf: (key) => this.#componentOf.get(key),
      onStatus: () => this.#writer.changed(),
    });
    this.#policies = new PolicyWatch(
      { client, clock, namespace: this.#namespace },
      { onAvailability: (error) => this.#onPolicies(error) },
    );
    this.#engine = new Engine(
      { client, clock, identity: sriovIdentity(this.#namespace), watchdog: ports.watchdog },
      {
        prune: PRUNE,
        listener: meteredListener(this.#reporter, ports.meter),
        selfCheckMs: options.selfCheckMs ?? MINUTES_5,
        unwatched: [MACHINE_CONFIG],
        isEager: true,
      },
    );
    this.#writer = new StatusWriter({
      client,
      clock,
      config: () => (this.#config?.isDeleting === true ? undefined : this.#config),
      status: () => this.#status(),
      isBusy: () => this.#engine.plan().steps.length > this.#engine.status().failures.size,
      onWritten: (status) => this.#reporter.status(status),
      onError: (error) =>
        this.#said.report({ key: "status", level: "warn", message: `the status cannot be written: ${error.message}` }),
    });
  }

  /** Runs until `signal` fires; resolves when everything in flight has ended. Rejects where the platform cannot be told. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, elector, environment } = this.#ports;
    try {
      this.#platform = await detectPlatform(client, readEnvironment(environment()), signal);
      this.#engine.setPrune(false);
      this.#engine.start(signal);
      this.#declareNothing().catch(() => {});
      watchConfig({ client, clock, namespace: this.#namespace }, this.#configListener(), signal).catch(() => {});
      this.#policies.run(signal).catch(() => {});
      await runWhileLeading({ elector, signal, work: (term) => this.#lead(term, signal) });
    } catch (error) {
      if (!signal.aborted || !isAborted(error)) throw error;
    }
  }

  /** Renders the templates again now (SIGHUP). */
  rescan(): void {
    this.#trigger = "";
    this.#wake.notify();
  }

  /** The parts of health, for `/readyz`. */
  components(): readonly SriovHealth[] {
    const { state } = this.#ports.elector;
    const { isSynced, isReachable } = this.#engine.health;
    const { holder = "nobody" } = { holder: "holder" in state ? state.holder : undefined };
    return [
      { name: "sriov-api", ok: isReachable, message: isReachable ? "reachable" : "unreachable" },
      {
        name: "sriov-config",
        ok: this.#unavailable === undefined,
        message: this.#unavailable ?? (this.#config === undefined ? "there is none" : "read"),
      },
      { name: "sriov-caches", ok: isSynced, message: isSynced ? "synced" : "not synced" },
      { name: "sriov-leader", ok: state.kind !== "unknown", message: `${state.kind}: ${holder}` },
    ];
  }

  /** How things stand, in numbers; walks over all objects. */
  figures(): ControllerFigures {
    const isLeading = this.#ports.elector.state.kind === "leading";
    const faults = this.#components.reduce((sum, { errors }) => sum + errors.length, this.#errors.length);
    const problems = faults + (this.#unavailable === undefined ? 0 : 1);
    return { controller: "sriov-operator-config", isLeading, problems, ...this.#engine.figures() };
  }

  #configListener(): Parameters<typeof watchConfig>[1] {
    return {
      onConfig: (config) => {
        this.#config = config;
        this.#isConfigKnown = true;
        this.#unavailable = undefined;
        this.#said.clear("config");
        if (this.#trigger !== triggerOf(config)) this.#wake.notify();
      },
      onUnavailable: (error) => {
        this.#unavailable = error.message;
        const message = `SriovOperatorConfig cannot be read: ${error.message}; is its definition installed?`;
        this.#said.report({ key: "config", level: "warn", message });
      },
    };
  }

  /** One term of leadership. */
  async #lead(term: LeadingTerm, stop: AbortSignal): Promise<void> {
    const { client, log } = this.#ports;
    // Requests in flight are aborted at once when the lead is lost, and may finish when we are asked to stop.
    const writing = new AbortController();
    term.signal.addEventListener("abort", () => {
      if (!stop.aborted) writing.abort(term.signal.reason);
    });
    this.#trigger = "";
    this.#wake.notify();
    log.info(`Leading: SriovOperatorConfig ${this.#namespace}/default`);
    try {
      this.#engine.lead(writing.signal);
      this.#writer.start(term.signal);
      await this.#loop(term.signal);
    } finally {
      if (stop.aborted) {
        const soon = AbortSignal.timeout(STOP_WITHIN_MS);
        await this.#engine.drain(STOP_WITHIN_MS);
        await this.#writer.flush(soon).catch(() => {});
        await ignoreFailures(client, log, soon);
      }
      writing.abort(new KeelsonError("Aborted", "stopped"));
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const heart = this.#ports.watchdog?.heart("reconcile");
    await this.#reconcileForever(heart, signal).finally(() => heart?.stop());
  }

  async #reconcileForever(heart: Heart | undefined, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports;
    const backoff = new Backoff(RETRY, clock);
    let waitMs = this.#options.resyncMs ?? MINUTES_5;
    for (;;) {
      heart?.expect("waiting for changes", waitMs + RECONCILE_WITHIN_MS);
      const cancel = clock.after(waitMs, () => this.#wakeForResync());
      await this.#wake.wait(signal).finally(cancel);
      waitMs = this.#options.resyncMs ?? MINUTES_5;
      if (!this.#isConfigKnown) continue;
      heart?.expect("reconciling", RECONCILE_WITHIN_MS);
      try {
        await this.#reconcile(signal);
        this.#said.clear("reconcile");
        backoff.reset();
      } catch (error) {
        if (isAborted(error)) throw error;
        this.#trigger = "";
        waitMs = backoff.next();
        const message = `reconcile failed: ${messageOf(error)}`;
        if (this.#said.report({ key: "reconcile", level: "error", message })) {
          this.#reporter.event("Warning", "ReconcileFailed", message);
        }
      }
      log.debug("reconciled", { components: this.#components.length });
      await clock.sleep(TOGETHER_MS, signal);
    }
  }

  #wakeForResync(): void {
    this.#isResyncDue = true;
    this.#wake.notify();
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    const config = this.#config;
    const isResync = this.#isResyncDue;
    this.#isResyncDue = false;
    // The event of our own finalizer may come before the answer to its patch.
    if (!isResync && this.#trigger === triggerOf(config)) return;
    this.#trigger = triggerOf(config);
    if (config === undefined) {
      this.#ports.log.info("Reconciling SriovOperatorConfig: there is none");
      this.#warmUp();
      await this.#declareNothing();
      return;
    }
    this.#verbosity.write(0, "Reconciling SriovOperatorConfig", { object: `${config.namespace}/${config.name}` });
    this.#verbosity.set(config.spec.logLevel);
    if (config.isDeleting) await this.#tearDown(config, signal);
    else await this.#keep(config, { isResync, signal });
  }

  async #keep(found: OperatorConfig, how: { readonly isResync: boolean; readonly signal: AbortSignal }): Promise<void> {
    const { client, templates } = this.#ports;
    const config = await ensureFinalizer(client, found, how.signal);
    if (config !== found) this.#trigger = config.trigger;
    this.gates.init(config.spec.featureGates);
    this.#verbosity.write(1, "Feature gates", { enabled: String(this.gates) });
    if (!config.spec.enableInjector) this.#verbosity.write(0, "SR-IOV network resources injector is disabled");
    if (!config.spec.enableOperatorWebhook) this.#verbosity.write(0, "SR-IOV operator webhook is disabled");
    this.#verbosity.write(2, "Policies by priority", { policies: this.#policies.names().join(", ") });
    this.#verbosity.write(1, "Start to sync webhook objects");
    const { input, components } = desiredOperands(templates, this.#renderContext(config));
    this.#components = components;
    this.#componentOf = new Map(components.flatMap(({ name, keys }) => keys.map((key) => [key, name])));
    await this.#engine.declare(input);
    // Only now is it known what belongs here: with prune on before, everything would have counted as left.
    if (!this.#isPruning || how.isResync) {
      this.#isPruning = true;
      this.#engine.setPrune(true);
      await this.#engine.pass();
    }
    const { remarks } = this.#engine.status();
    this.#reporter.components(
      components,
      remarks.filter(({ code }) => code === "NoMatch").map(({ key }) => key),
    );
    this.#writer.changed();
  }

  /** Nothing follows from the policies here; that they cannot be read is worth knowing all the same. */
  #onPolicies(error: KeelsonError | undefined): void {
    this.#errors = error === undefined ? [] : [error];
    if (error === undefined) this.#said.clear("policies");
    else {
      const message = `the SriovNetworkNodePolicies cannot be listed: ${error.message}`;
      this.#said.report({ key: "policies", level: "warn", message });
    }
    this.#writer.changed();
  }

  /** The config is going: what it made goes first. The finalizer stays until nothing is left to do. */
  async #tearDown(config: OperatorConfig, signal: AbortSignal): Promise<void> {
    const { client, templates, log } = this.#ports;
    if (!config.finalizers.includes(FINALIZER)) {
      await this.#declareNothing();
      return;
    }
    const { input, components } = desiredOperands(templates, this.#renderContext(config));
    const known = [...this.#engine.records.values()].filter(({ isProven }) => isProven).map(({ key }) => key);
    await this.#declareNothing();
    await this.#engine.whenIdle();
    const keys = [...components.flatMap((component) => component.keys), ...known];
    await deleteClusterObjects({ client, keys, signal });
    if (this.#platform?.isOpenshift === true && input.declared.length > 0) {
      const note = `MachineConfig ${MACHINE_CONFIG_NAME} is left where it exists: removing it reboots nodes; delete it by hand when that suits`;
      log.info(note);
      this.#reporter.event("Normal", "MachineConfigKept", note);
    }
    await removeFinalizer(client, config, signal);
    log.info("SriovOperatorConfig is gone: its webhooks and cluster-scoped objects are deleted");
  }

  async #declareNothing(): Promise<void> {
    this.#isPruning = false;
    this.#engine.setPrune(false);
    this.#components = [];
    this.#componentOf = new Map();
    await this.#engine.declare(NOTHING_ASKED);
  }

  /** Has the templates parsed and all this compiled while nothing is in a hurry; the result is of no use. */
  #warmUp(): void {
    const metadata = { name: CONFIG_NAME, namespace: this.#namespace };
    const config = parseConfig({ apiVersion: apiVersionOf(CONFIGS), kind: CONFIGS.kind, metadata });
    desiredOperands(this.#ports.templates, this.#renderContext(config));
  }

  #renderContext(config: OperatorConfig): RenderContext {
    const platform = this.#platform ?? { isOpenshift: false, isHypershift: false };
    return { environment: readEnvironment(this.#ports.environment()), platform, config, gates: this.gates };
  }

  #status(): ConfigStatus | undefined {
    const config = this.#config;
    if (config === undefined || this.#components.length === 0) return undefined;
    const plan = this.#engine.plan();
    return configStatus({
      generation: config.generation,
      components: this.#components,
      engine: this.#engine.status(plan),
      plan,
      errors: this.#errors,
      previous: config.status,
      now: this.#ports.clock.now(),
    });
  }
}

/** Something that is never a trigger of a config stands for its absence. */
function triggerOf(config: OperatorConfig | undefined): string {
  return config === undefined ? "none" : config.trigger;
}
