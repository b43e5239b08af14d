import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../object/index.ts";
import { memberOperations } from "./adopt.ts";

const PART_OF = "applyset.kubernetes.io/part-of";
const entry = (manager: string) => ({
  manager,
  operation: "Apply" as const,
  apiVersion: "v1",
  fieldsV1: { "f:data": { "f:a": {} } },
});
const live: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", resourceVersion: "7", labels: { [PART_OF]: "old" }, managedFields: [entry("kubectl")] },
};
const into = { from: "kubectl", manager: "keelson", id: "new" };
const label = { op: "replace", path: "/metadata/labels/applyset.kubernetes.io~1part-of", value: "new" };

describe("memberOperations", () => {
  it("makes kubectl's entry ours and the label that of our set", () => {
    expect(memberOperations(live, { ...into, action: "adopt" })).toEqual([
      { op: "replace", path: "/metadata/managedFields", value: [entry("keelson")] },
      label,
    ]);
  });

  it("takes the entry of the manager that kubectl was told to be", () => {
    const named = { ...live, metadata: { ...live.metadata, managedFields: [entry("pipeline")] } };

    expect(memberOperations(named, { ...into, from: "pipeline", action: "adopt" })).toEqual([
      { op: "replace", path: "/metadata/managedFields", value: [entry("keelson")] },
      label,
    ]);
  });

  it("moves the label alone of what is only ensured, and of what kubectl has no entry on", () => {
    const bare = { ...live, metadata: { ...live.metadata, managedFields: [entry("helm")] } };

    expect(memberOperations(live, { ...into, action: "relabel" })).toEqual([label]);
    expect(memberOperations(bare, { ...into, action: "adopt" })).toEqual([label]);
  });
});
