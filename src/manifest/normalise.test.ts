import { describe, expect, it } from "vitest";
import type { JsonObject } from "../object/index.ts";
import { normalise } from "./index.ts";

const object = (kind: string, rest: JsonObject = {}, apiVersion = "v1"): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: "x" },
  ...rest,
});

const result = (input: JsonObject): JsonObject => normalise(input).object;
const messages = (input: JsonObject): readonly string[] => normalise(input).findings.map(({ message }) => message);

describe("what only the server sets", () => {
  const exported = object("ConfigMap", {
    metadata: {
      name: "x",
      uid: "1",
      resourceVersion: "2",
      generation: 3,
      selfLink: "/x",
      creationTimestamp: "2026-01-01T00:00:00Z",
      deletionTimestamp: "2026-01-01T00:00:00Z",
      managedFields: [{ manager: "m" }],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", "keelson.dev/applied": "v1:0" },
    },
    status: { phase: "Active" },
  });

  it("is stripped, with one finding", () => {
    const { object: stripped, findings } = normalise(exported);

    expect(stripped).toEqual(object("ConfigMap"));
    expect(findings).toHaveLength(1);
    expect(findings[0]?.message).toContain("exported from a cluster: status, metadata.managedFields");
  });

  it("leaves other annotations", () => {
    const metadata = { name: "x", annotations: { "keelson.dev/applied": "v1:0", a: "b" } };

    expect(result(object("ConfigMap", { metadata })).metadata).toEqual({ name: "x", annotations: { a: "b" } });
  });

  it("is stripped without a word where it is a generator's placeholder", () => {
    const input = object("CustomResourceDefinition", {
      metadata: { name: "x", creationTimestamp: null },
      status: { acceptedNames: { kind: "", plural: "" }, conditions: [], storedVersions: [] },
    });

    expect(result(input)).toEqual(object("CustomResourceDefinition"));
    expect(messages(input)).toEqual([]);
  });
});

describe("null", () => {
  it("is dropped at any depth of mappings, and kept in lists", () => {
    const spec = { replicas: null, template: { metadata: { creationTimestamp: null, labels: { a: "b", c: null } } } };

    expect(result(object("Thing", { spec, list: [null, { a: null }] }, "x.dev/v1"))).toMatchObject({
      spec: { template: { metadata: { labels: { a: "b" } } } },
      list: [null, {}],
    });
  });

  it("does not change its input, and copies nothing without need", () => {
    const data = { a: "1" };
    const input = object("ConfigMap", { data });

    expect(result(input).data).toBe(data);
    normalise(Object.freeze(object("ConfigMap", { data: Object.freeze({ a: null }) })));
  });
});

describe("stringData", () => {
  it("becomes data and wins over it", () => {
    const secret = object("Secret", { data: { a: "b2xk", keep: "eA==" }, stringData: { a: "new", ü: "é" } });

    expect(result(secret)).toEqual(object("Secret", { data: { a: "bmV3", keep: "eA==", ü: "w6k=" } }));
  });

  it("is left alone in other kinds, and where a value is no text", () => {
    const other = object("Vault", { stringData: { a: "x" } }, "x.dev/v1");
    const wrong = object("Secret", { stringData: { a: 1 } });

    expect([result(other), result(wrong)]).toEqual([other, wrong]);
  });
});

describe("keyed lists", () => {
  const podSpec = {
    containers: [
      {
        name: "c",
        env: [{ name: "A", value: "1" }, { name: "B" }, { name: "A", value: "2" }],
        ports: [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }, { containerPort: 53, protocol: "TCP" }],
        args: ["a", "a"],
      },
    ],
    tolerations: [{ key: "a" }, { key: "a" }],
  };
  const kept = {
    containers: [
      {
        name: "c",
        env: [{ name: "B" }, { name: "A", value: "2" }],
        ports: [
          { containerPort: 53, protocol: "UDP" },
          { containerPort: 53, protocol: "TCP" },
        ],
        args: ["a", "a"],
      },
    ],
    tolerations: [{ key: "a" }, { key: "a" }],
  };
  const template = (spec: JsonObject): JsonObject => ({ template: { spec } });

  it.each([
    ["v1", "Pod", (spec: JsonObject) => ({ spec })],
    ["v1", "ReplicationController", (spec: JsonObject) => ({ spec: template(spec) })],
    ["v1", "PodTemplate", template],
    ["apps/v1", "Deployment", (spec: JsonObject) => ({ spec: template(spec) })],
    ["apps/v1", "StatefulSet", (spec: JsonObject) => ({ spec: template(spec) })],
    ["apps/v1", "DaemonSet", (spec: JsonObject) => ({ spec: template(spec) })],
    ["apps/v1", "ReplicaSet", (spec: JsonObject) => ({ spec: template(spec) })],
    ["batch/v1", "Job", (spec: JsonObject) => ({ spec: template(spec) })],
    ["batch/v1", "CronJob", (spec: JsonObject) => ({ spec: { jobTemplate: { spec: template(spec) } } })],
  ])("keep the last of each key in %s %s, and only there", (apiVersion, kind, wrap) => {
    expect(result(object(kind, wrap(podSpec), apiVersion))).toEqual(object(kind, wrap(kept), apiVersion));
  });

  it("are named with the keys that were dropped", () => {
    expect(messages(object("Pod", { spec: podSpec }))).toEqual([
      "spec.containers[0].env: name=A stands more than once: the last is used, remove the others",
      "spec.containers[0].ports: containerPort=53,protocol=TCP stands more than once: the last is used, remove the others",
    ]);
  });

  it("include sets and a Service's ports", () => {
    const metadata = { name: "x", finalizers: ["a/b", "a/c", "a/b"] };
    const service = object("Service", {
      metadata,
      spec: {
        ports: [
          { port: 53, name: "a" },
          { port: 53, name: "b" },
        ],
      },
    });

    expect(result(service)).toMatchObject({
      metadata: { finalizers: ["a/c", "a/b"] },
      spec: { ports: [{ port: 53, name: "b" }] },
    });
  });

  it("are left alone in kinds whose schema is in the cluster", () => {
    const input = object("Pod", { spec: podSpec }, "x.dev/v1");

    expect(normalise(input)).toEqual({ object: input, findings: [] });
  });
});

