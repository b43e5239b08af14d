import { BoundedLabel } from "./bounded-label.ts";
import type { ControllerFigures, Count, Figures, HistoryFigures } from "./figures.ts";
import type { EngineMeter, RequestMeter } from "./meter.ts";
import type { MetricName } from "./metric-table.ts";
import { negotiate } from "./negotiate.ts";
import { processFigures } from "./process-figures.ts";
import { MetricStore, type MetricsPage } from "./registry.ts";

/** What metrics are made from. */
export interface MetricsOptions {
  readonly version: string;
  /** How things stand; asked at each scrape. */
  readonly figures: () => Figures;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
}

/** Most values of the labels that others choose. */
const MAX_MANAGERS = 50;
const MAX_KINDS = 200;

/** Counters as things happen, gauges as they stand when somebody asks. */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #store: MetricStore = new MetricStore();
  readonly #managers: BoundedLabel = new BoundedLabel(MAX_MANAGERS);
  readonly #kinds: BoundedLabel = new BoundedLabel(MAX_KINDS);
  readonly #leading: Set<string> = new Set();

  constructor(options: MetricsOptions) {
    this.#options = options;
    this.#store.set("keelson_build_info", { version: options.version, node: process.version }, 1);
  }

  /** What the API client tells. */
  readonly requests: RequestMeter = {
    requested: (verb, resource, { code, ms }) => {
      const labels = { verb, resource: this.#kinds.of(resource), code: String(code) };
      this.#store.count("keelson_api_requests_total", labels);
      this.#store.observe("keelson_api_request_duration_seconds", { verb }, ms / 1000);
    },
    watchEnded: (resource, reason) => {
      this.#store.count("keelson_watch_restarts_total", { resource: this.#kinds.of(resource), reason });
    },
  };

  /** What the engine of one controller tells. Its counters are there from now on, at zero. */
  engine(controller: string): EngineMeter {
    const store = this.#store;
    const labels = { controller };
    for (const name of FROM_ZERO) store.count(name, labels, 0);
    return {
      changed: (outcome) => store.count("keelson_changes_total", { ...labels, outcome }),
      repaired: (kind, managers) => {
        const names = new Set([...managers].map((manager) => this.#managers.of(manager)));
        for (const manager of names.size === 0 ? ["unknown"] : names) {
          store.count("keelson_drift_repairs_total", { ...labels, kind: this.#kinds.of(kind), manager });
        }
      },
      passed: (ms) => store.observe("keelson_pass_duration_seconds", labels, ms / 1000),
      fightBegan: () => store.count("keelson_fights_total", labels),
      selfCheckMissed: () => store.count("keelson_self_check_misses_total", labels),
    };
  }

  /** Everything as text, in the format that the scraper's Accept header asks for. */
  page(accept: string | undefined): Promise<MetricsPage> {
    return this.#store.page(negotiate(accept), () => this.#refresh());
  }

  /** A controller has become the leader, or is not the leader any more. */
  led(controller: string, isLeading: boolean): void {
    if (!isLeading) this.#leading.delete(controller);
    else if (!this.#leading.has(controller)) {
      this.#leading.add(controller);
      this.#store.count("keelson_leadership_terms_total", { controller });
    }
  }

  #refresh(): void {
    const { isApiReachable, stuckLoops, controllers } = this.#options.figures();
    this.#store.set("keelson_api_reachable", {}, Number(isApiReachable));
    this.#store.set("keelson_stuck_loops", {}, stuckLoops);
    for (const name of ANEW) this.#store.clear(name);
    for (const figures of controllers) this.#setController(figures);
    for (const [name, value] of processFigures()) this.#store.total(name, {}, value);
  }

  #setController(figures: ControllerFigures): void {
    const { controller } = figures;
    const set = (name: MetricName, value: number | boolean): void =>
      this.#store.set(name, { controller }, Number(value));
    const setAll = (name: MetricName, counts: readonly Count<string>[]): void => {
      for (const { labels, count } of counts) this.#store.set(name, { controller, ...labels }, count);
    };
    set("keelson_leader", figures.isLeading);
    set("keelson_synced", figures.isSynced);
    set("keelson_converged", figures.isConverged);
    if (figures.isConverged) set("keelson_last_converged_timestamp_seconds", this.#options.now() / 1000);
    setAll("keelson_objects", figures.objects);
    set("keelson_objects_converged", figures.converged);
    set("keelson_objects_blocked", figures.blocked);
    setAll("keelson_objects_failed", figures.failed);
    setAll("keelson_plan_steps", figures.steps);
    setAll("keelson_prunes_held", figures.held);
    set("keelson_objects_contested", figures.fights);
    set("keelson_unavailable_kinds", figures.unavailableKinds);
    set("keelson_problems", figures.problems);
    if (figures.history !== undefined) this.#setHistory(controller, figures.history);
  }

  #setHistory(controller: string, history: HistoryFigures): void {
    const totals: readonly (readonly [MetricName, number | boolean | undefined])[] = [
      ["keelson_revision", history.revision],
      ["keelson_revisions_recorded_total", history.recorded],
      ["keelson_revision_held", history.heldRevision ?? 0],
      ["keelson_pauses", history.pauses],
      ["keelson_journal_writable", history.isJournalWritable],
      ["keelson_journal_gaps_total", history.journalGaps],
      ["keelson_journal_lost_lines_total", history.journalLostLines],
    ];
    for (const [name, value] of totals) {
      if (value !== undefined) this.#store.total(name, { controller }, Number(value));
    }
  }
}

/** Counters that are shown before anything has happened: a rate needs a first value. */
const FROM_ZERO: readonly MetricName[] = [
  "keelson_fights_total",
  "keelson_leadership_terms_total",
  "keelson_self_check_misses_total",
];

/** Gauges whose series come and go with what they count. */
const ANEW: readonly MetricName[] = [
  "keelson_objects",
  "keelson_objects_failed",
  "keelson_plan_steps",
  "keelson_prunes_held",
];
