import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../object/index.ts";
import { type ReadinessKind, readinessOf } from "./index.ts";

type Fields = Readonly<Record<string, unknown>>;

function object(kind: string, fields: Fields = {}, metadata: Fields = {}): KubeObject {
  const [group = "", name = kind] = kind.includes("/") ? kind.split("/") : ["", kind];
  return {
    apiVersion: group === "" ? "v1" : `${group}/v1`,
    kind: name,
    metadata: { name: "x", ...metadata },
    ...fields,
  };
}

const condition = (type: string, status: string, reason = "", message = "") => ({ type, status, reason, message });

const conditions = (...all: readonly unknown[]) => ({ status: { conditions: all } });

const available = condition("Available", "True");
const rolledOut = condition("Progressing", "True", "NewReplicaSetAvailable");

function deployment(status: Fields, spec: Fields = {}, all: readonly unknown[] = [available, rolledOut]): KubeObject {
  return object("apps/Deployment", {
    spec: { replicas: 2, progressDeadlineSeconds: 600, ...spec },
    status: { replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2, conditions: all, ...status },
  });
}

function statefulSet(status: Fields, spec: Fields = {}): KubeObject {
  return object("apps/StatefulSet", {
    spec: { replicas: 3, ...spec },
    status: {
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: "a",
      updateRevision: "a",
      ...status,
    },
  });
}

function daemonSet(status: Fields, spec: Fields = {}): KubeObject {
  return object("apps/DaemonSet", {
    spec,
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
      numberReady: 2,
      ...status,
    },
  });
}

function replicaSet(status: Fields): KubeObject {
  return object("apps/ReplicaSet", {
    spec: { replicas: 2 },
    status: { replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 2, ...status },
  });
}

