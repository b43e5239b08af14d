import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { explainDrift } from "./explain-drift.ts";
import type { FieldSet } from "./fields.ts";
import { appliedEntry, appliedSet, deployment, foreignEntry, liveOf, withoutField, withValue } from "./samples.case.ts";

const podSpec = ["spec", "template", "spec"];
const fieldsOfContainer = ["f:spec", "f:template", "f:spec", "f:containers", 'k:{"name":"dns"}'];

/** The live object after a foreign write: our entry without `lost`, the writer's with `gained`. */
function edited(
  change: readonly [readonly (string | number)[], unknown],
  { lost = [], gained = {} }: { lost?: readonly string[]; gained?: FieldSet } = {},
): KubeObject {
  const fieldsV1 = lost.length === 0 ? appliedSet(deployment()) : withoutField(appliedSet(deployment()), lost);
  const others = [
    foreignEntry("older", gained, { time: "2025-01-01T00:00:00Z" }),
    foreignEntry("kubectl-edit", gained),
  ];
  return withValue(liveOf(deployment(), { entry: { ...appliedEntry(deployment()), fieldsV1 }, others }), ...change);
}

const editor = { manager: "kubectl-edit", operation: "Update", subresource: "", time: "2026-02-02T00:00:00Z" };

function explain(live: KubeObject, desired = deployment()) {
  return explainDrift(live, desired, "keelson");
}

describe("explainDrift", () => {
  test("has nothing to say about the applied object", () => {
    expect(explain(liveOf(deployment()))).toEqual([]);
  });

  test("names a changed field, its values and its latest owner", () => {
    const lost = [...fieldsOfContainer, "f:image"];
    const live = edited([[...podSpec, "containers", 0, "image"], "evil:1"], {
      lost,
      gained: {
        "f:spec": { "f:template": { "f:spec": { "f:containers": { 'k:{"name":"dns"}': { "f:image": {} } } } } },
      },
    });

    expect(explain(live)).toEqual([
      {
        path: "spec.template.spec.containers[name=dns].image",
        kind: "changed",
        desired: "registry.example/dns:v1",
        live: "evil:1",
        owner: editor,
      },
    ]);
  });

  test("names a removed field without an owner", () => {
    const live = edited([["metadata", "labels", "k8s-app"], undefined], {
      lost: ["f:metadata", "f:labels", "f:k8s-app"],
    });

    expect(explain(live)).toEqual([
      { path: "metadata.labels.k8s-app", kind: "removed", desired: "dns", live: undefined },
    ]);
  });

  test("names a removed list item once", () => {
    const live = edited([[...podSpec, "volumes"], [{ name: "tmp", emptyDir: {} }]], {
      lost: ["f:spec", "f:template", "f:spec", "f:volumes", 'k:{"name":"conf"}'],
    });

    expect(explain(live)).toMatchObject([{ path: "spec.template.spec.volumes[name=conf]", kind: "removed" }]);
  });

  test("names a list whose items changed places", () => {
    const live = edited([
      [...podSpec, "volumes"],
      [{ name: "tmp", emptyDir: {} }, { name: "x" }, { name: "conf", configMap: { name: "dns" } }],
    ]);

    expect(explain(live)).toEqual([
      {
        path: "spec.template.spec.volumes",
        kind: "reordered",
        desired: ["name=conf", "name=tmp"],
        live: ["name=tmp", "name=conf"],
      },
    ]);
  });

  test("names a field whose value is back but which is not ours any more", () => {
    const live = edited([["spec", "replicas"], 2], {
      lost: ["f:spec", "f:replicas"],
      gained: { "f:spec": { "f:replicas": {} } },
    });

    expect(explain(live)).toMatchObject([
      { path: "spec.replicas", kind: "unowned", owner: { manager: "kubectl-edit" } },
    ]);
  });

  test("names ourselves where somebody applied under our name", () => {
    const live = edited([["spec", "replicas"], 9]);

    expect(explain(live)).toMatchObject([
      { path: "spec.replicas", kind: "changed", live: 9, owner: { manager: "keelson", operation: "Apply" } },
    ]);
  });

  test("names what our entry owns beyond the desired object", () => {
    const fieldsV1 = withValue(appliedSet(deployment()), ["f:spec", "f:paused"], {});
    const live = withValue(
      liveOf(deployment(), { entry: { ...appliedEntry(deployment()), fieldsV1 } }),
      ["spec", "paused"],
      true,
    );

    expect(explain(live)).toMatchObject([{ path: "spec.paused", kind: "added", desired: undefined, live: true }]);
  });

  test("leaves out what the server only writes differently, where something else explains the drift", () => {
    const memory = [...podSpec, "containers", 0, "resources", "limits", "memory"];
    const quantity = edited([memory, "178257920"]);
    const both = withValue(quantity, ["spec", "replicas"], 7);

    expect(explain(quantity)).toEqual([]);
    expect(explain(both).map(({ path }) => path)).toEqual(["spec.replicas"]);
  });

  test("says once that our entry is gone, and what differs besides", () => {
    const { managedFields: _, ...metadata } = liveOf(deployment()).metadata;
    const live = withValue(
      { ...liveOf(deployment()), metadata },
      [...podSpec, "containers", 0, "env", 1, "value"],
      "x",
    );

    expect(explain(live).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      "removed metadata.managedFields",
      "changed spec.template.spec.containers[name=dns].env[name=B].value",
    ]);
  });

  test("names members of sets", () => {
    const desired: KubeObject = { apiVersion: "v1", kind: "X", metadata: { name: "x", finalizers: ["a/a", "b/b"] } };
    const entry = { ...appliedEntry(desired), fieldsV1: { "f:metadata": { "f:finalizers": { 'v:"a/a"': {} } } } };
    const live = withValue(liveOf(desired, { entry }), ["metadata", "finalizers"], ["a/a"]);

    expect(explain(live, desired)).toMatchObject([{ path: "metadata.finalizers[=b/b]", kind: "removed" }]);
  });

  test("never shows a value of a Secret", () => {
    const desired: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      data: { key: "c2VjcmV0" },
    };
    const live = withValue(
      liveOf(desired, { entry: { ...appliedEntry(desired), fieldsV1: {} } }),
      ["data", "key"],
      "b3RoZXI=",
    );
    const text = JSON.stringify(explain(live, desired));

    expect(text).toContain('"path":"data.key","kind":"changed","desired":"***","live":"***"');
    expect(text).not.toMatch(/c2VjcmV0|b3RoZXI/);
  });
});
