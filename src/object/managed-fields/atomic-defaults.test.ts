import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { atomicDefaultsOf, equalsAtomic } from "./atomic-defaults.ts";
import { matchesDesired } from "./matches.ts";
import { appliedSet, liveOf, withValue } from "./samples.case.ts";

const builtIn = atomicDefaultsOf({ apiVersion: "networking.k8s.io/v1" });

describe("equalsAtomic", () => {
  test.each([
    [[{ port: 53, protocol: "TCP" }], [{ port: 53 }], true],
    [[{ port: 53, protocol: "UDP" }], [{ port: 53 }], false],
    [[{ port: 53 }], [{ port: 53, protocol: "TCP" }], false],
    [[{ port: 53, endPort: 60 }], [{ port: 53 }], false],
    [[{ port: 53 }, { port: 54 }], [{ port: 53 }], false],
    [{ kind: "User", name: "a", apiGroup: "rbac.authorization.k8s.io" }, { kind: "User", name: "a" }, true],
    [{ fieldRef: { fieldPath: "x", apiVersion: "v1" } }, { fieldRef: { fieldPath: "x" } }, true],
    [{ fieldRef: { fieldPath: "x", apiVersion: "v2" } }, { fieldRef: { fieldPath: "x" } }, false],
    ["a", "a", true],
    ["a", { a: 1 }, false],
  ])("live %j as desired %j: %s", (live, desired, isEqual) => {
    expect(equalsAtomic(live, desired, builtIn)).toBe(isEqual);
  });
});

test("custom resources have no known defaults", () => {
  expect(atomicDefaultsOf({ apiVersion: "x.dev/v1" }).size).toBe(0);
  expect(atomicDefaultsOf({ apiVersion: "v1" }).size).toBeGreaterThan(0);
  expect(atomicDefaultsOf({ apiVersion: "apps/v1" }).size).toBeGreaterThan(0);
});

test("a restart takes an object with such a default for converged, and no custom resource", () => {
  const policy = (apiVersion: string): KubeObject => ({
    apiVersion,
    kind: "NetworkPolicy",
    metadata: { name: "p" },
    spec: { ingress: [{ ports: [{ port: 53 }] }] },
  });
  const isConverged = (desired: KubeObject) => {
    const live = withValue(liveOf(desired), ["spec", "ingress", 0, "ports", 0, "protocol"], "TCP");
    return matchesDesired(live, desired, appliedSet(desired));
  };

  expect(isConverged(policy("networking.k8s.io/v1"))).toBe(true);
  expect(isConverged(policy("x.dev/v1"))).toBe(false);
});