const TABLE: Readonly<Record<string, readonly (readonly [KubeObject, ReadinessKind, string])[]>> = {
  "any object": [
    [object("ConfigMap"), "Current", ""],
    [object("ConfigMap", {}, { deletionTimestamp: "t" }), "Terminating", ""],
    [object("ConfigMap", {}, { deletionTimestamp: "t", finalizers: ["a/b"] }), "Terminating", "a/b"],
    [object("x.dev/Foo", { status: { observedGeneration: 1 } }, { generation: 2 }), "InProgress", "observed 1"],
    [object("x.dev/Foo", { status: { observedGeneration: 2 } }, { generation: 2 }), "Current", ""],
    [object("x.dev/Foo", conditions(condition("Ready", "True"))), "Current", ""],
    [object("x.dev/Foo", conditions(condition("Ready", "False", "R", "why"))), "InProgress", "why"],
    [object("x.dev/Foo", conditions(condition("Ready", "Unknown", "R"))), "InProgress", "R"],
    [object("x.dev/Foo", conditions(condition("Stalled", "True", "S", "stuck"))), "Failed", "stuck"],
    [object("x.dev/Foo", conditions(condition("Stalled", "False"))), "Current", ""],
    [object("x.dev/Foo", conditions(condition("Reconciling", "True"), condition("Stalled", "True"))), "InProgress", ""],
    [object("x.dev/Foo", { status: { conditions: ["odd", null] } }), "Current", ""],
    [object("x.dev/Foo", { status: "odd" }), "Current", ""],
    [object("x.dev/Deployment", { spec: { replicas: 5 } }), "Current", ""],
  ],
  Deployment: [
    [deployment({}), "Current", "replicas: 2"],
    [deployment({ replicas: 1 }), "InProgress", "replicas: 1/2"],
    [deployment({ updatedReplicas: 1 }), "InProgress", "updated: 1/2"],
    [deployment({ replicas: 3 }), "InProgress", "pending termination: 1"],
    [deployment({ availableReplicas: 1 }), "InProgress", "available: 1/2"],
    [deployment({ readyReplicas: 1 }), "InProgress", "ready: 1/2"],
    [deployment({}, {}, [available]), "InProgress", "ReplicaSet"],
    [deployment({}, { progressDeadlineSeconds: 2147483647 }, [available]), "Current", ""],
    [deployment({}, {}, [rolledOut]), "InProgress", "not available"],
    [deployment({}, {}, [condition("Progressing", "False", "ProgressDeadlineExceeded", "late")]), "Failed", "late"],
    [object("apps/Deployment", { spec: {} }), "InProgress", "replicas: 0/1"],
  ],
  ReplicaSet: [
    [replicaSet({}), "Current", ""],
    [replicaSet({ fullyLabeledReplicas: 1 }), "InProgress", "labelled"],
    [replicaSet({ availableReplicas: 1 }), "InProgress", "available"],
    [replicaSet({ readyReplicas: 0 }), "InProgress", "ready"],
    [replicaSet({ replicas: 3 }), "InProgress", "pending termination"],
    [replicaSet({ conditions: [condition("ReplicaFailure", "True", "Quota", "no quota")] }), "InProgress", "no quota"],
  ],
  StatefulSet: [
    [statefulSet({}), "Current", ""],
    [statefulSet({ replicas: 2 }), "InProgress", "replicas: 2/3"],
    [statefulSet({ readyReplicas: 2 }), "InProgress", "ready: 2/3"],
    [statefulSet({ replicas: 4 }), "InProgress", "pending termination"],
    [statefulSet({ currentReplicas: 1 }), "InProgress", "current: 1/3"],
    [statefulSet({ updateRevision: "b" }), "InProgress", "revision"],
    [statefulSet({ updatedReplicas: 0 }, { updateStrategy: { rollingUpdate: { partition: 2 } } }), "InProgress", "0/1"],
    [statefulSet({ updatedReplicas: 1 }, { updateStrategy: { rollingUpdate: { partition: 2 } } }), "Current", ""],
    [statefulSet({ readyReplicas: 0 }, { updateStrategy: { type: "OnDelete" } }), "Current", "on delete"],
  ],
  DaemonSet: [
    [daemonSet({}), "Current", ""],
    [daemonSet({ observedGeneration: undefined }), "InProgress", "observed"],
    [daemonSet({ currentNumberScheduled: 1 }), "InProgress", "scheduled"],
    [daemonSet({ updatedNumberScheduled: 1 }), "InProgress", "updated"],
    [daemonSet({ updatedNumberScheduled: 1 }, { updateStrategy: { type: "OnDelete" } }), "Current", ""],
    [daemonSet({ numberAvailable: 1 }), "InProgress", "available"],
    [daemonSet({ numberReady: 1 }), "InProgress", "ready"],
  ],
  Pod: [
    [object("Pod"), "InProgress", "no phase"],
    [object("Pod", { status: { phase: "Odd" } }), "InProgress", "Odd"],
    [object("Pod", { status: { phase: "Succeeded" } }), "Current", ""],
    [object("Pod", { status: { phase: "Failed", message: "evicted" } }), "Failed", "evicted"],
    [object("Pod", { status: { phase: "Running", conditions: [condition("Ready", "True")] } }), "Current", ""],
    [object("Pod", { status: { phase: "Running" } }), "InProgress", "not ready"],
    [
      object("Pod", {
        status: {
          phase: "Running",
          containerStatuses: [
            { name: "c", state: { waiting: { reason: "CrashLoopBackOff" } } },
            { name: "d", state: {} },
          ],
        },
      }),
      "Failed",
      "loop: c",
    ],
    [object("Pod", { status: { phase: "Pending" } }), "InProgress", "pending"],
    [
      object("Pod", {
        status: { phase: "Pending", conditions: [condition("PodScheduled", "False", "Unschedulable", "no node")] },
      }),
      "InProgress",
      "no node",
    ],
  ],
  "Job and CronJob": [
    [object("batch/Job"), "InProgress", "not started"],
    [object("batch/Job", { status: { startTime: "t", active: 1 } }), "InProgress", "active: 1"],
    [object("batch/Job", conditions(condition("Complete", "True"))), "Current", ""],
    [object("batch/Job", conditions(condition("Failed", "True", "BackoffLimitExceeded"))), "Failed", "BackoffLimit"],
    [object("batch/Job", conditions(condition("Suspended", "True"))), "Current", "suspended"],
    [object("batch/CronJob"), "Current", ""],
  ],
  "storage and services": [
    [object("PersistentVolumeClaim"), "InProgress", "not bound"],
    [object("PersistentVolumeClaim", { status: { phase: "Pending" } }), "InProgress", "Pending"],
    [object("PersistentVolumeClaim", { status: { phase: "Bound" } }), "Current", ""],
    [object("PersistentVolumeClaim", { status: { phase: "Lost" } }), "Failed", ""],
    [object("PersistentVolume"), "InProgress", ""],
    [object("PersistentVolume", { status: { phase: "Available" } }), "Current", ""],
    [object("PersistentVolume", { status: { phase: "Failed", message: "no plugin" } }), "Failed", "no plugin"],
    [object("Service", { spec: { type: "ClusterIP" } }), "Current", ""],
    [object("Service", { spec: { type: "LoadBalancer" } }), "InProgress", "cluster IP"],
    [object("Service", { spec: { type: "LoadBalancer", clusterIP: "10.0.0.1" } }), "Current", ""],
  ],
  "the API's own kinds": [
    [object("apiextensions.k8s.io/CustomResourceDefinition"), "InProgress", ""],
    [
      object("apiextensions.k8s.io/CustomResourceDefinition", conditions(condition("Established", "True"))),
      "Current",
      "",
    ],
    [
      object(
        "apiextensions.k8s.io/CustomResourceDefinition",
        conditions(condition("NamesAccepted", "False", "Conflict", "taken by y"), condition("Established", "True")),
      ),
      "Failed",
      "taken by y",
    ],
    [object("apiregistration.k8s.io/APIService"), "InProgress", ""],
    [object("apiregistration.k8s.io/APIService", conditions(condition("Available", "True"))), "Current", ""],
    [
      object("apiregistration.k8s.io/APIService", conditions(condition("Available", "False", "R", "no endpoints"))),
      "InProgress",
      "no endpoints",
    ],
    [object("policy/PodDisruptionBudget"), "InProgress", ""],
    [object("policy/PodDisruptionBudget", { status: { observedGeneration: 1 } }), "Current", ""],
    [object("Namespace", { status: { phase: "Active" } }), "Current", ""],
    [object("Namespace", { status: { phase: "Terminating" } }), "Terminating", ""],
  ],
};

for (const [name, rows] of Object.entries(TABLE)) {
  describe(name, () => {
    test.each(rows.map(([subject, kind, words]) => ({ kind, words, status: JSON.stringify(subject.status), subject })))(
      "is $kind ($words) with status $status",
      ({ kind, words, subject }) => {
        const readiness = readinessOf(subject);

        expect(readiness.kind).toBe(kind);
        expect(readiness.message).toContain(words);
        expect(readiness.message).not.toBe("");
      },
    );
  });
}

test("an absent object is NotFound", () => {
  expect(readinessOf(undefined).kind).toBe("NotFound");
});

test("no shape of status makes the rules throw", () => {
  const kinds = ["apps/Deployment", "apps/StatefulSet", "apps/DaemonSet", "apps/ReplicaSet", "batch/Job", "Pod"];
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.jsonValue(), fc.jsonValue(), (kind, status, spec) => {
      expect(readinessOf(object(kind, { status, spec })).message).toEqual(expect.any(String));
    }),
  );
});
