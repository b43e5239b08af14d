import type { KeelsonError } from "../errors/index.ts";
import type { ApiResource } from "../kube/index.ts";
import { groupKindKey, parseGroupKindKey, parseRefKey } from "../object/index.ts";
import type { Change } from "./change-set.ts";
import type { Cluster } from "./cluster.ts";
import { type DesiredInput, type DesiredObject, type DesiredSet, resolveDesired } from "./desired.ts";
import { watchDefinitions } from "./discovery-watch.ts";
import type { EngineOptions, EngineState, EngineStatus } from "./engine-types.ts";
import { type EngineFigures, engineFigures } from "./figures.ts";
import { LiveCache } from "./live-cache.ts";
import { Lookout } from "./lookout.ts";
import type { PausedUntil, Plan, PlanInput } from "./plan.ts";
import { Planner } from "./planner.ts";
import { Presence } from "./presence.ts";
import { Prober } from "./probe.ts";
import { baselineOf } from "./record.ts";
import { computeScope, type Scope } from "./scope.ts";
import type { Decision } from "./step.ts";
import { unselectedOf } from "./unselected.ts";
import { Worker } from "./worker.ts";

/**
 * Keeps one set of objects in one cluster as desired. Watches are kept warm whether or not this instance leads; steps are
 * executed only during a term ({@link lead}).
 *
 * The same object serves the daemon (watching) and a single pass (`sync` by lists, then `settled`).
 */
export class Engine {
  readonly #cluster: Cluster;
  readonly #options: EngineOptions;
  readonly #cache: LiveCache;
  readonly #worker: Worker;
  readonly #planner: Planner;
  readonly #unavailable: Map<string, KeelsonError> = new Map();
  readonly #known: Presence;
  /** Group-kinds that were ever desired. */
  readonly #kinds: Set<string>;
  #input: DesiredInput | undefined;
  #scope: Scope = { kinds: [], unserved: [] };
  #turn: Promise<void> = Promise.resolve();
  #signal: AbortSignal | undefined;
  #mode: "watch" | "list" = "watch";
  /** The last pass found everything converged. */
  #wasQuiet = false;
  /** A desired set is in force; before that nothing is watched, and nothing known. */
  #isDeclared = false;
  readonly #lookout: Lookout;
  readonly #prober: Prober;

