import { describe, expect, test } from "vitest";
import { deployment, liveOf, withValue } from "./managed-fields/samples.case.ts";
import { replaceParentPatch } from "./replace-parent.ts";
import type { KubeObject } from "./types.ts";

const podSpec = ["spec", "template", "spec"];

function patch(live: KubeObject, desired: KubeObject, ...fields: readonly string[]) {
  return replaceParentPatch(
    live,
    desired,
    fields.map((field) => ({ field })),
  )?.slice(1);
}

const service = (ports: readonly unknown[]): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec: { ports, type: "ClusterIP" },
});

describe("replaceParentPatch", () => {
  test("is guarded by resourceVersion", () => {
    const live = withValue(liveOf(deployment()), ["spec", "strategy"], { type: "Recreate" });

    expect(replaceParentPatch(live, deployment(), [{ field: "spec.strategy.rollingUpdate" }])).toEqual([
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
    expect(patch(live, deployment(), "spec", "metadata.name", "nonsense[", "")).toBeUndefined();
    expect(replaceParentPatch(live, deployment(), [{}])).toBeUndefined();
  });

  test("has nothing to do where the parent is as desired", () => {
    expect(patch(liveOf(deployment()), deployment(), "spec.strategy.rollingUpdate.maxSurge")).toBeUndefined();
  });
});
