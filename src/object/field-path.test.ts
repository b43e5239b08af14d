import { describe, expect, test } from "vitest";
import { parseCausePath } from "./cause-path.ts";
import { formatPath, guardedPatch, jsonPointer } from "./index.ts";

test.each([
  [[], ""],
  [["spec", "replicas"], "spec.replicas"],
  [["spec", "containers", { key: { name: "c" } }, "image"], "spec.containers[name=c].image"],
  [["ports", { key: { port: 53, protocol: "UDP" } }], "ports[port=53,protocol=UDP]"],
  [["metadata", "labels", "a.b/c"], 'metadata.labels["a.b/c"]'],
  [["finalizers", { value: "x.dev/a" }], "finalizers[=x.dev/a]"],
  [["set", { value: 5 }], "set[=5]"],
  [["rules", 0, "verbs"], "rules[0].verbs"],
])("formatPath writes %j as %s", (path, text) => {
  expect(formatPath(path)).toBe(text);
});

describe("parseCausePath", () => {
  test.each([
    ["spec.ports[1].name", ["spec", "ports", 1, "name"]],
    ["metadata.annotations[a.b/c]", ["metadata", "annotations", "a.b/c"]],
    ["spec", ["spec"]],
    ["data[key]", ["data", "key"]],
    ["", []],
    ["spec.ports[", undefined],
    ["]", undefined],
  ])("reads %s", (field, steps) => {
    expect(parseCausePath(field)).toEqual(steps);
  });
});

test("a JSON pointer escapes what it must", () => {
  expect(jsonPointer(["metadata", "labels", "a/b~c", 0])).toBe("/metadata/labels/a~1b~0c/0");
});

test("a guarded patch starts with the resourceVersion", () => {
  const live = { apiVersion: "v1", kind: "X", metadata: { resourceVersion: "5" } };

  expect(guardedPatch(live, [{ op: "remove", path: "/a" }])).toEqual([
    { op: "replace", path: "/metadata/resourceVersion", value: "5" },
    { op: "remove", path: "/a" },
  ]);
});
