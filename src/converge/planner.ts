import type { Clock } from "../async/index.ts";
import { type DesiredSet, NOTHING_DESIRED } from "./desired.ts";
import type { EngineState, PrunePolicy } from "./engine-types.ts";
import { MissingTracker } from "./missing.ts";
import { decide, type PausedUntil, type Plan, type PlanInput, plan } from "./plan.ts";
import { PlanIndex } from "./plan-index.ts";
import type { Baseline, LiveRecord } from "./record.ts";
import type { Decision } from "./step.ts";
import { UidIndex } from "./uid-index.ts";

/** What a {@link Planner} works on. */
export interface PlannerPorts {
  readonly clock: Clock;
  readonly prune: PrunePolicy;
  readonly records: ReadonlyMap<string, LiveRecord>;
  readonly baselines: ReadonlyMap<string, Baseline>;
}

/**
 * Keeps everything that decisions depend on beside the records and baselines themselves: what is desired, what has gone
 * missing, what people have confirmed or paused. Whoever changes a record or a baseline says so ({@link onLive},
 * {@link touch}, {@link reset}).
 */
export class Planner {
  readonly #ports: PlannerPorts;
  readonly #missing: MissingTracker;
  /** uids whose prune a person confirmed. */
  readonly #confirmed: Set<string>;
  readonly #uids: UidIndex = new UidIndex();
  readonly #index: PlanIndex = new PlanIndex();
  #desired: DesiredSet = NOTHING_DESIRED;
  #isPruneOn = true;
  #pausedUntil: PausedUntil | undefined;

  constructor(ports: PlannerPorts, state?: EngineState) {
    this.#ports = ports;
    this.#missing = new MissingTracker(state?.missing);
    this.#confirmed = new Set(state?.confirmed);
  }

  get desired(): DesiredSet {
    return this.#desired;
  }

  /** Another set is desired; `changed` are the keys of its objects that are not those of the one before. */
  take(desired: DesiredSet, changed: Iterable<string>): void {
    const { clock, records } = this.#ports;
    const before = this.#desired;
    this.#missing.advance(desired, clock.monotonic());
    this.#desired = desired;
    for (const key of before.objects.keys()) {
      if (desired.objects.has(key)) continue;
      this.#uids.set(key, undefined);
      this.#index.touch(key);
    }
    for (const key of changed) {
      this.#withdrawConfirmation(key);
      this.#uids.set(key, records.get(key)?.uid);
      this.#index.touch(key);
    }
    if (before.isHeld !== desired.isHeld || !isSameSet(before.mentioned, desired.mentioned)) this.#index.reset();
  }

  /** The record of an object was set, replaced or removed. */
  onLive(key: string): void {
    const live = this.#ports.records.get(key);
    if (this.#desired.objects.has(key)) {
      this.#uids.set(key, live?.uid);
      this.#withdrawConfirmation(key);
    } else if (live === undefined) this.#missing.forget(key);
    this.#index.touch(key);
  }

  /** The baseline of an object has changed, or something else about it alone. */
  touch(key: string): void {
    this.#index.touch(key);
  }

  /** Many objects may have changed. */
  reset(): void {
    this.#index.reset();
  }

  /** Holds do not apply to these objects any more. */
  confirm(uids: Iterable<string>): void {
    for (const uid of uids) this.#confirmed.add(uid);
  }

  setPrune(isOn: boolean): void {
    this.#isPruneOn = isOn;
  }

  setPauses(pausedUntil: PausedUntil | undefined): void {
    this.#pausedUntil = pausedUntil;
  }

  /** Takes in what another leader has remembered meanwhile: its holds stay. */
  remember({ missing }: EngineState): void {
    this.#missing.merge(missing);
  }

  /** What has to survive a restart. `isComplete`: everything live is known; `isUnavailable`: not of this object. */
  state(isComplete: boolean, isUnavailable: (key: string) => boolean): Pick<EngineState, "missing" | "confirmed"> {
    const keys = this.#index.undesired(this.input());
    const uids = new Set([...keys].map((key) => this.#ports.records.get(key)?.uid));
    const missing = [...[...this.#missing.keys()].filter(isUnavailable), ...keys];
    const confirmed = [...this.#confirmed].filter((uid) => !isComplete || uids.has(uid)).sort();
    return { missing: this.#missing.state(missing, isComplete), confirmed };
  }

  /** What would be done now. */
  plan(): Plan {
    return this.#index.plan(this.input());
  }

  /** The decision about one object; a delete under a prune limit is decided within the whole plan. */
  decide(key: string, input: PlanInput = this.input()): Decision {
    const decision = decide(key, input);
    const isDelete = decision.kind === "step" && decision.step.kind === "delete";
    if (!isDelete || input.pruneLimit === undefined) return decision;
    return plan(input).kept.find(({ live }) => live.key === key) ?? decision;
  }

  /** What {@link decide} looks at, to be made once for many objects. */
  input(): PlanInput {
    const { prune, records, baselines, clock } = this.#ports;
    const context = {
      desired: this.#desired,
      missing: this.#missing,
      isDesiredUid: (uid: string): boolean => this.#uids.has(uid),
      isPrunable: (ref: { readonly group: string; readonly kind: string }): boolean =>
        prune.allKinds || prune.kinds.some((gvk) => gvk.kind === ref.kind && gvk.group === ref.group),
      legacyPrune: prune.legacy,
      confirmed: this.#confirmed,
      isOff: prune.isOff || !this.#isPruneOn,
      now: clock.monotonic(),
      pruneSettleMs: prune.settleMs,
    };
    const input = { desired: this.#desired, records, baselines, prune: context, pruneLimit: prune.limit };
    return this.#pausedUntil === undefined ? input : { ...input, pausedUntil: this.#pausedUntil };
  }

  /** An object that is in the directory again is not the one whose prune was confirmed: should it leave, it is judged anew. */
  #withdrawConfirmation(key: string): void {
    const uid = this.#ports.records.get(key)?.uid;
    if (uid !== undefined) this.#confirmed.delete(uid);
  }
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a.size !== b.size) return false;
  for (const item of a) if (!b.has(item)) return false;
  return true;
}