  constructor(cluster: Cluster, options: EngineOptions, state?: EngineState) {
    this.#cluster = cluster;
    this.#options = options;
    this.#kinds = new Set(state?.kinds);
    this.#cache = new LiveCache(
      cluster,
      {
        onChange: (key, isInitial) => this.#onLive(key, isInitial),
        onForgotten: () => this.#planner.reset(),
        onReadiness: () => {
          if (this.#cache.isSynced) options.listener.onStatus();
        },
        onSynced: () => void this.pass().catch(() => {}),
        onAvailability: (resource, error) => this.#onAvailability(resource, error),
      },
      (key) => ({ desired: this.desired.objects.get(key), baseline: this.#worker.baselines.get(key) }),
    );
    this.#prober = new Prober(cluster, this.#cache, (group, signal) => this.#onProbed(group, signal));
    this.#known = new Presence({
      unwatched: options.unwatched ?? [],
      isEager: options.isEager === true,
      isUnavailable: (groupKind) => this.#unavailable.has(groupKind),
      isListing: (resource) => this.#isListing(resource),
      isProbing: (key) => this.#prober.isProbing(key),
    });
    this.#lookout = new Lookout(cluster, {
      desired: () => this.desired,
      signal: () => this.#signal,
      onRefresh: () => this.#cache.refresh(),
      onServed: () => (this.#input === undefined ? Promise.resolve() : this.declare(this.#input)),
    });
    const seen: Cluster["seen"] = (desired, state) => this.#cache.seen(desired, state);
    this.#worker = new Worker({ ...cluster, seen }, options, {
      decide: (key) => this.#decide(key),
      cause: () => this.desired.cause,
      cache: this.#cache,
      onExecuted: (change) => this.#onExecuted(change),
    });
    const { clock } = cluster;
    const { prune } = options;
    const { records } = this.#cache;
    this.#planner = new Planner({ clock, prune, records, baselines: this.#worker.baselines }, state);
  }

  /** Starts watching; everything ends when `signal` fires. `list` mode looks once instead ({@link sync}). */
  start(signal: AbortSignal, mode: "watch" | "list" = "watch"): void {
    this.#signal = signal;
    this.#mode = mode;
    this.#worker.start(signal);
    if (mode === "list") return;
    const onListed = (): void => this.#lookout.lookForUnserved();
    const onUnavailable = (resource: ApiResource, error: KeelsonError): void =>
      this.#options.listener.onDefinitionsUnwatched?.(resource, error);
    watchDefinitions(this.#cluster, { onChange: () => this.#onDefinitionChange(), onListed, onUnavailable }, signal);
    this.#selfCheck(signal).catch(() => {});
  }

  /** Executes steps until `term` fires: in-flight requests are aborted then, and none are sent after it. `check` throws where it is over already. */
  lead(term: AbortSignal, check: () => void = () => {}): void {
    this.#worker.lead(term, check);
    void this.pass().catch(() => {});
  }

  /** Takes a new desired set. Resolves when it is in force; calls are taken in order. */
  declare(input: DesiredInput): Promise<void> {
    const turn = this.#turn.then(() => this.#adopt(input));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Confirms the prune of these objects, by uid: holds do not apply to them any more. */
  confirm(uids: Iterable<string>): void {
    this.#planner.confirm(uids);
    void this.pass().catch(() => {});
  }

  /** Switches prune on or off from now on: off as long as nobody has said yet what belongs to the set. Default on. */
  setPrune(isOn: boolean): void {
    this.#planner.setPrune(isOn);
  }

  /** Sets which objects nothing is written to; undefined: none. Who calls does so again when a time is over. */
  setPauses(pausedUntil: PausedUntil | undefined): void {
    this.#planner.setPauses(pausedUntil);
    void this.pass().catch(() => {});
  }

  /**
   * Looks at every object again: what a full pass is. Costs no request where everything is watched and served. What is
   * known is not kept waiting by what has to be asked for: the answers about one kind may hang.
   */
  async pass(): Promise<void> {
    // Whatever was not told of is looked at now.
    this.#planner.reset();
    if (this.#signal !== undefined) await this.#lookAt(this.desired.objects.values(), this.#signal);
  }

  /** Looks at these desired objects, and at all that are live without being desired. */
  async #lookAt(objects: Iterable<DesiredObject>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#cluster;
    const started = clock.monotonic();
    const desired = [...objects];
    const unknown = desired.filter((object) => this.#known.mustLookUp(object));
    const probing = this.#prober.probe(unknown, signal);
    this.#watchUnselected(signal);
    const input = this.#planner.input();
    let isQuiet = true;
    for (const key of this.#keys(desired)) {
      const { kind } = this.#consider(key, input);
      if (kind !== "converged" && kind !== "ignored") isQuiet = false;
    }
    // Thousands of converged objects have nothing new to say, minute after minute.
    if (!isQuiet || !this.#wasQuiet) this.#options.listener.onStatus();
    this.#wasQuiet = isQuiet;
    const asked = await Promise.allSettled([this.#lookout.lookOnce(), probing]);
    this.#options.listener.onPass?.(clock.monotonic() - started);
    for (const answer of asked) if (answer.status === "rejected") throw answer.reason;
  }

  #onProbed(group: readonly DesiredObject[], signal: AbortSignal): void {
    for (const { key } of group) this.#known.add(key);
    this.#watchUnselected(signal);
    for (const { key } of group) this.#consider(key);
    this.#options.listener.onStatus();
  }

  /** List mode: looks at all kinds once, and at desired objects that no selector finds. */
  async sync(signal: AbortSignal): Promise<void> {
    await this.#cache.list(this.#scope.kinds, signal);
    for (const key of this.#cache.records.keys()) this.#known.add(key);
    const unknown = [...this.desired.objects.values()].filter(({ key }) => !this.#known.has(key));
    await this.#prober.probe(unknown, signal);
  }

  /** What would be done now. */
  plan(): Plan {
    return this.#planner.plan();
  }

  /** Starts nothing more; resolves when what is under way has ended, `withinMs` at most. */
  async drain(withinMs: number): Promise<void> {
    this.#worker.close();
    const late = new Promise<void>((resolve) => this.#cluster.clock.after(withinMs, resolve));
    await Promise.race([this.#worker.whenIdle(), late]);
  }

  /** Resolves when no set is being taken in and nothing is ready or at work. Objects in back-off do not count. */
  async whenIdle(): Promise<void> {
    for (;;) {
      const turn = this.#turn;
      await turn;
      await this.#worker.whenIdle();
      if (turn === this.#turn) return;
    }
  }

  /** Whether steps are ready or at work: what {@link status} says will be otherwise in a moment. */
  get isBusy(): boolean {
    return this.#worker.isBusy;
  }

  /** Whether a failed object is tried again within moments (a conflict), rather than after a back-off. */
  hasQuickRetries(): boolean {
    return this.#worker.hasQuickRetries();
  }

  /** The current desired set. */
  get desired(): DesiredSet {
    return this.#planner.desired;
  }

  /** What is known of the cluster, by key. */
  get records(): LiveCache["records"] {
    return this.#cache.records;
  }

  /** Takes in what the leader before us has remembered: its holds stay. */
  remember(state: EngineState): void {
    this.#planner.remember(state);
    for (const kind of state.kinds) this.#kinds.add(kind);
  }

  /** What has to survive a restart. */
  state(): EngineState {
    const { missing, confirmed } = this.#planner.state(this.#isSynced, (key) => this.#isUnavailable(key));
    return { missing, kinds: [...this.#kinds].sort(), confirmed };
  }

  /** What probes ask for; walks over nothing. */
  get health(): Pick<EngineStatus, "isSynced" | "isReachable"> {
    return { isSynced: this.#isSynced, isReachable: this.#worker.isReachable };
  }

  /** For metrics: counts alone; walks over all objects. */
  figures(): EngineFigures {
    const plan = this.plan();
    return engineFigures({ plan, status: this.status(plan), desired: this.desired, records: this.#cache.records });
  }

  /** A summary; walks over all objects. */
  status(plan: Plan = this.plan()): EngineStatus {
    const { steps, kept, waiting, paused, blocked, converged } = plan;
    const { failures, fights } = this.#worker;
    return {
      isSynced: this.#isSynced,
      isReachable: this.#worker.isReachable,
      desired: this.desired.objects.size,
      converged,
      pending: steps.length,
      unsettled: steps.filter(({ key }) => !failures.has(key) && !fights.has(key)).length,
      blocked,
      failures,
      fights,
      kept,
      waiting,
      paused,
      remarks: this.desired.remarks,
      unavailable: this.#unavailable,
    };
  }

  async #adopt(input: DesiredInput): Promise<void> {
    const { client } = this.#cluster;
    const signal = this.#signal;
    this.#input = input;
    const context = { discovery: client.discovery, defaultNamespace: client.defaultNamespace };
    const previous = this.desired;
    const desired = await resolveDesired(input, signal === undefined ? context : { ...context, signal }, previous);
    const changed = [...desired.objects.values()].filter((object) => previous.objects.get(object.key) !== object);
    for (const { ref } of changed) this.#kinds.add(groupKindKey(ref));
    const { kinds, allKinds } = this.#options.prune;
    const alsoKinds = allKinds ? [...this.#kinds].map(parseGroupKindKey) : [];
    const { unwatched = [], isEager = false } = this.#options;
    const scope = await computeScope(desired, { kinds, alsoKinds, unwatched, isWarm: isEager }, client.discovery);
    await this.#options.beforeDeclared?.(desired);
    this.#worker.forgetUndesired(previous, desired);
    this.#planner.take(
      desired,
      changed.map(({ key }) => key),
    );
    this.#scope = scope;
    this.#isDeclared = true;
    this.#options.listener.onUnserved(scope.unserved);
    if (signal === undefined || signal.aborted) return;
    if (this.#mode === "watch") {
      this.#cache.watch(scope.kinds, signal);
      // Not awaited: the next snapshot must not wait for an object whose look-up hangs.
      void this.#lookAt(changed, signal).catch(() => {});
    } else await this.pass();
  }

  #decide(key: string, input: PlanInput = this.#planner.input()): Decision {
    const desired = this.desired.objects.get(key);
    const isUncertain = desired?.resource !== undefined && this.#isListing(desired.resource);
    if (isUncertain || (desired !== undefined && !this.#known.has(key))) return { kind: "ignored" };
    const decision = this.#planner.decide(key, input);
    const isDelete = decision.kind === "step" && decision.step.kind === "delete";
    return isDelete && !this.#cache.isSynced ? { kind: "ignored" } : decision;
  }

  /** Queues an object where something is to be done about it, and takes note of what needs no step. */
  #consider(key: string, input: PlanInput = this.#planner.input()): Decision {
    const decision = this.#decide(key, input);
    if (decision.kind === "step") this.#worker.add(key);
    else if (decision.kind === "waiting") this.#worker.add(key, decision.untilMs);
    else if (decision.kind === "converged") this.#onConverged(key);
    else if (decision.kind !== "blocked") this.#worker.settled(key);
    return decision;
  }

  /** A record that holds what is desired becomes the baseline where there is none yet. */
  #onConverged(key: string): void {
    const desired = this.desired.objects.get(key);
    const live = this.#cache.records.get(key);
    if (desired?.mode === "Reconcile" && live !== undefined && !this.#worker.baselines.has(key)) {
      this.#worker.baselines.set(key, baselineOf(live, desired.digest));
    }
    this.#worker.settled(key);
  }

  #onLive(key: string, isInitial: boolean): void {
    this.#known.add(key);
    this.#planner.onLive(key);
    if (!this.#cache.records.has(key)) this.#worker.gone(key);
    if (this.#mode === "list" || (isInitial && !this.#cache.isSynced)) return;
    this.#consider(key);
  }

  #onAvailability(resource: ApiResource, error: KeelsonError | undefined): void {
    const key = groupKindKey(resource);
    if (error === undefined) this.#unavailable.delete(key);
    else this.#unavailable.set(key, error);
    this.#options.listener.onAvailability(resource, error);
  }

  get #isSynced(): boolean {
    return this.#isDeclared && this.#cache.isSynced;
  }

  /** Whether the kind of an object cannot be looked at: that there is no record says nothing. */
  #isUnavailable(key: string): boolean {
    return this.#unavailable.has(groupKindKey(parseRefKey(key)));
  }

  #isListing(resource: ApiResource): boolean {
    return this.#mode === "watch" && this.#cache.isListing(resource);
  }

  #watchUnselected(signal: AbortSignal): void {
    if (this.#mode === "watch") this.#cache.watchByName(unselectedOf(this.#cache.records, this.desired), signal);
  }

  *#keys(desired: readonly DesiredObject[]): IterableIterator<string> {
    for (const { key } of desired) yield key;
    for (const key of this.#cache.records.keys()) if (!this.desired.objects.has(key)) yield key;
  }

  /**
   * Now and then one object that counts as converged is asked of the API server itself, by a dry-run apply: the watch on
   * the watcher. A miss is told, and repaired.
   */
  async #selfCheck(signal: AbortSignal): Promise<void> {
    const { selfCheckMs = 0, listener } = this.#options;
    const { clock } = this.#cluster;
    while (selfCheckMs > 0 && !signal.aborted) {
      await clock.sleep(selfCheckMs, signal);
      const key = await this.#worker.checkOne([...this.desired.objects.values()], signal);
      if (key === undefined) continue;
      this.#planner.touch(key);
      listener.onSelfCheckMiss(key);
      this.#consider(key);
    }
  }

  #onExecuted({ key, ref, outcome, step }: Change): void {
    this.#planner.touch(key);
    const isDefinition = ref.kind === "CustomResourceDefinition" || ref.kind === "APIService";
    if (isDefinition && (outcome === "created" || outcome === "configured")) this.#onDefinitionChange();
    // The object was there all along, without our label.
    if (step.kind === "ensure" && outcome === "unchanged" && this.#signal !== undefined)
      this.#watchUnselected(this.#signal);
  }

  /** A definition changed: what did not fit or was not served may be now. */
  #onDefinitionChange(): void {
    this.#worker.retryAfterDefinition();
    this.#lookout.look();
  }
}
