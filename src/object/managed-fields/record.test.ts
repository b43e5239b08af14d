import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { emptyLeavesOf } from "./empty-leaves.ts";
import { entryOf } from "./entry.ts";
import { ownedRecord } from "./record.ts";
import { appliedEntry, appliedSet, deployment, foreignEntry, liveOf, scalarPlaces, withValue } from "./samples.case.ts";

const desired = deployment();
const leaves = emptyLeavesOf(desired);
const podSpec = ["spec", "template", "spec"];
const env = [...podSpec, "containers", 0, "env"];

function recordOf(live: KubeObject) {
  return ownedRecord(live, entryOf(live, "keelson", "Apply"), leaves);
}

const applied = liveOf(desired);
const baseline = recordOf(applied);

describe("ownedRecord", () => {
  test("is two short hashes", () => {
    expect(baseline).toEqual({
      setHash: expect.stringMatching(/^[\w-]{22}$/),
      valueHash: expect.stringMatching(/^[\w-]{22}$/),
    });
  });

  test("changes with every owned value", () => {
    const identity = new Set(["apiVersion", "kind", "metadata.name", "metadata.namespace"]);
    for (const place of scalarPlaces(desired).filter((path) => !identity.has(path.join(".")))) {
      for (const value of ["other", undefined]) {
        expect([place, recordOf(withValue(applied, place, value))]).not.toEqual([place, baseline]);
      }
    }
  });

  test("does not change with what others add, status and bookkeeping", () => {
    const foreignPlaces = [
      ["metadata", "labels", "foreign"],
      ["metadata", "resourceVersion"],
      ["metadata", "generation"],
      ["spec", "paused"],
      ["status"],
      [...podSpec, "containers", 0, "tty"],
      [...podSpec, "volumes", 1, "emptyDir", "sizeLimit"],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...foreignPlaces), fc.jsonValue(), (place, value) => {
        expect(recordOf(withValue(applied, place, value))).toEqual(baseline);
      }),
    );
  });

  test("does not depend on the time of our entry, but on its version and set", () => {
    const entry = appliedEntry(desired);

    expect(ownedRecord(applied, { ...entry, time: "later" }, leaves)).toEqual(baseline);
    expect(ownedRecord(applied, { ...entry, apiVersion: "apps/v2" }, leaves).setHash).not.toBe(baseline.setHash);
    const { setHash } = ownedRecord(
      applied,
      { ...entry, fieldsV1: withValue(appliedSet(desired), ["f:spec", "f:replicas"], undefined) },
      leaves,
    );
    expect(setHash).not.toBe(baseline.setHash);
  });

  test("holds the relative order of our items, not their place among others", () => {
    const [a, b, x] = [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
      { name: "X", value: "x" },
    ];

    expect(recordOf(withValue(applied, env, [x, a, x, b]))).toEqual(baseline);
    expect(recordOf(withValue(applied, env, [b, a]))).not.toEqual(baseline);
    expect(recordOf(withValue(applied, env, [a, b, a]))).not.toEqual(baseline);
    expect(recordOf(withValue(applied, env, [a]))).not.toEqual(baseline);
  });

  test("is empty without an entry, so that it equals no baseline", () => {
    expect(ownedRecord(applied, undefined)).toEqual({ setHash: "", valueHash: "" });
  });

  test("keeps a label called like a property of every object", () => {
    const live = withValue(liveOf(desired), ["metadata", "labels", "constructor"], "x");
    const entry = { ...appliedEntry(desired), fieldsV1: { "f:metadata": { "f:labels": { "f:constructor": {} } } } };
    const gone = withValue(live, ["metadata", "labels", "constructor"], undefined);

    expect(ownedRecord(gone, entry)).not.toEqual(ownedRecord(live, entry));
  });
});

