/**
 * # metrics: what monitoring systems read
 *
 * One table of metrics (`metric-table.ts`), counted as things happen ({@link EngineMeter}, {@link RequestMeter}) or asked
 * when somebody scrapes ({@link Figures}), as text in Prometheus' format or OpenMetrics.
 *
 * Invariants: gathering costs no request to the API server and no timer; no metric has a series for each object, and a
 * label whose values others choose has a bounded number of them; nothing secret becomes a label.
 *
 * It does not serve, keep history, or know what is good or bad: alert rules do (`deploy/monitoring`). Loaded only where
 * something is served: other folders import its types alone.
 */
export type { ControllerFigures, Count, Figures, HistoryFigures, SetFigures } from "./figures.ts";
export type { EngineMeter, RequestMeter } from "./meter.ts";
export { Metrics, type MetricsOptions } from "./metrics.ts";
export type { MetricsPage } from "./registry.ts";
