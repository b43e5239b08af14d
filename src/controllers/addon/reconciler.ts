import { type Clock, linkedController, type Watchdog } from "../../async/index.ts";
import type { Engine, EngineState, PrunePolicy } from "../../converge/index.ts";
import { isAborted, KeelsonError, messageOf } from "../../errors/index.ts";
import type { Journal } from "../../history/index.ts";
import { type EventRecorder, fencedClient, type KubeClient } from "../../kube/index.ts";
import { type LeaderElector, type LeadingTerm, runWhileLeading } from "../../leader-election/index.ts";
import { ChangeLog, type Logger } from "../../log/index.ts";
import type { ManifestSnapshot, Source } from "../../manifest/index.ts";
import type { ControllerFigures, EngineMeter } from "../../metrics/index.ts";
import { type AdmissionOptions, applyAdmissionControls } from "./admission.ts";
import type { ApplySetKeeper } from "./applyset-keeper.ts";
import { ChangeMemory } from "./change-memory.ts";
import { type Control, NOTHING_SAID, parseControl, watchControl } from "./control.ts";
import { type DesiredAddons, desiredAddons } from "./desired.ts";
import { controllerFigures } from "./figures.ts";
import { type Component, healthComponents } from "./health.ts";
import { namesOf, type SetNames } from "./identity.ts";
import { Occupation } from "./occupation.ts";
import { CONFIG_MAPS, type OwnConfigMap, readOwn } from "./own-config-map.ts";
import { buildParts, type Parts } from "./parts.ts";
import { pauseReport } from "./requests.ts";
import { decodeState, STATE_KEY, STATUS_KEY } from "./state.ts";
import { overviewOf, statusReport } from "./status.ts";
import type { LeaderReport, StatusReport } from "./status-reports.ts";
import { StatusWriter } from "./status-writer.ts";
import { untilAnswered } from "./until-answered.ts";
import type { AddonView, Spectator } from "./view.ts";

/** What the controller is handed. */
export interface AddonPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly source: Source;
  /** The admission controls' directory. */
  readonly admission: Pick<Source, "load">;
  readonly elector: LeaderElector;
  /** Whether the API server answered the last request; without it only failing writes tell. */
  readonly health?: { readonly isAnswering: boolean };
  /** Counts what happens; default: nobody does. */
  readonly meter?: EngineMeter | undefined;
  /** Told that the loops go round; default: nobody is. */
  readonly watchdog?: Watchdog | undefined;
  /** Without it nothing is put down. */
  readonly journal?: Pick<Journal, "append" | "flush" | "state">;
  readonly spectator?: Spectator | undefined;
}

/** How it works. Durations are milliseconds. */
export interface AddonOptions {
  /** Directory, for messages. */
  readonly path: string;
  readonly intervalMs: number;
  readonly prune: PrunePolicy;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  /** Unique to this process. */
  readonly instance: string;
  /** No election: a guard keeps a second instance off. */
  readonly isUnelected: boolean;
  readonly admissionWait: boolean;
  /** Where revisions are kept, and how many; none are made where it is left out. */
  readonly revisions?: { readonly namespace: string; readonly limit: number };
  /** Name and version of this program, where the set is to be an ApplySet, too. */
  readonly tooling?: string | undefined;
  /** How it comes to act, for the status. */
  readonly leader?: LeaderReport;
}

/** Of the five seconds that a stop may take: for what is under way, then for the status and the guard; the Lease takes the rest. */
const DRAIN_WITHIN_MS = 3_000;
const LAST_WRITES_WITHIN_MS = 800;
/** Far longer than a pass whose every look-up is repeated until it times out. */
const PASS_WITHIN_MS = 15 * 60_000;

/** Keeps a directory of add-ons true in a cluster, until stopped. */
export class AddonController {
  readonly #ports: AddonPorts;
  readonly #options: AddonOptions;
  readonly #names: SetNames;
  readonly #said: ChangeLog;
  #parts: Parts | undefined;
  #writer: StatusWriter | undefined;
  readonly #memory: ChangeMemory = new ChangeMemory();
  #snapshot: ManifestSnapshot | undefined;
  #addons: DesiredAddons | undefined;
  /** A term is on, and whatever had to be waited for is done. */
  #isActing = false;
  #waitingFor = "start";
  /** Speaks for the set: answers those who ask. */
  #isLeading = false;
  /** Throws where the term is over: asked before each write. */
  #check: () => void = () => {};