describe("sets, indices and odd shapes", () => {
  const custom = (spec: unknown): KubeObject => ({ apiVersion: "x/v1", kind: "X", metadata: { name: "x" }, spec });
  const value = (fieldsV1: object, spec: unknown) =>
    ownedRecord(custom(spec), { fieldsV1: { "f:spec": fieldsV1 } }).valueHash;

  test("a set holds our members and their order", () => {
    const set = { 'v:"a"': {}, 'v:"b"': {} };

    expect(value(set, ["x", "a", "b"])).toBe(value(set, ["a", "x", "b"]));
    expect(value(set, ["b", "a"])).not.toBe(value(set, ["a", "b"]));
    expect(value(set, ["a"])).not.toBe(value(set, ["a", "b"]));
    expect(value(set, undefined)).not.toBe(value(set, []));
  });

  test("an index holds the item there", () => {
    expect(value({ "i:0": {} }, ["a", "b"])).toBe(value({ "i:0": {} }, ["a", "c"]));
    expect(value({ "i:0": {} }, ["a"])).not.toBe(value({ "i:0": {} }, ["b"]));
  });

  test("a value of another shape than the set's is another value", () => {
    const keyed = { 'k:{"name":"a"}': { ".": {}, "f:name": {} } };
    const shapes = [undefined, "text", 5, { name: "a" }, [], [{ name: "a" }], [{ name: "b" }, {}]];
    const hashes = shapes.map((shape) => value(keyed, shape));

    expect(new Set(hashes).size).toBe(shapes.length);
  });

  test("absence, null, text and containers are told apart", () => {
    const shapes = [undefined, null, "~", "+", "null", "", 0, false, {}, [], [null], ["null"]];

    expect(new Set(shapes.map((shape) => value({ "f:a": {} }, { a: shape }))).size).toBe(shapes.length);
  });
});

describe("emptyLeavesOf", () => {
  test("is undefined where nothing desired is empty", () => {
    expect(
      emptyLeavesOf({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "" } }),
    ).toBeUndefined();
  });

  test("lets a value that the server drops come and go, and misses one that it keeps", () => {
    const empty: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: {}, extra: {} };
    const entry = { fieldsV1: { "f:data": {}, "f:extra": {} } };
    const { data: _, ...response } = empty;
    const known = emptyLeavesOf(empty, { live: response, fieldsV1: entry.fieldsV1 });
    const hash = (live: KubeObject) => ownedRecord(live, entry, known).valueHash;

    const others = [foreignEntry("x", { "f:data": { "f:foreign": {} }, "f:extra": { "f:foreign": {} } })];
    const metadata = { name: "c", managedFields: others };

    expect(hash({ ...response, metadata, data: { foreign: "x" } })).toBe(hash(response));
    expect(hash({ ...response, metadata, extra: { foreign: "x" } })).toBe(hash(response));
    expect(hash({ ...response, extra: undefined })).not.toBe(hash(response));
  });

  test("tells what others put into an empty map from an atomic map written under our name", () => {
    const empty: KubeObject = { apiVersion: "x/v1", kind: "X", metadata: { name: "x" }, spec: { map: {} } };
    const applied = liveOf(empty);
    const entry = entryOf(applied, "keelson", "Apply");
    const known = emptyLeavesOf(empty, { live: applied, fieldsV1: entry?.fieldsV1 });
    const hash = (live: KubeObject) => ownedRecord(live, entryOf(live, "keelson", "Apply"), known).valueHash;
    const filled = (live: KubeObject) => withValue(live, ["spec", "map"], { a: "1" });
    const others = [foreignEntry("x", { "f:spec": { "f:map": { "f:a": {} } } })];

    expect(hash(filled(liveOf(empty, { others })))).toBe(hash(applied));
    expect(hash(filled(applied))).not.toBe(hash(applied));
  });

  test("finds such an atomic map inside a list item too", () => {
    const filled = withValue(liveOf(desired), [...podSpec, "volumes", 1, "emptyDir"], { medium: "Memory" });
    const known = emptyLeavesOf(desired, { live: liveOf(desired), fieldsV1: appliedSet(desired) });
    const hash = (live: KubeObject) => ownedRecord(live, entryOf(live, "keelson", "Apply"), known).valueHash;

    expect(hash(filled)).not.toBe(hash(liveOf(desired)));
  });

  test("knows a list item by its keys", () => {
    const live = withValue(liveOf(desired), [...podSpec, "volumes", 1, "emptyDir"], undefined);
    const known = emptyLeavesOf(desired, { live: liveOf(desired), fieldsV1: appliedSet(desired) });
    const dropped = emptyLeavesOf(desired, { live, fieldsV1: appliedSet(desired) });
    const hash = (object: KubeObject, of: typeof known) => ownedRecord(object, appliedEntry(desired), of).valueHash;

    expect(hash(live, known)).not.toBe(hash(liveOf(desired), known));
    expect(hash(live, dropped)).toBe(hash(liveOf(desired), dropped));
  });
});
