import { expect, it } from "vitest";
import { FeatureGates } from "./feature-gates.ts";

it("has every gate off, and no text, before the first config", () => {
  const gates = new FeatureGates();

  expect([gates.isEnabled("metricsExporter"), String(gates)]).toEqual([false, ""]);
});

it("replaces the whole state, keeps unknown names and shows them in order", () => {
  const gates = new FeatureGates();
  gates.init({ old: true });
  gates.init({ feat2: false, feat1: true });

  expect([gates.isEnabled("feat1"), gates.isEnabled("feat2"), gates.isEnabled("old")]).toEqual([true, false, false]);
  expect(String(gates)).toBe("feat1:true, feat2:false");
});
