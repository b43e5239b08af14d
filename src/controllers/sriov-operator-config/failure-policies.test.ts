import { describe, expect, it } from "vitest";
import { ignorePatch } from "./failure-policies.ts";
import { clusterRefs } from "./teardown.ts";

const live = (webhooks?: unknown) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "x", resourceVersion: "5" },
  ...(webhooks === undefined ? {} : { webhooks }),
});

describe("ignorePatch", () => {
  it("sets every policy that is not Ignore, guarded by the version", () => {
    expect(ignorePatch(live([{ failurePolicy: "Ignore" }, { failurePolicy: "Fail" }, {}]))).toEqual([
      { op: "replace", path: "/metadata/resourceVersion", value: "5" },
      { op: "replace", path: "/webhooks/1/failurePolicy", value: "Ignore" },
      { op: "replace", path: "/webhooks/2/failurePolicy", value: "Ignore" },
    ]);
  });

  it.each([{ webhooks: undefined }, { webhooks: [] }, { webhooks: [{ failurePolicy: "Ignore" }] }])(
    "has nothing to do for $webhooks",
    ({ webhooks }) => {
      expect(ignorePatch(live(webhooks))).toBeUndefined();
    },
  );
});

describe("clusterRefs", () => {
  it("takes cluster-scoped objects once, and leaves the MachineConfig", () => {
    const role = "ClusterRole.rbac.authorization.k8s.io//r";
    const keys = [
      role,
      "DaemonSet.apps/ns/d",
      role,
      "MachineConfig.machineconfiguration.openshift.io//sriov-config-service",
    ];

    expect(clusterRefs(keys)).toMatchObject([{ kind: "ClusterRole", name: "r" }]);
  });
});
