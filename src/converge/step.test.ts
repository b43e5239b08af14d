import { describe, expect, it } from "vitest";
import type { DriftedField } from "../object/index.ts";
import { deletePhaseOf, PHASES, phaseOf } from "./phase.ts";
import { isOlder } from "./record.ts";
import { describeReason, type Reason } from "./step.ts";

const by = (manager: string) => ({ owner: { manager, operation: "Update", subresource: "" } as const });
const field = (parts: Partial<DriftedField>): DriftedField => ({
  path: "spec.replicas",
  kind: "changed",
  desired: 2,
  live: 5,
  ...parts,
});

describe("describeReason", () => {
  it.each<{ reason: Reason; text: string }>([
    { reason: { kind: "changed", file: "dns.yaml", line: 12 }, text: "file dns.yaml:12 changed" },
    {
      reason: { kind: "drifted", fields: [field(by("kubectl-edit"))] },
      text: "drift: spec.replicas 2→5 by kubectl-edit",
    },
    { reason: { kind: "drifted", fields: [field({})] }, text: "drift: spec.replicas 2→5" },
    { reason: { kind: "drifted", fields: [] }, text: "drift: our entry in managedFields was changed" },
    {
      reason: { kind: "drifted", fields: [field({ kind: "removed", live: undefined })] },
      text: "drift: spec.replicas removed",
    },
    {
      reason: { kind: "drifted", fields: [field({ kind: "reordered", path: "spec.ports", ...by("x") })] },
      text: "drift: spec.ports reordered by x",
    },
    {
      reason: { kind: "drifted", fields: [field({ kind: "added", path: "data.c" })] },
      text: "drift: data.c applied under our name",
    },
    {
      reason: { kind: "drifted", fields: ["a", "b", "c", "d", "e"].map((path) => field({ path, kind: "removed" })) },
      text: "drift: a removed, b removed, c removed and 2 more",
    },
    {
      reason: { kind: "drifted", fields: [field({ desired: "x".repeat(60), live: 9007199254740993n })] },
      text: `drift: spec.replicas ${"x".repeat(40)}…→"9007199254740993"`,
    },
    { reason: { kind: "filtered", filter: "x", text: "because" }, text: "because" },
  ])("reads $text", ({ reason, text }) => {
    expect(describeReason(reason)).toBe(text);
  });

  it("has words for every plain reason", () => {
    const kinds = ["missing", "deleted", "adopted", "unverified", "mode-changed", "left", "protected"] as const;
    const texts = kinds.map((kind) => describeReason({ kind }));

    expect(new Set(texts).size).toBe(kinds.length);
    for (const text of texts) expect(text).toMatch(/\w{3}/);
  });
});

describe("phaseOf", () => {
  it.each([
    { phase: "definitions", kinds: ["CustomResourceDefinition.apiextensions.k8s.io", "Namespace"] },
    {
      phase: "configuration",
      kinds: ["ConfigMap", "ClusterRole.rbac.authorization.k8s.io", "Service", "Widget.x.dev"],
    },
    { phase: "workloads", kinds: ["Deployment.apps", "DaemonSet.apps", "Pod", "Job.batch"] },
    { phase: "routes", kinds: ["Ingress.networking.k8s.io"] },
    {
      phase: "registrations",
      kinds: [
        "APIService.apiregistration.k8s.io",
        "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
        "MutatingWebhookConfiguration.admissionregistration.k8s.io",
      ],
    },
  ] as const)("puts $kinds into $phase", ({ phase, kinds }) => {
    for (const key of kinds) {
      const [kind = "", ...group] = key.split(".");
      expect(PHASES[phaseOf({ group: group.join("."), kind })]).toBe(phase);
    }
  });

  it("does not take another group's Deployment for a workload", () => {
    expect(PHASES[phaseOf({ group: "x.dev", kind: "Deployment" })]).toBe("configuration");
  });

  it("deletes after every apply, in reverse", () => {
    const [namespace, service] = [
      { group: "", kind: "Namespace" },
      { group: "", kind: "Service" },
    ];

    expect(deletePhaseOf(service)).toBeGreaterThan(PHASES.length - 1);
    expect(deletePhaseOf(namespace)).toBeGreaterThan(deletePhaseOf(service));
  });
});

it.each([
  { a: "9", b: "10", older: true },
  { a: "10", b: "9", older: false },
  { a: "10", b: "10", older: false },
])("compares resourceVersions as numbers: $a older than $b is $older", ({ a, b, older }) => {
  expect(isOlder(a, b)).toBe(older);
});
