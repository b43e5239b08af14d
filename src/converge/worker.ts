import { isAborted, isKeelsonError, KeelsonError, messageOf } from "../errors/index.ts";
import { fencedClient } from "../kube/index.ts";
import { describeRef } from "../object/index.ts";
import { dryRunRecord } from "./apply.ts";
import type { Change, Executed } from "./change-set.ts";
import { changedFields } from "./changed-fields.ts";
import { type Cluster, targetOf } from "./cluster.ts";
import type { DesiredObject, DesiredSet } from "./desired.ts";
import type { EngineOptions } from "./engine-types.ts";
import { executeStep } from "./execute.ts";
import { type Failure, Failures } from "./failures.ts";
import { FIGHT_MEMORY_MS, type Fight, FightDetector } from "./fights.ts";
import type { LiveCache } from "./live-cache.ts";
import { phaseOfStep } from "./plan.ts";
import { Reachability } from "./reachability.ts";
import { type Baseline, baselineOf, equalsBaseline } from "./record.ts";
import { requeueAfter } from "./requeue.ts";
import { boundStep, type Decision, describeReason, refOfStep, type Step } from "./step.ts";
import { WorkQueue } from "./work-queue.ts";

/** What a worker asks of its engine. */
export interface WorkerPort {
  readonly decide: (key: string) => Decision;
  /** Why the set is desired, where that is no change of the source. */
  readonly cause: () => string | undefined;
  readonly cache: LiveCache;
  /** A step was executed, failed ones too. */
  readonly onExecuted: (change: Change) => void;
}

/** First delays after a conflict (the object moved, and is looked at again) or a broken connection. */
const CONFLICT_MS = 20;
/** What counts as "soon" for a single pass: the first steps of a back-off. */
const SOON_MS = 2_500;
const MAX_QUICK = 3;

/**
 * Executes steps: sixteen at once, phase by phase, each failed object with its own back-off, everything only during a
 * term of leadership. Keeps the baselines that the decisions compare with.
 */
export class Worker {
  /** What our last apply of each object left, by key. */
  readonly baselines: Map<string, Baseline> = new Map();
  /** Manifests as they were last applied, of objects that are desired otherwise now: tells what a change changes. */
  readonly #former: Map<string, string> = new Map();
  readonly #cluster: Cluster;
  readonly #options: EngineOptions;
  readonly #port: WorkerPort;
  readonly #queue: WorkQueue;
  readonly #failures: Failures;
  readonly #fightDetector: FightDetector = new FightDetector();
  readonly #fights: Map<string, Fight> = new Map();
  /** Monotonic milliseconds before which a fought-over object is not repaired again. */
  readonly #truce: Map<string, number> = new Map();
  readonly #reachability: Reachability;
  #term: AbortSignal | undefined;
  /** The cluster as a leader may write to it. */
  #led: Cluster;
  #signal: AbortSignal | undefined;

