import { describe, expect, it } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../types.ts";
import { fieldOwners } from "./field-owners.ts";
import type { FieldSet } from "./fields.ts";

function entry(manager: string, fieldsV1: FieldSet, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return { manager, operation: "Apply", apiVersion: "apps/v1", fieldsType: "FieldsV1", fieldsV1, ...more };
}

const ours: FieldSet = {
  "f:metadata": { "f:labels": { "f:app": {} } },
  "f:spec": {
    "f:replicas": {},
    "f:selector": {},
    "f:template": { "f:spec": { "f:containers": { 'k:{"name":"dns"}': { ".": {}, "f:name": {}, "f:image": {} } } } },
  },
};
const live: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "dns",
    namespace: "kube-system",
    labels: { app: "dns" },
    finalizers: ["x.dev/a", "x.dev/b"],
    managedFields: [
      entry("keelson", ours),
      entry(
        "kube-controller-manager",
        { "f:status": { "f:readyReplicas": {} }, "f:metadata": { "f:finalizers": { ".": {}, 'v:"x.dev/a"': {} } } },
        { operation: "Update", subresource: "status", time: "2026-11-30T08:00:00Z" },
      ),
      entry("hpa", { "f:spec": { "f:replicas": {} } }, { operation: "Update" }),
    ],
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "dns" } },
    strategy: { type: "RollingUpdate" },
    template: { spec: { containers: [{ name: "dns", image: "dns:1", imagePullPolicy: "Always" }] } },
  },
  status: { readyReplicas: 2 },
};

function ownersOf(path: string): readonly string[] | undefined {
  return fieldOwners(live)
    .fields.find((field) => field.path === path)
    ?.owners.map(({ manager }) => manager);
}

describe("fieldOwners", () => {
  it("names every leaf with its owners, in order", () => {
    expect(fieldOwners(live).fields.map(({ path, owners }) => [path, ...owners.map(({ manager }) => manager)])).toEqual(
      [
        ["metadata.labels.app", "keelson"],
        ["metadata.finalizers[=x.dev/a]", "kube-controller-manager"],
        ["metadata.finalizers[=x.dev/b]"],
        ["spec.replicas", "keelson", "hpa"],
        ["spec.selector", "keelson"],
        ["spec.strategy.type"],
        ["spec.template.spec.containers[name=dns].name", "keelson"],
        ["spec.template.spec.containers[name=dns].image", "keelson"],
        ["spec.template.spec.containers[name=dns].imagePullPolicy"],
        ["status.readyReplicas", "kube-controller-manager"],
      ],
    );
  });

  it("keeps a value whole that its owner holds whole", () => {
    expect(fieldOwners(live).fields.find(({ path }) => path === "spec.selector")?.value).toEqual({
      matchLabels: { app: "dns" },
    });
  });

  it("tells of an owner how and when it wrote", () => {
    expect(fieldOwners(live).fields.at(-1)?.owners).toEqual([
      { manager: "kube-controller-manager", operation: "Update", subresource: "status", time: "2026-11-30T08:00:00Z" },
    ]);
  });

  it("calls a field that nobody owns nobody's", () => {
    expect(ownersOf("spec.strategy.type")).toEqual([]);
  });

  it("never shows a value of a Secret", () => {
    const secret: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", managedFields: [entry("keelson", { "f:data": { "f:password": {} } })] },
      data: { password: "aHVudGVyMg==" },
    };

    expect(fieldOwners(secret).fields).toMatchObject([{ path: "data.password", value: "***" }]);
  });

  it("counts what is beyond the limit", () => {
    const many = { ...live, data: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, "v"])) };

    const { fields, more } = fieldOwners(many, 20);

    expect(fields).toHaveLength(20);
    expect(more).toBe(40);
  });
});
