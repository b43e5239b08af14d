import { describe, expect, test } from "vitest";
import { entryOf, ownsField, ownsLabel, trackingReliable } from "./entry.ts";
import { ownershipOf } from "./fields.ts";
import { appliedEntry, deployment, foreignEntry, liveOf } from "./samples.case.ts";

const entry = appliedEntry(deployment());
const container = ["spec", "template", "spec", "containers", { key: { name: "dns" } }] as const;

describe("entryOf", () => {
  test("knows a manager by name, operation and the object itself", () => {
    const scale = foreignEntry("keelson", {}, { operation: "Apply", subresource: "scale" });
    const update = foreignEntry("keelson", {});
    const live = liveOf(deployment(), { others: [scale, update] });

    expect(entryOf(live, "keelson", "Apply")).toEqual(entry);
    expect(entryOf(live, "keelson", "Update")).toBe(live.metadata.managedFields?.[2]);
    expect(entryOf(live, "other", "Apply")).toBeUndefined();
    expect(entryOf(deployment(), "keelson", "Apply")).toBeUndefined();
    expect(entryOf(liveOf(deployment(), { entry: scale }), "keelson", "Apply")).toBeUndefined();
  });
});

describe("ownsField", () => {
  test.each([
    [["spec", "replicas"], true],
    [["spec", "paused"], false],
    [["spec"], false],
    [["spec", "selector", "matchLabels", "k8s-app"], true],
    [[...container], true],
    [[...container, "image"], true],
    [[...container, "tty"], false],
    [[...container, "ports", { key: { containerPort: 53, protocol: "TCP" } }, "name"], true],
    [[...container, "ports", { key: { containerPort: 54, protocol: "TCP" } }], false],
    [[...container, "args", 0], true],
    [[], false],
  ])("%j: %s", (path, isOwned) => {
    expect(ownsField(entry, path)).toBe(isOwned);
  });

  test("an empty entry, or none, owns nothing", () => {
    expect(ownsField({ ...entry, fieldsV1: {} }, ["spec"])).toBe(false);
    expect(ownsField(undefined, ["spec"])).toBe(false);
  });

  test("members of sets and items of indexed lists are fields too", () => {
    const fields = { "f:a": { 'v:"x"': {} }, "f:b": { "i:1": {} } };

    expect(ownershipOf(fields, ["a", { value: "x" }])).toBe("owned");
    expect(ownershipOf(fields, ["a", { value: "y" }])).toBe("none");
    expect(ownershipOf(fields, ["b", 1])).toBe("owned");
    expect(ownershipOf(fields, ["b"])).toBe("below");
  });
});

test("ownsLabel is the proof that copies of our labels lack", () => {
  expect(ownsLabel(entry, "k8s-app")).toBe(true);
  expect(ownsLabel(entry, "other")).toBe(false);
  expect(ownsLabel(undefined, "k8s-app")).toBe(false);
});

describe("trackingReliable", () => {
  const live = (apiVersion: string) => liveOf(deployment(), { others: [foreignEntry("x", {}, { apiVersion })] });

  test.each([
    ["apps/v1", ["v1"], true],
    ["apps/v1beta1", ["v1", "v1beta1"], true],
    ["apps/v1beta1", ["v1"], false],
    ["extensions/v1beta1", ["v1", "v1beta1"], false],
    ["v1", ["v1"], false],
  ])("an entry of %s where %j is served: %s", (apiVersion, served, isReliable) => {
    expect(trackingReliable(live(apiVersion), served)).toBe(isReliable);
  });

  test("an object without entries is tracked", () => {
    expect(trackingReliable(deployment(), [])).toBe(true);
  });
});
