import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { METRICS } from "./metric-table.ts";

const FOLDER = join(import.meta.dirname, "../../deploy/monitoring");

const read = (file: string): string => readFileSync(join(FOLDER, file), "utf8");

/** Every string under a key `expr`, `query` or `definition`, however deep. */
function expressionsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(expressionsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "string" && ["expr", "query", "definition"].includes(key) ? [inner] : expressionsIn(inner),
  );
}

const rules: unknown = load(read("keelson.rules.yaml"));
const dashboard: unknown = JSON.parse(read("keelson.dashboard.json"));
const expressions = [...expressionsIn(rules), ...expressionsIn(dashboard)];

/** Metric names as they are in the table, without what a histogram adds. */
function metricsIn(expression: string): readonly string[] {
  const names = expression.match(/\b(?:keelson|process|nodejs)_[a-z_]+\b/g) ?? [];
  return names.map((name) => (Object.hasOwn(METRICS, name) ? name : name.replace(/_(?:bucket|sum|count)$/, "")));
}

const ALL_LABELS = new Set(["job", "instance", "le", ...Object.values(METRICS).flatMap(({ labels }) => labels)]);

/** Labels in braces that their metric does not have. */
function wrongSelectors(expression: string): readonly string[] {
  const selectors = [...expression.matchAll(/\b((?:keelson|process|nodejs)_[a-z_]+)\{([^}]*)\}/g)];
  return selectors.flatMap(([, name = "", selector = ""]) => {
    const [metric = ""] = metricsIn(name);
    const labels: readonly string[] = ["job", ...(METRICS[metric as keyof typeof METRICS]?.labels ?? [])];
    const used = [...selector.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)].map(([, label = ""]) => label);
    return used.filter((label) => !labels.includes(label)).map((label) => `${name}{${label}}`);
  });
}

/** Labels that are grouped or matched by and that no metric has. */
function wrongGroupings(expression: string): readonly string[] {
  const lists = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)];
  return lists
    .flatMap(([, list = ""]) => list.split(",").map((text) => text.trim()))
    .filter((label) => !ALL_LABELS.has(label));
}

describe("dashboard and alert rules", () => {
  it("name metrics that there are", () => {
    expect(expressions.length).toBeGreaterThan(40);
    const unknown = expressions.flatMap(metricsIn).filter((name) => !Object.hasOwn(METRICS, name));

    expect(unknown).toEqual([]);
  });

  it("show or watch every metric of ours", () => {
    const named = new Set(expressions.flatMap(metricsIn));

    expect(Object.keys(METRICS).filter((name) => name.startsWith("keelson_") && !named.has(name))).toEqual([]);
  });

  it("select by labels that the metric has", () => {
    const wrong = expressions.flatMap((expression) => [...wrongSelectors(expression), ...wrongGroupings(expression)]);

    expect(wrong).toEqual([]);
  });

  it("are the same as a file and as an object", () => {
    const object = load(read("prometheusrule.yaml")) as { kind: string; spec: unknown };

    expect(object.kind).toBe("PrometheusRule");
    expect(object.spec).toEqual(rules);
  });

  it("say of every alert how grave it is, what it means and what to do", () => {
    const { groups } = rules as {
      groups: { rules: { alert: string; labels: Record<string, string>; annotations: Record<string, string> }[] }[];
    };
    for (const { alert, labels, annotations } of groups.flatMap((group) => group.rules)) {
      expect(alert).toMatch(/^Keelson[A-Z]/);
      expect(labels.severity).toMatch(/^(critical|warning|info)$/);
      expect(annotations.summary).toBeTruthy();
      expect(annotations.description).toBeTruthy();
    }
  });
});
