import { describe, expect, it } from "vitest";
import { BoundedLabel } from "./bounded-label.ts";
import type { ControllerFigures } from "./figures.ts";
import { METRICS } from "./metric-table.ts";
import { Metrics } from "./metrics.ts";
import { negotiate } from "./negotiate.ts";

const OPENMETRICS = "application/openmetrics-text;version=1.0.0";

const addon: ControllerFigures = {
  controller: "addon",
  isLeading: true,
  isSynced: true,
  isConverged: true,
  objects: [{ labels: { mode: "Reconcile", readiness: "Current" }, count: 12 }],
  converged: 12,
  blocked: 0,
  failed: [],
  steps: [],
  held: [],
  fights: 0,
  unavailableKinds: 0,
  problems: 0,
};

function metricsOf(figures: () => ControllerFigures = () => addon): Metrics {
  return new Metrics({
    version: "1.2.3",
    now: () => 5_000,
    figures: () => ({ isApiReachable: true, stuckLoops: 0, controllers: [figures()] }),
  });
}

async function linesOf(metrics: Metrics, accept?: string): Promise<readonly string[]> {
  return (await metrics.page(accept)).body.split("\n");
}

describe("a page of metrics", () => {
  it("tells figures as they are at each scrape, and forgets series that are over", async () => {
    let figures: ControllerFigures = { ...addon, failed: [{ labels: { code: "Forbidden" }, count: 2 }] };
    const metrics = metricsOf(() => figures);
    const failed = 'keelson_objects_failed{controller="addon",code="Forbidden"} 2';
    expect(await linesOf(metrics)).toContain(failed);

    figures = addon;
    const lines = await linesOf(metrics);

    expect(lines).not.toContain(failed);
    expect(lines).toContain('keelson_objects{controller="addon",mode="Reconcile",readiness="Current"} 12');
    expect(lines).toContain(`keelson_build_info{version="1.2.3",node="${process.version}"} 1`);
  });

  it("keeps the time at which all was last converged while it is not", async () => {
    let figures = addon;
    const metrics = metricsOf(() => figures);
    await metrics.page(undefined);

    figures = { ...addon, isConverged: false };
    const lines = await linesOf(metrics);

    expect(lines).toContain('keelson_converged{controller="addon"} 0');
    expect(lines).toContain('keelson_last_converged_timestamp_seconds{controller="addon"} 5');
  });

  it("tells of revisions and journal where they are kept", async () => {
    const history = {
      revision: 7,
      recorded: 5,
      heldRevision: undefined,
      pauses: 1,
      isJournalWritable: true,
      journalGaps: 2,
      journalLostLines: 30,
    };
    const metrics = metricsOf(() => ({ ...addon, history }));
    await metrics.page(undefined);

    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'keelson_revision{controller="addon"} 7',
        'keelson_revisions_recorded_total{controller="addon"} 5',
        'keelson_revision_held{controller="addon"} 0',
        'keelson_pauses{controller="addon"} 1',
        'keelson_journal_writable{controller="addon"} 1',
        'keelson_journal_gaps_total{controller="addon"} 2',
        'keelson_journal_lost_lines_total{controller="addon"} 30',
      ]),
    );
  });

  it("counts what engine and client tell", async () => {
    const metrics = metricsOf();
    const engine = metrics.engine("addon");

    engine.changed("configured");
    engine.repaired("Deployment.apps", ["kubectl-edit", "kubectl-edit", "helm"]);
    engine.repaired("Service", []);
    engine.passed(3);
    metrics.requests.requested("apply", "deployments.apps", { code: 200, ms: 7 });
    metrics.requests.watchEnded("pods", "Expired");
    metrics.led("addon", true);
    metrics.led("addon", true);

    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'keelson_changes_total{controller="addon",outcome="configured"} 1',
        'keelson_drift_repairs_total{controller="addon",kind="Deployment.apps",manager="kubectl-edit"} 1',
        'keelson_drift_repairs_total{controller="addon",kind="Deployment.apps",manager="helm"} 1',
        'keelson_drift_repairs_total{controller="addon",kind="Service",manager="unknown"} 1',
        'keelson_pass_duration_seconds_bucket{le="0.005",controller="addon"} 1',
        'keelson_api_requests_total{verb="apply",resource="deployments.apps",code="200"} 1',
        'keelson_api_request_duration_seconds_bucket{le="0.01",verb="apply"} 1',
        'keelson_watch_restarts_total{resource="pods",reason="Expired"} 1',
        'keelson_leadership_terms_total{controller="addon"} 1',
        'keelson_fights_total{controller="addon"} 0',
      ]),
    );
  });

  it("comes in both formats, one after the other and at the same time", async () => {
    const metrics = metricsOf();
    metrics.engine("addon");

    const pages = await Promise.all([metrics.page(OPENMETRICS), metrics.page("text/plain"), metrics.page(OPENMETRICS)]);

    const [open, plain, again] = pages.map(({ body }) => body);
    expect(open).toContain("# TYPE keelson_fights counter\nkeelson_fights_total{");
    expect(open).toMatch(/# EOF\n$/);
    expect(plain).toContain("# TYPE keelson_fights_total counter\nkeelson_fights_total{");
    expect(plain).not.toContain("# EOF");
    expect(again).toContain("# TYPE keelson_fights counter\n");
    expect(pages.map(({ contentType }) => contentType.split(";", 1)[0])).toEqual([
      "application/openmetrics-text",
      "text/plain",
      "application/openmetrics-text",
    ]);
  });

  it("holds a hostile label value in one line", async () => {
    const metrics = metricsOf();
    metrics.engine("addon").repaired("Service", ['a"} 1\nevil_total 99\\']);

    const lines = await linesOf(metrics);

    expect(lines.filter((line) => line.startsWith("evil"))).toEqual([]);
    expect(lines).toContain(
      'keelson_drift_repairs_total{controller="addon",kind="Service",manager="a\\"} 1\\nevil_total 99\\\\"} 1',
    );
  });

  it("stays small, whoever invents field managers and kinds", async () => {
    const metrics = metricsOf();
    const engine = metrics.engine("addon");
    for (let i = 0; i < 5_000; i++) engine.repaired("ConfigMap", [`manager-${i}-${"x".repeat(200)}`]);

    const lines = await linesOf(metrics);

    const repairs = lines.filter((line) => line.startsWith("keelson_drift_repairs_total{"));
    expect(repairs).toHaveLength(51);
    expect(repairs.at(-1)).toBe(
      'keelson_drift_repairs_total{controller="addon",kind="ConfigMap",manager="other"} 4950',
    );
    expect(Math.max(...repairs.map((line) => line.length))).toBeLessThan(200);
  });

  it("tells of the process what the system says", async () => {
    const lines = await linesOf(metricsOf());

    const rss = Number(/^process_resident_memory_bytes (\d+)$/m.exec(lines.join("\n"))?.[1]);
    expect(rss).toBeGreaterThan(10e6);
    expect(lines.some((line) => /^process_cpu_seconds_total [\d.]+$/.test(line))).toBe(true);
    expect(lines.some((line) => /^process_open_fds \d+$/.test(line))).toBe(true);
  });
});

