import { describe, expect, it } from "vitest";
import { FieldSet } from "./field-set.ts";

const set = (...paths: string[][]): FieldSet => FieldSet.of(...paths);

describe("a field set", () => {
  it("reads and writes fieldsV1, a parent as member being told by a dot", () => {
    const json = { "f:spec": { ".": {}, "f:ports": { 'k:{"port":80}': { ".": {}, "f:name": {} } }, 'v:"a"': {} } };

    expect(FieldSet.fromJson(json)?.toJson()).toEqual(json);
  });

  it("refuses malformed fieldsV1", () => {
    for (const json of [{ "x:a": {} }, { "f:a": 1 }, { "k:[": {} }, [], null])
      expect(FieldSet.fromJson(json)).toBeUndefined();
  });

  it("tells list keys by content, whatever the order of their names", () => {
    const written = FieldSet.fromJson({ 'k:{"protocol":"TCP","port":80}': {} });

    expect(written?.has(['k:{"port":80,"protocol":"TCP"}'])).toBe(true);
  });

  it.each([
    ["union", set(["f:a"]).union(set(["f:b", "f:c"])), set(["f:a"], ["f:b", "f:c"])],
    ["intersection", set(["f:a"], ["f:b", "f:c"]).intersection(set(["f:b", "f:c"], ["f:d"])), set(["f:b", "f:c"])],
    [
      "difference keeps children of a removed parent",
      set(["f:a"], ["f:a", "f:b"]).difference(set(["f:a"])),
      set(["f:a", "f:b"]),
    ],
    [
      "difference keeps the parent of a removed child",
      set(["f:a"], ["f:a", "f:b"]).difference(set(["f:a", "f:b"])),
      set(["f:a"]),
    ],
    [
      "recursive difference takes the subtree",
      set(["f:a", "f:b"], ["f:c"]).recursiveDifference(set(["f:a"])),
      set(["f:c"]),
    ],
  ])("%s", (_, actual, expected) => {
    expect(actual.toJson()).toEqual(expected.toJson());
    expect(actual.equals(expected)).toBe(true);
  });

  it("lists paths in structured-merge-diff's order: by kind of step, keys by value", () => {
    const keys = FieldSet.fromJson({ 'v:"b"': {}, 'k:{"p":443}': {}, 'k:{"p":53}': {}, "f:z": {}, "f:a": {} });

    expect([...(keys?.paths() ?? [])].flat()).toEqual(["f:a", "f:z", 'k:{"p":53}', 'k:{"p":443}', 'v:"b"']);
  });

  it("makes declared fields on the way members, and map keys not", () => {
    const type = {
      map: {
        fields: new Map([
          [
            "spec",
            {
              type: { map: { fields: new Map(), element: { scalar: "string" as const }, atomic: false } },
              pointer: false,
              omitEmpty: false,
              omitZero: false,
              required: false,
            },
          ],
        ]),
        element: undefined,
        atomic: false,
      },
    };

    const ensured = set(["f:spec", "f:key"], ["f:other", "f:x"]).ensureNamedFieldsAreMembers(type);

    expect(ensured.toJson()).toEqual({ "f:spec": { ".": {}, "f:key": {} }, "f:other": { "f:x": {} } });
  });
});