  constructor(ports: AddonPorts, options: AddonOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#names = namesOf(options.set);
    this.#said = new ChangeLog(ports.log);
  }

  /** Runs until `signal` fires; resolves when everything in flight has ended. Rejects with `AnotherInstance` where one answers. */
  async run(stop: AbortSignal): Promise<void> {
    // A source that fails (a fault of ours) ends everything: a daemon that no longer sees its directory must not look alive.
    const { controller, unlink } = linkedController(stop);
    const { signal } = controller;
    try {
      const stored = await this.#waitForCluster(signal);
      this.#memory.restore(stored?.data[STATUS_KEY]);
      const parts = this.#buildParts(decodeState(stored?.data[STATE_KEY]), signal);
      const { engine, applySet } = parts;
      if (applySet !== undefined) await this.#openApplySet(applySet, signal);
      this.#parts = parts;
      this.#writer = this.#buildWriter(parts, stored);
      engine.start(signal);
      this.#waitingFor = "what people have said";
      void this.#onControl(parts, await this.#readControl(signal));
      this.#waitingFor = "the directory";
      const watching = this.#ports.source.watch(
        {
          onSnapshot: (snapshot) => this.#onSnapshot(parts, snapshot),
          onWarning: (message) => this.#ports.log.warn(message),
        },
        signal,
      );
      watching.catch(() => controller.abort());
      const { client, clock, elector } = this.#ports;
      const names = this.#names;
      const onControl = (control: Control): void => void this.#onControl(parts, control);
      const onUnavailable = (error: KeelsonError): void => this.#onUnwatched(names.controlConfigMap, error);
      watchControl({ client, clock, names }, { onControl, onUnavailable }, signal).catch(() => {});
      await runWhileLeading({ elector, signal, work: (term) => this.#lead(parts, term, signal) });
      await watching;
    } catch (error) {
      if (!signal.aborted || !isAborted(error)) throw error;
    } finally {
      this.#parts?.pauses.stop();
      unlink();
    }
  }

  /** Looks at the directory again now (SIGHUP). */
  rescan(): void {
    this.#ports.source.rescan();
  }

  /** The parts of health, for `/readyz`. */
  components(): readonly Component[] {
    const { elector, health } = this.#ports;
    return healthComponents({
      engine: this.#parts?.engine.health,
      waitingFor: this.#waitingFor,
      isAnswering: health?.isAnswering,
      source: this.#snapshot?.state,
      leader: elector.state,
    });
  }

  /** How things stand, in numbers; walks over all objects. */
  figures(): ControllerFigures {
    const { elector, journal } = this.#ports;
    const leader = elector.state;
    return controllerFigures({ parts: this.#parts, snapshot: this.#snapshot, leader, journal: journal?.state });
  }

  /** How things stand, for who looks on; undefined before the cluster has answered. */
  view(): AddonView | undefined {
    const parts = this.#parts;
    if (parts === undefined) return undefined;
    const { engine, revisions } = parts;
    const leader = this.#ports.elector.state;
    return { names: this.#names, engine, leader, revision: revisions?.newest, status: () => this.#report(parts) };
  }

  /** Start-up: the API server answers, and kube-system has its default ServiceAccount. Returns our stored status. */
  async #waitForCluster(signal: AbortSignal): Promise<OwnConfigMap | undefined> {
    const { client } = this.#ports;
    this.#waitingFor = "the default service account of kube-system";
    const target = { namespace: "kube-system", name: "default" };
    const accounts = { ...CONFIG_MAPS, kind: "ServiceAccount", resource: "serviceaccounts" };
    await untilAnswered(() => client.get(accounts, target, { signal, metadataOnly: true, once: true }), {
      ...this.#ports,
      failing: "Error getting default service account",
      signal,
    });
    const { statusConfigMap } = this.#names;
    return untilAnswered(() => readOwn(client, statusConfigMap, signal), {
      ...this.#ports,
      failing: `Error getting kube-system/${statusConfigMap}`,
      signal,
    });
  }

  async #openApplySet(applySet: ApplySetKeeper, signal: AbortSignal): Promise<void> {
    const failing = `Error getting kube-system/${this.#names.applySetConfigMap}`;
    await untilAnswered(() => applySet.open(signal), { ...this.#ports, failing, signal });
  }

  async #readControl(signal: AbortSignal): Promise<Control> {
    const { controlConfigMap } = this.#names;
    const own = await untilAnswered(() => readOwn(this.#ports.client, controlConfigMap, signal), {
      ...this.#ports,
      failing: `Error getting kube-system/${controlConfigMap}`,
      signal,
    });
    return own === undefined ? NOTHING_SAID : parseControl(own);
  }

  #buildParts(state: EngineState | undefined, signal: AbortSignal): Parts {
    return buildParts(this.#ports, this.#options, {
      names: this.#names,
      said: this.#said,
      memory: this.#memory,
      state,
      check: () => this.#check(),
      isActing: () => this.#isActing,
      onStatus: () => this.#onStatus(),
      signal,
    });
  }

  #buildWriter(parts: Parts, stored: OwnConfigMap | undefined): StatusWriter {
    const { client, clock } = this.#ports;
    const { engine } = parts;
    return new StatusWriter(
      {
        client: fencedClient(client, () => this.#check()),
        clock,
        names: this.#names,
        report: () => this.#report(parts),
        state: () => engine.state(),
        onReport: (report) => this.#ports.spectator?.onReport(report),
        onError: (error) =>
          this.#said.report({
            key: "status",
            level: "warn",
            message: `cannot write ${this.#names.statusConfigMap}: ${error.message}`,
          }),
      },
      stored,
    );
  }

  #report({ engine, reporter, confirmations, declarations, pauses, revisions, applySet }: Parts): StatusReport {
    const { set, instance, path } = this.#options;
    confirmations.follow();
    const plan = engine.plan();
    const status = engine.status(plan);
    reporter.holds(status.kept);
    reporter.paused(status.paused);
    const { clock } = this.#ports;
    return statusReport({
      set,
      instance,
      path,
      engine: status,
      overview: overviewOf(engine, { plan, memory: this.#memory, leader: this.#options.leader, clock }),
      addons: this.#addons,
      snapshot: this.#snapshot,
      now: clock.now(),
      revision: revisions?.newest,
      hold: declarations.report(),
      pauses: pauses.current.map(pauseReport),
      applySet: applySet?.problem,
    });
  }

  /** One term of leadership: guard, admission controls, then the loop. */
  async #lead(parts: Parts, term: LeadingTerm, stop: AbortSignal): Promise<void> {
    const { log } = this.#ports;
    const { engine, revisions, applySet } = parts;
    const occupation = this.#buildOccupation();
    // Requests in flight are aborted at once when the lead is lost, and may finish when we are asked to stop.
    const writing = new AbortController();
    const lost = new Promise<never>((_, reject) => {
      writing.signal.addEventListener("abort", () => reject(writing.signal.reason), { once: true });
    });
    lost.catch(() => {});
    term.signal.addEventListener("abort", () => {
      if (!stop.aborted) writing.abort(term.signal.reason);
    });
    this.#check = () => {
      if (!stop.aborted) term.check();
    };
    try {
      const onUnavailable = (error: KeelsonError): void => this.#onUnwatched(this.#names.statusConfigMap, error);
      const onLost = (error: KeelsonError): void => writing.abort(error);
      const isLeading = (): boolean => this.#isLeading;
      await occupation.begin({ onLost, onUnavailable, isLeading }, term.signal);
      this.#isActing = true;
      log.info(`Leading: reconciling ${this.#options.path}`);
      await Promise.race([this.#applyAdmissionControls(term.signal), lost]);
      await Promise.race([this.#rememberLeaderBefore(parts, term.signal), lost]);
      await Promise.race([applySet?.begin(engine, term.signal), lost]);
      this.#isLeading = true;
      engine.lead(writing.signal, this.#check);
      this.#writer?.start(term.signal);
      revisions?.start(term.signal);
      await Promise.race([this.#everyInterval(engine, term.signal), lost]);
    } finally {
      this.#isLeading = false;
      if (stop.aborted) await engine.drain(DRAIN_WITHIN_MS);
      // What hangs must not keep the last requests from being sent.
      writing.abort(new KeelsonError("Aborted", "stopped"));
      // Whoever has not got as far as to act must not write over the status of the one who does.
      if (stop.aborted && this.#isActing) await this.#sayGoodbye(occupation);
      this.#isActing = false;
    }
  }

  async #sayGoodbye(occupation: Occupation): Promise<void> {
    const soon = AbortSignal.timeout(LAST_WRITES_WITHIN_MS);
    await this.#writer?.flush(soon).catch(() => {});
    await occupation.release(soon).catch(() => {});
  }

  /** Another instance may have led since we read the status at our start: what it held stays held, also by a person. */
  async #rememberLeaderBefore(parts: Parts, signal: AbortSignal): Promise<void> {
    const { client } = this.#ports;
    const { statusConfigMap } = this.#names;
    const stored = await untilAnswered(() => readOwn(client, statusConfigMap, signal), {
      ...this.#ports,
      failing: `Error getting kube-system/${statusConfigMap}`,
      signal,
    });
    this.#memory.restore(stored?.data[STATUS_KEY]);
    const state = decodeState(stored?.data[STATE_KEY]);
    if (state !== undefined) parts.engine.remember(state);
    await this.#onControl(parts, await this.#readControl(signal));
  }

  async #everyInterval(engine: Engine, signal: AbortSignal): Promise<void> {
    const { clock, watchdog } = this.#ports;
    const heart = watchdog?.heart("passes");
    try {
      for (;;) {
        const started = clock.monotonic();
        heart?.expect("a pass", PASS_WITHIN_MS);
        await engine.pass().catch((error: unknown) => {
          if (isAborted(error)) throw error;
          this.#ports.log.error(`a pass failed: ${messageOf(error)}`);
        });
        // A pass's own time is taken off the wait, as the original does.
        const waitMs = Math.max(0, this.#options.intervalMs - (clock.monotonic() - started));
        heart?.expect("waiting for the next pass", waitMs + PASS_WITHIN_MS);
        await clock.sleep(waitMs, signal);
      }
    } finally {
      heart?.stop();
    }
  }

  async #applyAdmissionControls(signal: AbortSignal): Promise<void> {
    const { client, clock, log, admission, journal } = this.#ports;
    const load = (when: AbortSignal): Promise<ManifestSnapshot> => admission.load(when);
    const note: AdmissionOptions["note"] = (entry) => journal?.append(entry);
    const { firstTry, done } = applyAdmissionControls({ client, clock, log, load, note }, signal);
    done.catch(() => {});
    await (this.#options.admissionWait ? done : firstTry);
  }

  #buildOccupation(): Occupation {
    const { client, clock } = this.#ports;
    const { instance, isUnelected } = this.#options;
    return new Occupation({ client, clock, said: this.#said, names: this.#names, instance, isUnelected });
  }

  #onSnapshot({ declarations, reporter, applySet }: Parts, snapshot: ManifestSnapshot): void {
    this.#snapshot = snapshot;
    const addons = desiredAddons(snapshot, applySet?.id);
    this.#addons = addons;
    reporter.source(snapshot, addons);
    declarations.onDirectory(addons);
  }

  async #onControl({ declarations, pauses, confirmations }: Parts, control: Control): Promise<void> {
    if (control.faults.length === 0) this.#said.clear("control");
    else {
      const message = `${this.#names.controlConfigMap}: ${control.faults.join("; ")}`;
      this.#said.report({ key: "control", level: "error", message });
    }
    pauses.set(control.pauses);
    confirmations.onControl(control);
    await declarations.onControl(control);
  }

  /** Of ConfigMaps of our own; it is tried again by itself. */
  #onUnwatched(name: string, error: KeelsonError): void {
    const message = `kube-system/${name} cannot be watched: ${error.message}`;
    this.#said.report({ key: `watch ${name}`, level: "warn", message });
  }

  /** The writer looks at everything once for a burst of changes; a confirmation is judged then, too. */
  #onStatus(): void {
    this.#writer?.changed();
    this.#parts?.revisions?.changed();
    this.#parts?.applySet?.changed();
  }
}
