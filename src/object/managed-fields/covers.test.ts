import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { coversDesired } from "./covers.ts";
import type { FieldSet } from "./fields.ts";
import { appliedSet, deployment, withoutField, withValue } from "./samples.case.ts";

const service = (ports: readonly unknown[]): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s", namespace: "n" },
  spec: { ports },
});

/** Every step below the root of a set, as a path of raw steps. */
function placesOf(set: FieldSet, path: readonly string[] = []): (readonly string[])[] {
  return Object.entries(set).flatMap(([step, child]) => {
    const below = [...path, step];
    return [below, ...placesOf(Object(child), below)];
  });
}

const udp = 'k:{"port":53,"protocol":"UDP"}';
const tcp = 'k:{"port":53,"protocol":"TCP"}';
const item = (...names: readonly string[]) =>
  Object.fromEntries([".", ...names.map((name) => `f:${name}`)].map((step) => [step, {}]));
const portsSet = (items: FieldSet) => ({ "f:spec": { "f:ports": items } });

describe("coversDesired", () => {
  test("covers what an apply of the same object owns", () => {
    expect(coversDesired(appliedSet(deployment()), deployment())).toBe(true);
  });

  test("does not cover where any one owned field is lost", () => {
    const set = appliedSet(deployment());
    for (const place of placesOf(set).filter((path) => path.at(-1) !== ".")) {
      expect([place, coversDesired(withoutField(set, place), deployment())]).toEqual([place, false]);
    }
  });

  test("does not cover where the membership of a list item is lost", () => {
    const set = withValue(
      appliedSet(deployment()),
      ["f:spec", "f:template", "f:spec", "f:volumes", 'k:{"name":"tmp"}', "."],
      undefined,
    );

    expect(coversDesired(set, deployment())).toBe(false);
  });

  test("does not cover where we own more than is desired: the next apply would take it away", () => {
    const desired = deployment();
    for (const extra of [
      ["f:metadata", "f:labels", "f:extra"],
      ["f:spec", "f:paused"],
      ["f:spec", "f:template", "f:spec", "f:volumes", 'k:{"name":"extra"}'],
    ]) {
      expect(coversDesired(withValue(appliedSet(desired), extra, {}), desired)).toBe(false);
    }
  });

  test("does not cover without an entry, or with an empty one", () => {
    expect(coversDesired(undefined, deployment())).toBe(false);
    expect(coversDesired({}, deployment())).toBe(false);
  });

  test("covers any part of a manifest by its own set only", () => {
    const names = fc.subarray(["replicas", "strategy", "template"], { minLength: 1 });
    const part = (kept: readonly string[]): KubeObject => {
      const { spec, ...rest } = deployment();
      return { ...rest, spec: Object.fromEntries(kept.map((name) => [name, Object(spec)[name]])) };
    };
    fc.assert(
      fc.property(names, names, (a, b) => {
        expect(coversDesired(appliedSet(part(a)), part(b))).toBe(a.join() === b.join());
      }),
    );
  });
});

describe("list items", () => {
  const desired = service([
    { port: 53, protocol: "UDP", name: "dns" },
    { port: 53, name: "dns-tcp" },
  ]);

  test("an omitted key takes what exact matches leave", () => {
    const set = portsSet({ [tcp]: item("port", "name"), [udp]: item("port", "protocol", "name") });

    expect(coversDesired(set, desired)).toBe(true);
  });

  test("two items never stand for the same owned one", () => {
    const renamed = 'k:{"port":5353,"protocol":"TCP"}';
    const set = portsSet({ [renamed]: item("port", "name"), [udp]: item("port", "protocol", "name") });

    expect(coversDesired(set, desired)).toBe(false);
  });

  test("an item that could be several owned ones is not covered", () => {
    const set = portsSet({ [tcp]: item("port"), [udp]: item("port"), 'k:{"port":53,"protocol":"SCTP"}': item("port") });

    expect(coversDesired(set, service([{ port: 53 }, { port: 53 }, { port: 53 }]))).toBe(false);
  });

  test("a default key that we spelled out is owned, and then desired lacks it", () => {
    const set = portsSet({ [tcp]: item("port", "protocol") });

    expect(coversDesired(set, service([{ port: 53 }]))).toBe(false);
    expect(coversDesired(set, service([{ port: 53, protocol: "TCP" }]))).toBe(true);
  });

  test("a set is covered member by member", () => {
    const finalizers = (...names: readonly string[]): KubeObject => ({
      ...service([{ port: 1 }]),
      metadata: { name: "s", finalizers: names },
      spec: undefined,
    });
    const set = { "f:metadata": { "f:finalizers": { 'v:"a"': {}, 'v:"b"': {} } } };

    expect(coversDesired(set, finalizers("b", "a"))).toBe(true);
    expect(coversDesired(set, finalizers("a"))).toBe(false);
    expect(coversDesired(set, finalizers("a", "c"))).toBe(false);
  });

  test("an empty list or map is a leaf, an atomic one a leaf as a whole", () => {
    const leaf = { "f:spec": { "f:ports": {} } };

    expect(coversDesired(leaf, service([]))).toBe(true);
    expect(coversDesired(leaf, service([{ port: 1 }]))).toBe(true);
    expect(coversDesired(portsSet({ [tcp]: item("port") }), service([]))).toBe(false);
  });

  test("indices are items too", () => {
    expect(coversDesired(portsSet({ "i:0": { "f:port": {} } }), service([{ port: 1 }]))).toBe(true);
    expect(coversDesired(portsSet({ "i:1": { "f:port": {} } }), service([{ port: 1 }]))).toBe(false);
  });
});

test("identity and the server's own metadata are nobody's", () => {
  const desired: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c", namespace: "n", uid: "u" },
    data: { a: "1" },
  };

  expect(coversDesired({ "f:data": { "f:a": {} } }, desired)).toBe(true);
});