  constructor(cluster: Cluster, options: EngineOptions, port: WorkerPort) {
    this.#cluster = cluster;
    this.#led = cluster;
    this.#options = options;
    this.#port = port;
    this.#failures = new Failures(cluster.clock);
    this.#queue = new WorkQueue({
      concurrency: options.concurrency ?? 16,
      clock: cluster.clock,
      work: (key) => this.#work(key),
      phaseOf: (key) => this.#phaseOf(key),
      heart: cluster.watchdog?.heart("worker"),
    });
    this.#reachability = new Reachability(cluster.client, cluster.clock, (isReachable, error) =>
      this.#onReachable(isReachable, error),
    );
  }

  start(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#queue.close(), { once: true });
  }

  /** `check` throws where the term is over although its signal has not fired yet: asked before each write. */
  lead(term: AbortSignal, check: () => void): void {
    this.#term = term;
    this.#led = { ...this.#cluster, client: fencedClient(this.#cluster.client, check) };
    term.addEventListener("abort", () => this.#queue.clear(), { once: true });
  }

  /** Asks for work on an object, at `at` (monotonic; default: now); nothing happens where it is in back-off or there is no term. */
  add(key: string, at?: number): void {
    if (this.#term === undefined || this.#term.aborted) return;
    this.#queue.add(key, at);
  }

  /** Nothing is to be done about an object: a noted failure is over. */
  settled(key: string): void {
    if (this.#failures.clear(key) !== undefined) this.#options.listener.onStatus();
  }

  /** An object is gone from the cluster: what waited for its name, address or port may go on. */
  gone(key: string): void {
    this.#fightDetector.forget(key);
    this.#retry((error) => error.code === "Invalid" || error.code === "NamespaceTerminating");
  }

  /** A definition changed: what did not fit the old one may fit the new one. */
  retryAfterDefinition(): void {
    this.#retry((error) => error.code === "SchemaError" || error.code === "NoMatch");
  }

  /** Drops what was remembered of objects that are no longer desired, or desired otherwise. */
  forgetUndesired(before: DesiredSet, after: DesiredSet): void {
    for (const [key, was] of before.objects) {
      const now = after.objects.get(key);
      if (now === was || now?.digest === was.digest) continue;
      if (now === undefined) this.#former.delete(key);
      // What was never applied is no former state.
      else if (this.baselines.get(key)?.digest === was.digest) this.#former.set(key, was.manifest.body);
      this.#failures.clear(key);
      this.#fightDetector.forget(key);
      this.#fights.delete(key);
      this.#truce.delete(key);
      if (now === undefined || now.mode !== "Reconcile") this.baselines.delete(key);
    }
  }

  /** Resolves when nothing is ready or at work. */
  whenIdle(): Promise<void> {
    return this.#queue.whenIdle();
  }

  /** Takes and starts nothing more; work in progress goes on. */
  close(): void {
    this.#queue.close();
  }

  /** Whether anything is ready or at work. */
  get isBusy(): boolean {
    return !this.#queue.isIdle;
  }

  /** Whether a failed object is tried again within moments. */
  hasQuickRetries(): boolean {
    const soon = this.#cluster.clock.monotonic() + SOON_MS;
    return [...this.#failures.all.values()].some(({ notBefore, count }) => notBefore <= soon && count <= MAX_QUICK);
  }

  get failures(): ReadonlyMap<string, Failure> {
    return this.#failures.all;
  }

  /** Fights that are going on, or that were until a while ago. */
  get fights(): ReadonlyMap<string, Fight> {
    const since = this.#cluster.clock.monotonic() - FIGHT_MEMORY_MS;
    return new Map([...this.#fights].filter(([key]) => (this.#truce.get(key) ?? 0) > since));
  }

  get isReachable(): boolean {
    return this.#reachability.isReachable;
  }

  /**
   * Compares one converged object, picked at random, with what an apply would make of it. Returns its key where they
   * differ although no event told; its baseline is spoilt then, so that it is applied.
   */
  async checkOne(objects: readonly DesiredObject[], signal: AbortSignal): Promise<string | undefined> {
    const desired = objects[Math.floor(this.#cluster.clock.random() * objects.length)];
    if (desired === undefined || this.#term === undefined || this.#term.aborted) return undefined;
    const { key } = desired;
    const baseline = this.baselines.get(key);
    const before = this.#port.cache.records.get(key);
    if (baseline === undefined || this.#port.decide(key).kind !== "converged") return undefined;
    try {
      const would = await dryRunRecord(this.#cluster, { desired, baseline }, signal);
      const isMoving = this.#port.cache.records.get(key) !== before;
      if (isMoving || equalsBaseline(would, baseline)) return undefined;
      // No state equals this baseline: the next decision is an apply.
      this.baselines.set(key, { ...baseline, valueHash: "missed" });
      return key;
    } catch {
      // A check that cannot be made says nothing.
      return undefined;
    }
  }

  #phaseOf(key: string): number {
    const decision = this.#port.decide(key);
    return decision.kind === "step" ? phaseOfStep(decision.step) : 0;
  }

  async #work(key: string): Promise<void> {
    const term = this.#term;
    if (term === undefined || term.aborted) return;
    const decision = this.#port.decide(key);
    if (decision.kind === "waiting") this.#queue.add(key, decision.untilMs);
    if (decision.kind === "kept") this.#options.listener.onStatus();
    // A failed object that is gone, or that nobody asks for any more, has not failed any more.
    if (decision.kind !== "step" && decision.kind !== "waiting" && decision.kind !== "blocked") this.settled(key);
    if (decision.kind !== "step" || this.#mustWait(key, decision.step)) return;
    const step = this.#admitted(decision.step);
    if (step === undefined) return;
    const started = this.#cluster.clock.monotonic();
    try {
      const executed = await executeStep(this.#led, step, term);
      this.#onSuccess(step, executed);
      this.#tell(step, started, { ...executed, error: undefined });
    } catch (thrown) {
      if (isAborted(thrown) || term.aborted) return;
      const error = asKeelsonError(thrown, step);
      await this.#onFailure(step, error, term);
      // That an object moved is no news, unless it goes on moving.
      if (!this.#failures.isQuick(key))
        this.#tell(step, started, { outcome: "failed", live: undefined, remarks: [], warnings: [], error });
    }
    this.#options.listener.onStatus();
    // Something may have happened to the object while the request was under way.
    const next = this.#port.decide(key);
    if (next.kind === "step" && !this.#failures.all.has(key)) this.#queue.add(key);
  }

  /** The step as it may be executed; undefined where the owner of the engine does not let it. */
  #admitted(step: Step): Step | undefined {
    const { admit } = this.#options;
    const verdict = admit?.(step) ?? "execute";
    if (verdict === "execute") return admit === undefined ? step : boundStep(step);
    if (verdict === "leave" || this.#failures.get(step.key)?.error.code === "PlanStale") return undefined;
    const object = describeRef(refOfStep(step));
    const message = `${object}: it moved since the plan was made: left as it is; plan again`;
    const error = new KeelsonError("PlanStale", message, { object });
    const digest = "desired" in step ? step.desired.digest : undefined;
    const live = this.#port.cache.records.get(step.key);
    this.#failures.note(step.key, error, { digest, live, atLeastMs: Number.POSITIVE_INFINITY });
    const result = { outcome: "failed", live: undefined, remarks: [], warnings: [], error } as const;
    this.#tell(step, this.#cluster.clock.monotonic(), result);
    return undefined;
  }

  #mustWait(key: string, step: Step): boolean {
    const live = "live" in step ? step.live : undefined;
    const digest = "desired" in step ? step.desired.digest : undefined;
    if (this.#failures.mustWait(key, digest, live)) {
      // Whoever asked for work now has cancelled the timer of the next try.
      const wait = this.#failures.waitOf(key);
      if (Number.isFinite(wait)) this.#queue.add(key, this.#cluster.clock.monotonic() + wait);
      return true;
    }
    const truce = this.#truce.get(key);
    const now = this.#cluster.clock.monotonic();
    if (truce === undefined || truce <= now || step.reason.kind !== "drifted") return false;
    this.#queue.add(key, truce);
    return true;
  }

  #onSuccess(step: Step, { outcome, live }: Executed): void {
    const { key } = step;
    this.#failures.clear(key);
    if (live === undefined) {
      // Deleted, released or gone: not to be done a second time before the watch tells.
      if ("live" in step) this.#port.cache.drop(key, step.live.uid);
      return;
    }
    if ((step.kind === "apply" || step.kind === "create") && live.terminating === undefined) {
      this.baselines.set(key, baselineOf(live, step.desired.digest));
    }
    if (step.kind === "apply" && step.reason.kind === "drifted") this.#noteRepair(step, step.reason.fields);
    this.#port.cache.put(live);
    if (outcome === "created" && live.ref.kind === "Namespace") {
      const { name } = live.ref;
      this.#retry((error, retried) => error.code === "NamespaceNotFound" && retried.includes(`/${name}/`));
    }
  }

  #noteRepair(step: Step, fields: Parameters<FightDetector["note"]>[1]): void {
    const { key } = step;
    const now = this.#cluster.clock.monotonic();
    const fight = this.#fightDetector.note(key, fields, now);
    if (fight === undefined || fight.delayMs === 0) {
      this.#fights.delete(key);
      return;
    }
    this.#truce.set(key, now + fight.delayMs);
    const isNew = !this.#fights.has(key);
    this.#fights.set(key, fight);
    if (isNew) this.#options.listener.onFight(key, fight, step);
  }

  async #onFailure(step: Step, error: KeelsonError, term: AbortSignal): Promise<void> {
    const { key } = step;
    const requeue = requeueAfter(error);
    if (requeue.kind === "stopped") return;
    if (requeue.kind === "when-reachable" && this.#signal !== undefined) {
      // An object whose connections break although the server answers (a proxy that refuses its size, say) has a failure
      // of its own: it must not stop the others again and again.
      if (this.#failures.get(key)?.error.code !== error.code) this.#reachability.lost(error, this.#signal);
    }
    if (requeue.kind === "look-again") await this.#lookAgain(step, term);
    const digest = "desired" in step ? step.desired.digest : undefined;
    const live = this.#port.cache.records.get(key);
    const atLeastMs =
      requeue.kind === "on-change" ? Number.POSITIVE_INFINITY : requeue.kind === "back-off" ? requeue.atLeastMs : 0;
    const isQuick = requeue.kind === "look-again" || requeue.kind === "when-reachable";
    const quick = isQuick ? { quickMs: CONFLICT_MS } : {};
    const delay = this.#failures.note(key, error, { digest, live, atLeastMs, ...quick });
    if (Number.isFinite(delay)) this.#queue.add(key, this.#cluster.clock.monotonic() + delay);
  }

  /** Reads the object that moved under us, so that the next decision is about what it is now. */
  async #lookAgain(step: Step, signal: AbortSignal): Promise<void> {
    const { client } = this.#cluster;
    const ref = refOfStep(step);
    try {
      const resource = "desired" in step ? step.desired.resource : await client.discovery.preferred(ref, signal);
      if (resource === undefined) return;
      const servedVersions = await client.discovery.versions(ref, signal);
      const object = await client.get(resource, targetOf(ref), { signal });
      this.#port.cache.put(this.#port.cache.observeRead(object, resource, { servedVersions, metadataOnly: false }));
    } catch (error) {
      if (isKeelsonError(error, "NotFound") && "live" in step) this.#port.cache.drop(step.key, step.live.uid);
    }
  }

  #retry(applies: (error: KeelsonError, key: string) => boolean): void {
    for (const [key, { error }] of [...this.#failures.all]) {
      if (!applies(error, key)) continue;
      this.#failures.clear(key);
      this.add(key);
    }
  }

  #onReachable(isReachable: boolean, error: KeelsonError | undefined): void {
    if (isReachable) this.#queue.resume();
    else this.#queue.pause();
    this.#options.listener.onReachable(isReachable, error);
  }

  #tell(step: Step, started: number, result: Executed & { readonly error: KeelsonError | undefined }): void {
    const { clock } = this.#cluster;
    const change: Change = {
      key: step.key,
      ref: refOfStep(step),
      step,
      outcome: result.outcome,
      reason: this.#reasonOf(step, result.outcome),
      fields: changedFields(step, this.#former.get(step.key)),
      origin: "desired" in step ? step.desired.origin : undefined,
      uid: result.live?.uid ?? ("live" in step ? step.live.uid : undefined),
      remarks: result.remarks,
      error: result.error,
      warnings: result.warnings,
      ms: clock.monotonic() - started,
      at: clock.now(),
    };
    if (result.error === undefined) this.#former.delete(step.key);
    this.#options.listener.onChange(change);
    this.#port.onExecuted(change);
  }

  #reasonOf(step: Step, outcome: Change["outcome"]): string {
    if (wasThere(step, outcome)) return "was there, without the label that finds it";
    return (isOfSource(step) ? this.#port.cause() : undefined) ?? describeReason(step.reason);
  }
}

/** Whether a step is taken because of what is desired, rather than because of what somebody did in the cluster. */
function isOfSource({ reason: { kind } }: Step): boolean {
  return kind === "missing" || kind === "changed" || kind === "mode-changed" || kind === "left";
}

/** The API server does not tell a deletion from a label that went: only the answer to the apply does. */
function wasThere(step: Step, outcome: Change["outcome"]): boolean {
  return (step.kind === "create" || step.kind === "ensure") && outcome !== "created" && outcome !== "failed";
}

function asKeelsonError(thrown: unknown, step: Step): KeelsonError {
  if (thrown instanceof KeelsonError) return thrown;
  const object = describeRef(refOfStep(step));
  return new KeelsonError("Internal", `${object}: ${messageOf(thrown)}`, { cause: thrown, object });
}
