import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { matchesDesired } from "./matches.ts";
import { appliedSet, deployment, foreignEntry, liveOf, scalarPlaces, withValue } from "./samples.case.ts";

const podSpec = ["spec", "template", "spec"];

function matches(live: KubeObject, desired = deployment()): boolean {
  return matchesDesired(live, desired, appliedSet(desired));
}

function configMap(data: unknown): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data };
}

describe("matchesDesired", () => {
  test("is true of the applied object, whatever others have added", () => {
    let live = liveOf(deployment());
    live = withValue(live, ["metadata", "labels", "foreign"], "x");
    live = withValue(live, ["spec", "revisionHistoryLimit"], 10);
    live = withValue(live, [...podSpec, "containers", 0, "imagePullPolicy"], "Always");
    live = withValue(live, [...podSpec, "containers", 0, "env", 2], { name: "C", value: "foreign" });
    live = withValue(live, [...podSpec, "volumes", 2], { name: "foreign", emptyDir: {} });

    expect(matches(live)).toBe(true);
  });

  test("is false where any one desired value differs or is missing", () => {
    const identity = new Set(["apiVersion", "kind", "metadata.name", "metadata.namespace"]);
    for (const place of scalarPlaces(deployment()).filter((path) => !identity.has(path.join(".")))) {
      for (const value of ["other", undefined]) {
        const live = withValue(liveOf(deployment()), place, value);
        expect([place, value, matches(live)]).toEqual([place, value, false]);
      }
    }
  });

  test("is false where our items of a list changed places, true where others stand between them", () => {
    const env = [...podSpec, "containers", 0, "env"];
    const [a, b, foreign] = [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
      { name: "F", value: "f" },
    ];

    expect(matches(withValue(liveOf(deployment()), env, [b, a]))).toBe(false);
    expect(matches(withValue(liveOf(deployment()), env, [foreign, a, foreign, b]))).toBe(true);
    expect(matches(withValue(liveOf(deployment()), env, [a, b, a]))).toBe(false);
  });

  test("is false without an entry of ours", () => {
    expect(matchesDesired(liveOf(deployment()), deployment(), undefined)).toBe(false);
  });
});

describe("sets", () => {
  const desired: KubeObject = { ...configMap(undefined), metadata: { name: "c", finalizers: ["a", "b"] } };

  test.each([
    [["a", "b"], true],
    [["a", "x", "b"], true],
    [["b", "a"], false],
    [["a"], false],
    [["a", "b", "b"], false],
    [undefined, false],
  ])("finalizers %j match: %s", (finalizers, isMatch) => {
    expect(matches(withValue(liveOf(desired), ["metadata", "finalizers"], finalizers), desired)).toBe(isMatch);
  });
});

describe("empty values", () => {
  test.each([
    [{}, {}, true],
    [{}, undefined, false],
    [{}, { a: "foreign" }, false],
    [[], [], true],
    [[], {}, false],
    [null, null, true],
    [null, undefined, false],
    ["", undefined, false],
    [{ a: {} }, { a: {}, b: 1 }, true],
  ])("desired %j against live %j: %s", (desired, live, isMatch) => {
    expect(matches(withValue(liveOf(configMap(desired)), ["data"], live), configMap(desired))).toBe(isMatch);
  });

  test("an empty map of ours may hold what others own", () => {
    const others = [foreignEntry("x", { "f:data": { "f:a": {} } })];
    const live = withValue(liveOf(configMap({}), { others }), ["data"], { a: "foreign" });

    expect(matchesDesired(live, configMap({}), { "f:data": {} })).toBe(true);
  });

  test("a leaf of ours in which others own fields is an empty map, not the atomic one that is desired", () => {
    const desired = configMap({ a: "1" });
    const entry = { manager: "keelson", operation: "Apply", fieldsV1: { "f:data": {} } } as const;
    const others = [foreignEntry("x", { "f:data": { "f:a": {} } })];

    expect(matchesDesired(liveOf(desired, { entry, others }), desired, entry.fieldsV1)).toBe(false);
    expect(matchesDesired(liveOf(desired, { entry }), desired, entry.fieldsV1)).toBe(true);
  });
});

test("numbers match by value, text by type", () => {
  const live = (value: unknown) => liveOf(configMap({ a: value }));

  expect(matches(live(9007199254740993n), configMap({ a: 9007199254740993n }))).toBe(true);
  expect(matches(live(5n), configMap({ a: 5 }))).toBe(true);
  expect(matches(live("80"), configMap({ a: 80 }))).toBe(false);
});
