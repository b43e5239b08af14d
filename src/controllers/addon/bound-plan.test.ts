import { describe, expect, it } from "vitest";
import { parseBoundPlan, whatMoved } from "./bound-plan.ts";
import type { PlanReport, StepReport } from "./reports.ts";

const dns = { group: "apps", kind: "Deployment", namespace: "kube-system", name: "dns" };
const step: StepReport = {
  action: "apply",
  object: dns,
  reason: "file dns.yaml:1 changed",
  diff: [],
  uid: "u1",
  resourceVersion: "7",
  digest: "v1:a",
};
const plan: PlanReport = {
  version: 1,
  set: "",
  path: "/addons",
  cluster: "c1",
  desired: "v1:d",
  steps: [step],
  summary: {},
  held: { objects: [] },
  problems: [],
  omitted: [],
};
const withStep = (changed: Partial<StepReport>): PlanReport => ({ ...plan, steps: [{ ...step, ...changed }] });

describe("whatMoved", () => {
  it("finds nothing where the same plan would be made again", () => {
    expect(whatMoved(plan, structuredClone(plan))).toEqual([]);
  });

  it.each<[string, PlanReport, RegExp]>([
    ["another set", { ...plan, set: "edge" }, /^it is for the set without a name, and this is set "edge"$/],
    ["another cluster", { ...plan, cluster: "c2" }, /another cluster/],
    ["another directory", { ...plan, desired: "v1:e" }, /asks for something else/],
    ["a write to the object", withStep({ resourceVersion: "8" }), /dns: it changed: resourceVersion 8, planned 7$/],
    ["another object of the name", withStep({ uid: "u2" }), /another object now \(uid u2, planned u1\)/],
    ["another manifest", withStep({ digest: "v1:b" }), /its manifest is another one now/],
    ["another action", withStep({ action: "create" }), /planned to apply, and now to create/],
    ["nothing to do", { ...plan, steps: [] }, /nothing to do about it now/],
    ["more to take", withStep({ takes: [{ kind: "Pod", count: 2 }] }), /take with it 2 Pod, planned nothing/],
  ])("names %s", (_, now, text) => {
    const moved = whatMoved(plan, now);

    expect(moved).toHaveLength(1);
    expect(moved[0]).toMatch(text);
  });

  it("names a step that was not planned", () => {
    const other: StepReport = { action: "delete", object: { ...dns, name: "old" }, reason: "left", diff: [] };

    expect(whatMoved(plan, { ...plan, steps: [step, other] })).toEqual([
      "Deployment kube-system/old: it is not planned to delete it; now it would be: left",
    ]);
  });

  it("does not mind what is held or waits", () => {
    expect(
      whatMoved({ ...plan, steps: [step, { ...step, action: "hold", object: { ...dns, name: "x" } }] }, plan),
    ).toEqual([]);
  });
});

describe("parseBoundPlan", () => {
  it("reads what plan prints", () => {
    const { set, path, cluster, desired, steps } = plan;

    expect(parseBoundPlan(JSON.stringify(plan), "p.json")).toEqual({ set, path, cluster, desired, steps });
  });

  it.each([
    ["no JSON", "steps: []", /p\.json is no plan: /],
    ["another format", JSON.stringify({ ...plan, version: 2 }), /version 1/],
    ["no set", JSON.stringify({ ...plan, set: undefined }), /does not say of which set/],
    ["a step without an object", JSON.stringify({ ...plan, steps: [{ action: "apply" }] }), /step 1 has no action/],
    ["an unknown action", JSON.stringify({ ...plan, steps: [{ ...step, action: "rm" }] }), /step 1 has no action/],
  ])("refuses %s", (_, text, message) => {
    expect(() => parseBoundPlan(text, "p.json")).toThrow(message);
  });
});
