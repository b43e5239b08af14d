import { describe, expect, test } from "vitest";
import { leakPatch } from "./leak-patch.ts";
import { appliedEntry, appliedSet, deployment, foreignEntry, liveOf, withValue } from "./samples.case.ts";

const podSpec = ["spec", "template", "spec"];

/** What we owned before: the whole sample. Now only `desired` is ours, but the object still holds all. */
function leaks(desired: ReturnType<typeof deployment>, others: Parameters<typeof liveOf>[1] = {}) {
  const live = liveOf(deployment(), { entry: appliedEntry(desired), ...others });
  return leakPatch(live, appliedSet(deployment()), desired)?.map(({ op, path }) => `${op} ${path}`);
}

describe("leakPatch", () => {
  test("has nothing to do where nothing was dropped", () => {
    expect(leaks(deployment())).toBeUndefined();
  });

  test("removes dropped fields and list items that nobody owns, the later items first", () => {
    let desired = withValue(deployment(), ["metadata", "labels", "k8s-app"], undefined);
    desired = withValue(desired, ["spec", "strategy"], undefined);
    desired = withValue(desired, [...podSpec, "volumes"], [{ name: "other" }]);
    desired = withValue(desired, [...podSpec, "containers", 0, "env", 0], undefined);
    const leaked = leaks(desired);

    expect(leaked).toEqual([
      "replace /metadata/resourceVersion",
      "remove /metadata/labels/k8s-app",
      "remove /spec/strategy",
      "remove /spec/template/spec/containers/0/env/0",
    ]);
    expect(leaks(withValue(deployment(), [...podSpec, "volumes"], []))?.slice(1)).toEqual([
      "remove /spec/template/spec/volumes/1",
      "remove /spec/template/spec/volumes/0",
    ]);
  });

  test("leaves what anybody owns, in whole or in part", () => {
    const desired = withValue(deployment(), ["spec", "strategy"], undefined);
    const inStrategy = { "f:spec": { "f:strategy": { "f:type": {} } } };

    expect(leaks(desired, { others: [foreignEntry("x", inStrategy)] })).toBeUndefined();
    expect(leaks(desired, { others: [foreignEntry("before-first-apply", inStrategy)] })).toHaveLength(2);
  });

  test("leaves what is gone anyway", () => {
    const desired = withValue(deployment(), ["spec", "strategy"], undefined);
    const live = liveOf(desired, { entry: appliedEntry(desired) });

    expect(leakPatch(live, appliedSet(deployment()), desired)).toBeUndefined();
  });

  test("removes members of sets", () => {
    const before = { ...deployment(), metadata: { name: "x", finalizers: ["a", "b", "c"] } };
    const desired = { ...deployment(), metadata: { name: "x", finalizers: ["b"] } };
    const live = liveOf(before, { entry: appliedEntry(desired) });

    expect(leakPatch(live, appliedSet(before), desired)?.slice(1)).toEqual([
      { op: "remove", path: "/metadata/finalizers/2" },
      { op: "remove", path: "/metadata/finalizers/0" },
    ]);
  });
});