describe("names of metrics", () => {
  it.each(Object.entries(METRICS))("follow the conventions: %s", (name, { type, help, labels }) => {
    expect(name).toMatch(/^(keelson|process|nodejs)_[a-z_]+$/);
    expect(name.endsWith("_total")).toBe(type === "counter");
    if (type === "histogram") expect(name).toMatch(/_seconds$/);
    expect(name).not.toMatch(/_(ms|milliseconds|kb|percent)(_|$)/);
    expect(help).toMatch(/\.$/);
    for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
  });
});

describe("families of metrics", () => {
  it("have a name of their own in OpenMetrics too, where a counter's is without the suffix", () => {
    const families = Object.keys(METRICS).map((name) => name.replace(/_total$/, ""));

    expect(families).toEqual([...new Set(families)]);
  });
});

describe("the format", () => {
  it.each([
    [undefined, "prometheus"],
    ["*/*", "prometheus"],
    ["text/plain", "prometheus"],
    ["application/openmetrics-text", "openmetrics"],
    [
      "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
      "openmetrics",
    ],
    ["text/plain;q=0.9, application/openmetrics-text;q=0.1", "prometheus"],
    ["application/openmetrics-text;q=0", "prometheus"],
    ["application/openmetrics-text;q=nonsense", "prometheus"],
  ] as const)("for Accept %s is %s", (accept, format) => {
    expect(negotiate(accept)).toBe(format);
  });
});

describe("BoundedLabel", () => {
  it("tells the first values apart for good", () => {
    const label = new BoundedLabel(2);

    expect(["a", "b", "c", "a", "d"].map((value) => label.of(value))).toEqual(["a", "b", "other", "a", "other"]);
  });
});
