import { describe, expect, it } from "vitest";
import type { PlanReport, StepReport } from "../daemon/index.ts";
import { printPlan } from "./print-plan.ts";
import { createPaint } from "./print-report.ts";

const plain = createPaint(false);
const dns = { group: "apps", kind: "Deployment", namespace: "kube-system", name: "dns" };
const empty: PlanReport = {
  version: 1,
  set: "",
  path: "/addons",
  desired: "v1:0",
  steps: [],
  summary: {},
  held: { objects: [] },
  problems: [],
  omitted: [],
};
const step: StepReport = { action: "apply", object: dns, file: "dns.yaml", line: 12, reason: "it drifted", diff: [] };

const printed = (report: Partial<PlanReport>): string => printPlan({ ...empty, ...report }, plain);
const printedStep = (changed: Partial<StepReport>): string => printed({ steps: [{ ...step, ...changed }] });

describe("printPlan", () => {
  it("says so where there is nothing to do", () => {
    expect(printed({ summary: { unchanged: 120, create: 0 } })).toBe("Plan: 120 unchanged\n");
  });

  it.each([
    ["create", "+ create"],
    ["ensure", "+ ensure"],
    ["apply", "~ apply"],
    ["delete", "- delete"],
    ["release", "~ release"],
    ["keep", "= keep"],
    ["wait", ". wait"],
  ] as const)("marks %s", (action, mark) => {
    expect(printedStep({ action })).toMatch(
      new RegExp(
        `^${mark.replace("+", "\\+").replace(".", "\\.")} Deployment kube-system/dns \\(dns.yaml:12\\) it drifted$`,
        "m",
      ),
    );
  });

  it("shows each field as live and as it becomes", () => {
    const diff = [
      { path: "spec.replicas", before: 3, after: 2, manager: "kubectl-edit" },
      { path: "spec.paused", before: true },
      { path: "metadata.labels.a", after: "b" },
      { path: "spec.strategy", after: { type: "Recreate" } },
    ];

    expect(printedStep({ diff })).toBe(
      [
        "~ apply Deployment kube-system/dns (dns.yaml:12) it drifted",
        "    @ spec.replicas set by kubectl-edit",
        "    - 3",
        "    + 2",
        "    @ spec.paused",
        "    - true",
        "    @ metadata.labels.a",
        "    + b",
        "    @ spec.strategy",
        "    + type: Recreate",
        "",
        "Plan: nothing",
        "",
      ].join("\n"),
    );
  });

  it("shows of a long text the lines that differ, with their surroundings", () => {
    const lines = Array.from({ length: 50 }, (_, line) => `line ${line}`);
    const before = lines.join("\n");
    const after = before.replace("line 20", "line twenty");

    expect(printedStep({ diff: [{ path: "data.Corefile", before, after }] })).toContain(
      [
        "    @ data.Corefile",
        "    @ line 19, then 19",
        "      line 18",
        "      line 19",
        "    - line 20",
        "    + line twenty",
        "      line 21",
        "      line 22",
        "",
      ].join("\n"),
    );
  });

  it("cuts long lines and long values", () => {
    const after = Array.from({ length: 500 }, () => "x".repeat(1000)).join("\n");

    const text = printedStep({ diff: [{ path: "data.x", after }] });

    expect(text).toContain("… (1000 characters)");
    expect(text).toContain("… 440 more lines");
    expect(text.split("\n").length).toBeLessThan(80);
  });

  it("counts what goes with a deleted object", () => {
    const takes = [
      { kind: "Pod", count: 12 },
      { kind: "Secret", count: 3 },
    ];

    expect(printedStep({ action: "delete", takes })).toContain("    takes with it: 12 Pod, 3 Secret\n");
  });

  it("lists what is held, and how to release it", () => {
    const object = { group: "", kind: "ConfigMap", namespace: "a", name: "b" };
    const objects = [
      { object, uid: "1", reason: "the directory was empty", confirmable: true },
      { object: { ...object, name: "c" }, uid: "2", reason: "its label is mistyped", confirmable: false },
    ];

    expect(printed({ steps: [{ ...step, action: "hold" }], held: { digest: "d1", objects } })).toBe(
      [
        "Held, not deleted:",
        "  OBJECT         WHY",
        "  ConfigMap a/b  the directory was empty",
        "  ConfigMap a/c  its label is mistyped (cannot be confirmed)",
        "  To delete them: keelson prune --confirm d1",
        "",
        "Plan: nothing",
        "",
      ].join("\n"),
    );
  });

  it("lists problems with their places", () => {
    const problems = [
      { file: "a.yaml", line: 3, message: "not YAML" },
      { file: "b.yaml", line: 0, message: "unreadable" },
    ];

    expect(printed({ problems })).toContain(
      "Problems:\n  PLACE     PROBLEM\n  a.yaml:3  not YAML\n  b.yaml    unreadable\n",
    );
  });

  it("lets nothing of a file or a cluster act on the terminal", () => {
    const evil = "\u001b]0;title\u0007\r";

    const text = printed({
      steps: [
        {
          ...step,
          object: { ...dns, name: evil },
          file: evil,
          reason: evil,
          diff: [{ path: evil, before: evil, after: { [evil]: evil }, manager: evil }],
          takes: [{ kind: evil, count: 1 }],
        },
      ],
      held: { objects: [{ object: dns, uid: "u", reason: evil, confirmable: false }] },
      problems: [{ file: evil, line: 1, message: evil }],
      summary: {},
    });

    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });
});
