import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { releasePatch } from "./release.ts";
import { appliedEntry, deployment, foreignEntry, liveOf, withValue } from "./samples.case.ts";

const options = { manager: "keelson", classLabels: ["addonmanager.kubernetes.io/mode"] };
const labelsOf = (...names: readonly string[]) => ({
  "f:metadata": { "f:labels": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) },
});

function paths(live: KubeObject) {
  return releasePatch(live, options)?.map(({ op, path }) => `${op} ${path}`);
}

describe("releasePatch", () => {
  test("removes class labels, our annotations, what only we own, and our entries", () => {
    expect(paths(liveOf(deployment()))).toEqual([
      "replace /metadata/resourceVersion",
      "remove /metadata/labels/addonmanager.kubernetes.io~1mode",
      "remove /metadata/labels/k8s-app",
      "remove /metadata/annotations/keelson.dev~1applied",
      "replace /metadata/managedFields",
    ]);
  });

  test("keeps labels that others own or nobody does, but for the class label", () => {
    const others = [foreignEntry("x", labelsOf("k8s-app", "addonmanager.kubernetes.io/mode"))];
    const live = withValue(liveOf(deployment(), { others }), ["metadata", "labels", "nobody"], "y");

    expect(paths(live)).toEqual([
      "replace /metadata/resourceVersion",
      "remove /metadata/labels/addonmanager.kubernetes.io~1mode",
      "remove /metadata/annotations/keelson.dev~1applied",
      "replace /metadata/managedFields",
    ]);
    expect(releasePatch(live, options)?.at(-1)).toEqual({
      op: "replace",
      path: "/metadata/managedFields",
      value: others,
    });
  });

  test("takes all entries of our name, whatever the operation", () => {
    const others = [foreignEntry("keelson", {}), foreignEntry("keelson", {}, { subresource: "status" })];

    expect(releasePatch(liveOf(deployment(), { others }), options)?.at(-1)).toMatchObject({ value: [] });
  });

  test("has nothing to do on an object that is not ours", () => {
    const entry = { ...appliedEntry(deployment()), manager: "x" };
    const { annotations: _, labels: __, ...metadata } = liveOf(deployment(), { entry }).metadata;

    expect(releasePatch({ ...deployment(), metadata }, options)).toBeUndefined();
  });
});
