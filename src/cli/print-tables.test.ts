import { describe, expect, it } from "vitest";
import type { ApplyReport, ConfirmReport, LintReport, StatusReport } from "../daemon/index.ts";
import { printApply } from "./print-apply.ts";
import { printConfirm } from "./print-confirm.ts";
import { printLint } from "./print-lint.ts";
import { createPaint } from "./print-report.ts";
import { printStatus } from "./print-status.ts";
import { formatPlace, formatSummary, formatTable } from "./table.ts";

const plain = createPaint(false);
const dns = { group: "", kind: "ConfigMap", namespace: "kube-system", name: "dns" };
const admin = { group: "rbac.authorization.k8s.io", kind: "ClusterRole", namespace: "", name: "admin" };

describe("printApply", () => {
  it("says what became of each object, and counts the unchanged", () => {
    const report: ApplyReport = {
      steps: [],
      objects: [
        { outcome: "created", object: dns, file: "dns.yaml", line: 1 },
        { outcome: "unchanged", object: admin, file: "rbac.yaml", line: 1 },
        { outcome: "failed", object: admin, file: "rbac.yaml", line: 9, message: "forbidden" },
      ],
      summary: { created: 1, unchanged: 1, failed: 1 },
      held: { objects: [] },
      problems: [],
      omitted: [],
    };

    expect(printApply(report, plain)).toBe(
      [
        "ConfigMap kube-system/dns created (dns.yaml:1)",
        "ClusterRole admin failed (rbac.yaml:9): forbidden",
        "",
        "Done: 1 created, 1 unchanged, 1 failed",
        "",
      ].join("\n"),
    );
  });
});

describe("printLint", () => {
  it("lists objects with their modes, and problems", () => {
    const report: LintReport = {
      objects: [
        { file: "dns.yaml", line: 1, mode: "Reconcile", object: dns },
        { file: "rbac.yaml", line: 12, mode: "omitted", object: admin },
      ],
      problems: [{ file: "x.yaml", line: 2, message: "duplicate key" }],
    };

    expect(printLint(report, plain)).toBe(
      [
        "Objects:",
        "  PLACE         MODE       OBJECT",
        "  dns.yaml:1    Reconcile  ConfigMap kube-system/dns",
        "  rbac.yaml:12  omitted    ClusterRole admin",
        "",
        "Problems:",
        "  PLACE     PROBLEM",
        "  x.yaml:2  duplicate key",
        "",
        "2 objects, 1 of them omitted; 1 problems",
        "",
      ].join("\n"),
    );
  });
});

describe("printStatus", () => {
  const report: StatusReport = {
    version: 1,
    set: "edge",
    instance: "cp-1_1",
    updated: "2030-01-01T00:00:00Z",
    path: "/etc/kubernetes/addons",
    phase: "degraded",
    message: "1 object failed",
    summary: { failed: 1, converged: 9 },
    objects: [{ object: dns, state: "failed", since: "2030-01-01T00:00:00Z", message: "forbidden" }],
    held: { objects: [] },
    problems: [],
  };

  it("shows the phase, and every object that is not as declared", () => {
    expect(printStatus(report, plain)).toBe(
      [
        "Phase:      degraded: 1 object failed",
        "Set:        edge",
        "Directory:  /etc/kubernetes/addons",
        "Leader:     cp-1_1 (a single pass)",
        "Objects:    9 converged, 1 failed",
        "Written:    2030-01-01T00:00:00Z",
        "",
        "Not as declared:",
        "  OBJECT                     STATE   SINCE                 NEXT TRY  PLACE  WHY",
        "  ConfigMap kube-system/dns  failed  2030-01-01T00:00:00Z  -         -      forbidden",
        "",
      ].join("\n"),
    );
  });

  it("leaves out what there is nothing to say of", () => {
    const text = printStatus({ ...report, set: "", phase: "converged", objects: [] }, plain);

    expect(text).not.toContain("Set:");
    expect(text).not.toContain("Not as declared");
  });
});

describe("printConfirm", () => {
  it.each([
    [{ digest: "d", released: [] } as ConfirmReport, "Nothing was held.\n"],
    [
      {
        digest: "d",
        released: [{ object: dns, uid: "1", reason: "empty directory", confirmable: true }],
      } as ConfirmReport,
      "Released; the daemon deletes them:\n  OBJECT                     WAS HELD\n  ConfigMap kube-system/dns  empty directory\n",
    ],
  ])("prints %j", (report, text) => {
    expect(printConfirm(report, plain)).toBe(text);
  });
});

describe("tables", () => {
  it("align columns and end lines without blanks", () => {
    expect(formatTable([["a", "bb", ""], ["ccc", "d", "e"], ["f"]])).toBe("a    bb\nccc  d   e\nf\n");
  });

  it.each([
    [{ file: "a.yaml", line: 3 }, "a.yaml:3"],
    [{ file: "a.yaml", line: 0 }, "a.yaml"],
    [{ file: "a.yaml" }, "a.yaml"],
    [{}, "-"],
  ])("name the place %j", (place, text) => {
    expect(formatPlace(place)).toBe(text);
  });

  it("sum up in the order given, then the rest, without zeros", () => {
    expect(formatSummary({ z: 1, b: 2, a: 3, c: 0 }, ["a", "b", "c"])).toBe("3 a, 2 b, 1 z");
    expect(formatSummary({}, ["a"])).toBe("nothing");
  });
});
