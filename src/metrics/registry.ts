import {
  Counter,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  type PrometheusContentType,
  Registry,
} from "prom-client";
import { METRICS, type MetricName, type MetricSpec } from "./metric-table.ts";
import type { Exposition } from "./negotiate.ts";

/** A page of metrics. */
export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}

type Labels = Readonly<Record<string, string>>;
type Metric = Counter<string> | Gauge<string> | Histogram<string>;

const CONTENT_TYPES = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const;

/** Values of the metrics of `METRICS`; prom-client behind names that the compiler checks. */
export class MetricStore {
  readonly #registry: Registry<PrometheusContentType | OpenMetricsContentType> = new Registry();
  readonly #metrics: ReadonlyMap<MetricName, Metric>;
  /** Pages are made one at a time: the registry has one format. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor() {
    const entries = Object.entries(METRICS) as [MetricName, MetricSpec][];
    this.#metrics = new Map(entries.map(([name, spec]) => [name, this.#create(name, spec)]));
  }

  /** Adds to a counter. */
  count(name: MetricName, labels: Labels = {}, by = 1): void {
    const metric = this.#metrics.get(name);
    if (metric instanceof Counter) metric.inc({ ...labels }, by);
  }

  /** Sets a gauge. */
  set(name: MetricName, labels: Labels, value: number): void {
    const metric = this.#metrics.get(name);
    if (metric instanceof Gauge) metric.set({ ...labels }, value);
  }

  /** Adds an observation to a histogram. */
  observe(name: MetricName, labels: Labels, value: number): void {
    const metric = this.#metrics.get(name);
    if (metric instanceof Histogram) metric.observe({ ...labels }, value);
  }

  /** Sets a counter or gauge to a total that is counted elsewhere. */
  total(name: MetricName, labels: Labels, value: number): void {
    const metric = this.#metrics.get(name);
    if (metric instanceof Gauge) metric.set({ ...labels }, value);
    if (!(metric instanceof Counter)) return;
    metric.remove({ ...labels });
    metric.inc({ ...labels }, value);
  }

  /** Forgets all series of a metric. */
  clear(name: MetricName): void {
    this.#metrics.get(name)?.reset();
  }

  /** All metrics as text. `refresh` is called right before. */
  page(format: Exposition, refresh: () => void): Promise<MetricsPage> {
    const page = this.#turn.then(() => this.#render(format, refresh));
    this.#turn = page.catch(() => {});
    return page;
  }

  async #render(format: Exposition, refresh: () => void): Promise<MetricsPage> {
    refresh();
    const contentType = CONTENT_TYPES[format];
    this.#registry.setContentType(contentType);
    const metrics = this.#registry.getMetricsAsArray();
    const names = metrics.map(({ name }) => name);
    try {
      return { contentType, body: await this.#registry.metrics() };
    } finally {
      // For OpenMetrics prom-client strips `_total` from the metric itself: the other format would lose it for good.
      for (const [index, metric] of metrics.entries()) metric.name = names[index] ?? metric.name;
    }
  }

  #create(name: MetricName, { type, help, labels, buckets }: MetricSpec): Metric {
    const options = { name, help, labelNames: [...labels], registers: [this.#registry] };
    switch (type) {
      case "counter":
        return new Counter(options);
      case "gauge":
        return new Gauge(options);
      case "histogram":
        return new Histogram({ ...options, buckets: [...(buckets ?? [])] });
    }
  }
}