describe("aggregated roles", () => {
  const rbac = "rbac.authorization.k8s.io/v1";

  it("lose rules beside aggregationRule", () => {
    const aggregationRule = { clusterRoleSelectors: [] };

    expect(result(object("ClusterRole", { aggregationRule, rules: [] }, rbac))).toEqual(
      object("ClusterRole", { aggregationRule }, rbac),
    );
  });

  it("keep rules without it, and with a null one", () => {
    expect(result(object("ClusterRole", { aggregationRule: null, rules: [] }, rbac))).toEqual(
      object("ClusterRole", { rules: [] }, rbac),
    );
  });
});

describe("empty containers that make the server write on every apply", () => {
  const policy = (spec: JsonObject): JsonObject => object("NetworkPolicy", { spec }, "networking.k8s.io/v1");
  const webhook = (fields: JsonObject): JsonObject =>
    object(
      "ValidatingWebhookConfiguration",
      { webhooks: [{ name: "w", ...fields }] },
      "admissionregistration.k8s.io/v1",
    );

  it.each([
    ["ingress and egress", policy({ podSelector: {}, ingress: [], egress: [] }), policy({ podSelector: {} })],
    ["from", policy({ ingress: [{ from: [], ports: [] }] }), policy({ ingress: [{ ports: [] }] })],
    ["matchLabels", policy({ podSelector: { matchLabels: {} } }), policy({ podSelector: {} })],
    [
      "a peer's matchLabels",
      policy({ ingress: [{ from: [{ podSelector: { matchLabels: {} }, namespaceSelector: { matchLabels: {} } }] }] }),
      policy({ ingress: [{ from: [{ podSelector: {}, namespaceSelector: { matchLabels: {} } }] }] }),
    ],
    [
      "a webhook's",
      webhook({ rules: [], matchConditions: [], namespaceSelector: {} }),
      webhook({ namespaceSelector: {} }),
    ],
    [
      "metadata's",
      object("Thing", {
        metadata: { name: "x", labels: {}, annotations: { a: null }, finalizers: [], ownerReferences: [] },
      }),
      object("Thing"),
    ],
  ])("go: %s", (_, input, expected) => {
    expect(result(input)).toEqual(expected);
  });

  it.each([
    policy({ podSelector: {}, policyTypes: [], egress: [{ to: [], ports: [] }] }),
    object("Pod", {
      spec: { volumes: [{ name: "v", emptyDir: {} }], containers: [{ name: "c", resources: {}, args: [] }] },
    }),
    object("ClusterRole", { rules: [] }, "rbac.authorization.k8s.io/v1"),
    object("Thing", { spec: { ingress: [], rules: [], labels: {} } }, "x.dev/v1"),
  ])("and no others do: $kind", (input) => {
    expect(result(input)).toEqual(input);
  });
});

describe("keelson.dev/ignore-fields", () => {
  const ignoring = (paths: string, rest: JsonObject): JsonObject =>
    object(
      "Deployment",
      { metadata: { name: "x", annotations: { "keelson.dev/ignore-fields": paths } }, ...rest },
      "apps/v1",
    );

  it.each([
    ["spec.replicas", { spec: { replicas: 1, paused: true } }, { spec: { paused: true } }],
    [" .spec.replicas , data.a", { spec: { replicas: 1 }, data: { a: "1", b: "2" } }, { spec: {}, data: { b: "2" } }],
    [
      "list[name=b].v",
      {
        list: [
          { name: "a", v: 1 },
          { name: "b", v: 1 },
        ],
      },
      { list: [{ name: "a", v: 1 }, { name: "b" }] },
    ],
    ["list[a=1,b=2]", { list: [{ a: 1, b: 2 }, { a: 1 }] }, { list: [{ a: 1 }] }],
    ["list[*].v", { list: [{ v: 1 }, { v: 2, w: 3 }] }, { list: [{}, { w: 3 }] }],
    ["list[0]", { list: ["a", "b"] }, { list: ["b"] }],
    ['data["a.b/c"]', { data: { "a.b/c": "1", d: "2" } }, { data: { d: "2" } }],
    ["spec.nothing.here", { spec: { a: 1 } }, { spec: { a: 1 } }],
  ])("removes %s", (paths, rest, expected) => {
    expect(result(ignoring(paths, rest))).toEqual(ignoring(paths, expected));
    expect(messages(ignoring(paths, rest))).toEqual([]);
  });

  it.each(["metadata.name", "kind", ".metadata", "a b", "[", "spec..x"])("says that %j is none", (path) => {
    const input = ignoring(path, { spec: { a: 1 } });

    expect(result(input)).toEqual(input);
    expect(messages(input)).toHaveLength(1);
  });
});
