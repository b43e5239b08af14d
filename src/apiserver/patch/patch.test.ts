import { beforeAll, describe, expect, it } from "vitest";
import { loadDataFile } from "../data-file.ts";
import { BuiltinTypes, type TypeNode } from "../schema/index.ts";
import { applyJsonPatch, JsonPatchError } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicPatch } from "./strategic-patch.ts";

describe("a JSON patch", () => {
  it.each([
    [[{ op: "add", path: "/a/-", value: 3 }], { a: [1, 2, 3] }],
    [[{ op: "add", path: "/a/0", value: 0 }], { a: [0, 1, 2] }],
    [[{ op: "remove", path: "/a/0" }], { a: [2] }],
    [[{ op: "replace", path: "/a", value: null }], { a: null }],
    [[{ op: "replace", path: "/new", value: 1 }], { a: [1, 2], new: 1 }],
    [[{ op: "copy", from: "/a/0", path: "/b~1c" }], { a: [1, 2], "b/c": 1 }],
    [[{ op: "move", from: "/a", path: "/b" }], { b: [1, 2] }],
    [[{ op: "test", path: "/a/1", value: 2 }], { a: [1, 2] }],
  ])("%j gives %j", (patch, expected) => {
    expect(applyJsonPatch({ a: [1, 2] }, patch)).toEqual(expected);
  });

  it.each([
    [[{ op: "remove", path: "/x" }]],
    [[{ op: "test", path: "/a", value: [] }]],
    [[{ op: "add", path: "/x/y", value: 1 }]],
    [[{ op: "replace", path: "/a/9", value: 1 }]],
    [[{ op: "unknown", path: "/a" }]],
    [{}],
  ])("%j does not apply", (patch) => {
    expect(() => applyJsonPatch({ a: [1, 2] }, patch)).toThrow(JsonPatchError);
  });
});

describe("a merge patch", () => {
  it("removes by null, merges objects, replaces lists, and leaves the document as it was", () => {
    const document = { a: { b: 1, c: 2 }, l: [1] };

    expect(applyMergePatch(document, { a: { b: null, d: { e: null } }, l: [2] })).toEqual({
      a: { c: 2, d: {} },
      l: [2],
    });
    expect(document).toEqual({ a: { b: 1, c: 2 }, l: [1] });
  });
});

describe("a strategic merge patch", () => {
  let pod: TypeNode;

  beforeAll(async () => {
    pod = new BuiltinTypes(await loadDataFile()).named("core.v1.PodSpec");
  });

  const containers = (...names: string[]): { name: string; image: string }[] =>
    names.map((name) => ({ name, image: "i" }));

  it("merges items by their key, new ones before those that it does not name", () => {
    const patched = applyStrategicPatch(
      { containers: containers("a", "b") },
      {
        containers: [
          { name: "b", image: "new" },
          { name: "c", image: "i" },
        ],
      },
      pod,
    );

    expect(patched.containers).toEqual([
      { name: "a", image: "i" },
      { name: "b", image: "new" },
      { name: "c", image: "i" },
    ]);
  });

  it("follows directives: delete, replace, retainKeys, order, and deletion from lists of scalars", () => {
    const base = {
      containers: containers("a", "b"),
      volumes: [{ name: "v", emptyDir: {} }],
      tolerations: [{ key: "k" }],
    };

    expect(applyStrategicPatch(base, { containers: [{ $patch: "delete", name: "a" }] }, pod).containers).toEqual(
      containers("b"),
    );
    expect(
      applyStrategicPatch(base, { containers: [{ $patch: "replace" }, { name: "z", image: "i" }] }, pod).containers,
    ).toEqual(containers("z"));
    expect(
      applyStrategicPatch(base, { volumes: [{ $retainKeys: ["name", "secret"], name: "v", secret: {} }] }, pod).volumes,
    ).toEqual([{ name: "v", secret: {} }]);
    expect(
      applyStrategicPatch(base, { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] }, pod).containers,
    ).toEqual(containers("b", "a"));
    expect(applyStrategicPatch(base, { tolerations: [{ key: "x" }] }, pod).tolerations).toEqual([{ key: "x" }]);
  });
});
