import { describe, expect, it } from "vitest";
import type { FieldNode, TypeNode } from "../schema/type-node.ts";
import { compareTyped } from "./compare.ts";
import { mergeTyped } from "./merge.ts";
import { removeItems } from "./remove.ts";
import { SchemaMismatch } from "./schema-errors.ts";
import { toFieldSet } from "./to-field-set.ts";
import { validateTyped } from "./validate.ts";

const text: TypeNode = { scalar: "string" };
const field = (type: TypeNode, fallback?: unknown): FieldNode => ({
  type,
  pointer: true,
  omitEmpty: true,
  omitZero: false,
  required: false,
  ...(fallback === undefined ? {} : { default: fallback }),
});
const struct = (fields: Record<string, FieldNode>, atomic = false): TypeNode => ({
  map: { fields: new Map(Object.entries(fields)), element: undefined, atomic },
});
const item = struct({ name: field(text), protocol: field(text, "TCP"), value: field(text) });
const type = struct({
  items: field({ list: { element: item, atomic: false, keys: ["name"] } }),
  ports: field({ list: { element: item, atomic: false, keys: ["name", "protocol"] } }),
  tags: field({ list: { element: text, atomic: false, keys: [] } }),
  args: field({ list: { element: text, atomic: true, keys: [] } }),
  labels: field({ map: { fields: new Map(), element: text, atomic: false } }),
  selector: field({ map: { fields: new Map(), element: text, atomic: true } }),
});
const named = (...names: string[]): { name: string }[] => names.map((name) => ({ name }));

describe("merging", () => {
  it.each([
    [
      ["A", "X", "B", "C"],
      ["C", "B", "A"],
      ["X", "C", "B", "A"],
    ],
    [
      ["A", "B", "N", "C", "X"],
      ["C", "N", "B", "A"],
      ["C", "X", "N", "B", "A"],
    ],
    [
      ["A", "B"],
      ["B", "C"],
      ["A", "B", "C"],
    ],
    [[], ["B"], ["B"]],
  ])("puts the applied items of %j, %j in their own order and leaves others in place: %j", (live, applied, merged) => {
    expect(mergeTyped({ items: named(...live) }, { items: named(...applied) }, type)).toEqual({
      items: named(...merged),
    });
  });

  it("merges granular maps and items, and replaces atomic ones", () => {
    const live = { labels: { a: "1" }, selector: { a: "1" }, args: ["x"], items: [{ name: "A", value: "1" }] };
    const applied = { labels: { b: "2" }, selector: { b: "2" }, args: ["y"], items: [{ name: "A", protocol: "UDP" }] };

    expect(mergeTyped(live, applied, type)).toEqual({
      labels: { a: "1", b: "2" },
      selector: { b: "2" },
      args: ["y"],
      items: [{ name: "A", value: "1", protocol: "UDP" }],
    });
  });

  it("lets one applied item replace all live duplicates of its key", () => {
    const live = {
      items: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    };

    expect(mergeTyped(live, { items: [{ name: "A", value: "3" }] }, type)).toEqual({
      items: [{ name: "A", value: "3" }],
    });
  });
});

describe("the fields of a value", () => {
  it("are its leaves, its items with their keys, and empty maps", () => {
    const value = {
      items: [{ name: "A", value: "1" }],
      ports: [{ name: "p" }],
      tags: ["t"],
      args: ["x"],
      labels: {},
      selector: { a: "1" },
    };

    expect(toFieldSet(value, type).toJson()).toEqual({
      "f:args": {},
      "f:items": { 'k:{"name":"A"}': { ".": {}, "f:name": {}, "f:value": {} } },
      "f:labels": {},
      "f:ports": { 'k:{"name":"p","protocol":"TCP"}': { ".": {}, "f:name": {} } },
      "f:selector": {},
      "f:tags": { 'v:"t"': {} },
    });
  });
});

describe("comparing", () => {
  it("tells added, removed and modified fields apart, and sees no order", () => {
    const before = { tags: ["a", "b"], labels: { k: "1", gone: "1" } };
    const after = { tags: ["b", "a"], labels: { k: "2", new: "1" } };

    const compare = compareTyped(before, after, type);

    expect(compare.modified.toJson()).toEqual({ "f:labels": { "f:k": {} } });
    expect(compare.added.toJson()).toEqual({ "f:labels": { "f:new": {} } });
    expect(compare.removed.toJson()).toEqual({ "f:labels": { "f:gone": {} } });
  });
});

describe("removing", () => {
  it("turns a container that it empties into null", () => {
    const gone = toFieldSet({ labels: { a: "1" } }, type);

    expect(removeItems({ labels: { a: "1" }, args: ["x"] }, gone, type)).toEqual({ labels: null, args: ["x"] });
  });
});

describe("validating", () => {
  const problemsOf = (value: unknown, allowDuplicates = false): string => {
    try {
      validateTyped(value, type, { allowDuplicates });
      return "";
    } catch (error) {
      return error instanceof SchemaMismatch ? error.message : "unexpected";
    }
  };

  it.each([
    [{ typo: 1 }, ".typo: field not declared in schema"],
    [
      { ports: [{ name: "p" }, { name: "p", protocol: "TCP" }] },
      '.ports: duplicate entries for key [name="p",protocol="TCP"]',
    ],
    [{ tags: ["a", "a"] }, '.tags: duplicate entries for key [="a"]'],
    [{ labels: { a: 1 } }, ".labels.a: expected string, got &value.valueUnstructured{Value:1}"],
    [
      { items: [{}] },
      '.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [{ tags: "a" }, '.tags: expected list, got "a"'],
  ])("%j: %s", (value, message) => {
    expect(problemsOf(value)).toBe(message);
  });

  it("allows duplicates in live objects", () => {
    expect(problemsOf({ tags: ["a", "a"] }, true)).toBe("");
  });
});
