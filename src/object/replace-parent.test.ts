import { describe, expect, test } from "vitest";
import { deployment, liveOf, withValue } from "./managed-fields/samples.case.ts";
import { replaceParentPatches } from "./replace-parent.ts";
import type { KubeObject } from "./types.ts";

const podSpec = ["spec", "template", "spec"];

/** The narrowest patch, without its guard. */
function patch(live: KubeObject, desired: KubeObject, ...fields: readonly string[]) {
  return patches(live, desired, ...fields)[0];
}

function patches(live: KubeObject, desired: KubeObject, ...fields: readonly string[]) {
  return replaceParentPatches(
    live,
    desired,
    fields.map((field) => ({ field })),
  ).map((each) => each.slice(1));
}

const service = (ports: readonly unknown[]): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec: { ports, type: "ClusterIP" },
});

describe("replaceParentPatches", () => {
  test("is guarded by resourceVersion", () => {
    const live = withValue(liveOf(deployment()), ["spec", "strategy"], { type: "Recreate" });

    expect(replaceParentPatches(live, deployment(), [{ field: "spec.strategy.rollingUpdate" }])[0]).toEqual([
      { op: "replace", path: "/metadata/resourceVersion", value: "7" },
      { op: "replace", path: "/spec/strategy", value: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } } },
    ]);
  });

  test("replaces the port whose number was changed, whatever index the server names", () => {
    const desired = service([
      { name: "a", port: 1 },
      { name: "http", port: 80 },
    ]);
    const live = liveOf(
      service([
        { name: "foreign", port: 9 },
        { name: "a", port: 1, targetPort: 1 },
        { name: "http", port: 81 },
      ]),
    );

    expect(patch(live, desired, "spec.ports[3].name")).toEqual([
      { op: "replace", path: "/spec/ports/2", value: { name: "http", port: 80 } },
    ]);
  });

  test("sees a protocol that was left to its default", () => {
    const live = liveOf(service([{ name: "http", port: 80, protocol: "UDP" }]));

    expect(patch(live, service([{ name: "http", port: 80 }]), "spec.ports[1].name")).toHaveLength(1);
  });

  test("replaces the item whose union member was changed", () => {
    const env = [...podSpec, "containers", 0, "env", 1];
    const live = withValue(liveOf(deployment()), env, { name: "B", valueFrom: { fieldRef: { fieldPath: "x" } } });

    expect(patch(live, deployment(), "spec.template.spec.containers[0].env[1].valueFrom")).toEqual([
      { op: "replace", path: "/spec/template/spec/containers/0/env/1", value: { name: "B", value: "2" } },
    ]);
  });

  test("replaces a struct that both have", () => {
    const probe = [...podSpec, "containers", 0, "livenessProbe"];
    const desired = withValue(deployment(), probe, { httpGet: { port: 80 } });
    const live = withValue(liveOf(desired), probe, { exec: { command: ["x"] }, periodSeconds: 10 });

    for (const field of ["livenessProbe", "livenessProbe.exec", "livenessProbe.httpGet"]) {
      expect(patch(live, desired, `spec.template.spec.containers[0].${field}`)).toMatchObject([
        { path: "/spec/template/spec/containers/0/livenessProbe", value: { httpGet: { port: 80 } } },
      ]);
    }
  });

  test("replaces a volume that the file turned from a defaulted emptyDir into something else", () => {
    const desired = withValue(deployment(), [...podSpec, "volumes", 1], { name: "tmp", secret: { secretName: "s" } });

    expect(patch(liveOf(deployment()), desired, "spec.template.spec.volumes[1].secret")).toEqual([
      { op: "replace", path: "/spec/template/spec/volumes/1", value: { name: "tmp", secret: { secretName: "s" } } },
    ]);
  });

  test("replaces the list where no item can be told", () => {
    const desired = service([{ port: 80 }]);
    const live = liveOf(service([{ port: 81 }, { port: 81 }]));

    expect(patch(live, desired, "spec.ports[0]")).toEqual([
      { op: "replace", path: "/spec/ports", value: [{ port: 80 }] },
    ]);
  });

  test("leaves out what lies inside another replacement", () => {
    const live = withValue(
      withValue(liveOf(deployment()), [...podSpec, "containers", 0, "image"], "x"),
      [...podSpec, "containers", 0, "env", 1, "value"],
      "y",
    );
    const fields = ["spec.template.spec.containers[0]", "spec.template.spec.containers[0].env[1].value"];

    expect(patch(live, deployment(), ...fields)?.map(({ path }) => path)).toEqual(["/spec/template/spec/containers/0"]);
  });

  test("removes a map that is to be empty, since an apply cannot empty one", () => {
    const desired = withValue(deployment(), [...podSpec, "securityContext"], {});
    const live = withValue(liveOf(desired), [...podSpec, "securityContext"], { runAsUser: 1 });

    expect(patch(live, desired, "spec.template.spec.securityContext")).toEqual([
      { op: "remove", path: "/spec/template/spec/securityContext" },
    ]);
  });

  test("never replaces spec or metadata: removes a field that is not desired, or gives up", () => {
    const live = withValue(liveOf(deployment()), ["spec", "paused"], true);

    expect(patch(live, deployment(), "spec.paused")).toEqual([{ op: "remove", path: "/spec/paused" }]);
    expect(patch(live, deployment(), "spec.replicas")).toBeUndefined();
    expect(patch(live, deployment(), "spec", "metadata.name", "metadata.labels", "nonsense[", "")).toBeUndefined();
    expect(replaceParentPatches(live, deployment(), [{}])).toEqual([]);
  });

  test("has nothing to do where the parent is as desired", () => {
    expect(patch(liveOf(deployment()), deployment(), "spec.strategy.rollingUpdate.maxSurge")).toBeUndefined();
  });

  test("takes wider parents one by one, up to a field of spec", () => {
    const volumes = [...podSpec, "volumes"];
    const desired = withValue(deployment(), volumes, [
      { name: "a", emptyDir: {} },
      { name: "b", configMap: { name: "c" } },
    ]);
    const live = withValue(liveOf(desired), volumes, [{ name: "b", emptyDir: {} }]);

    const found = patches(live, desired, "spec.template.spec.volumes[1].configMap");

    expect(found.map((each) => each.map(({ path }) => path))).toEqual([
      ["/spec/template/spec/volumes/0"],
      ["/spec/template/spec/volumes"],
      ["/spec/template/spec"],
      ["/spec/template"],
    ]);
  });

  test("keeps a place that cannot be wider while others grow", () => {
    const live = withValue(
      withValue(liveOf(deployment()), ["spec", "strategy"], { type: "Recreate" }),
      [...podSpec, "containers", 0, "env", 1],
      { name: "B", valueFrom: { fieldRef: { fieldPath: "x" } } },
    );
    const env = "spec.template.spec.containers[0].env[1].valueFrom";

    const found = patches(live, deployment(), "spec.strategy.rollingUpdate", env);

    expect(found[1]?.map(({ path }) => path)).toEqual(["/spec/strategy", "/spec/template/spec/containers/0/env"]);
    expect(found.at(-1)?.map(({ path }) => path)).toEqual(["/spec/strategy", "/spec/template"]);
  });

  test("leaves alone an item that has not the field at all", () => {
    const desired = withValue(
      deployment(),
      [...podSpec, "containers"],
      [
        { name: "main", image: "main:1" },
        { name: "aux", image: "aux:1", ports: [{ containerPort: 80, name: "http" }] },
      ],
    );
    const live = withValue(
      liveOf(desired),
      [...podSpec, "containers"],
      [
        { name: "main", image: "main:1", env: [{ name: "FOREIGN" }] },
        { name: "aux", image: "aux:1", ports: [{ containerPort: 80, name: "http", protocol: "UDP" }] },
      ],
    );

    expect(patch(live, desired, "spec.template.spec.containers[1].ports[1].name")).toEqual([
      { op: "replace", path: "/spec/template/spec/containers/1/ports/0", value: { containerPort: 80, name: "http" } },
    ]);
  });
});
