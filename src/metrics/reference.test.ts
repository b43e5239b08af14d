import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { METRICS } from "./metric-table.ts";

const PAGE = join(import.meta.dirname, "../../docs/reference/metrics.md");

/** The rows of the first table. */
function documented(): readonly string[] {
  const [table = ""] = readFileSync(PAGE, "utf8").split("\n## ", 1);
  return table.split("\n").filter((line) => line.startsWith("| `"));
}

describe("docs/reference/metrics.md", () => {
  it("has every metric with its type, labels and meaning, in the order of the table in the code", () => {
    const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => {
      const shown = labels.length === 0 ? "–" : labels.map((label) => `\`${label}\``).join(", ");
      return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
    });

    expect(documented()).toEqual(rows);
  });

  it("explains every label that may need it", () => {
    const explained = new Set(
      [...readFileSync(PAGE, "utf8").matchAll(/^\| `([a-z]+)` \| /gm)].map(([, label]) => label),
    );
    const labels = new Set(Object.values(METRICS).flatMap((spec) => spec.labels));

    for (const label of labels) if (label !== "version" && label !== "node") expect(explained).toContain(label);
  });
});
