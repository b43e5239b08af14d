import type {
  Addon,
  ObjectDetail,
  ObjectRow,
  ObjectState,
  Overview,
  RevisionDiff,
  Revisions,
  TimelineEntry,
} from "../../src/http/dashboard/types.ts";

const FILES = [
  "dns/coredns.yaml",
  "network/policy-agent.yaml",
  "metrics/server.yaml",
  "storage/classes.yaml",
  "broken.yaml",
];
const KINDS: readonly (readonly [string, string])[] = [
  ["ConfigMap", ""],
  ["Deployment", "apps"],
  ["Service", ""],
  ["ClusterRole", "rbac.authorization.k8s.io"],
  ["ServiceAccount", ""],
];
const ODD: Readonly<Record<number, ObjectState>> = {
  3: "failed",
  11: "held",
  17: "pending",
  23: "fighting",
  29: "paused",
};
const MESSAGES: Readonly<Partial<Record<ObjectState, string>>> = {
  failed: "Invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0",
  held: "left the directory while broken.yaml cannot be read",
  fighting: "hpa-controller keeps changing spec.replicas: leave the field out of the manifest",
  paused: "paused by alice: looking into the memory leak",
};
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** A made-up cluster for working on the pages without one. */
export function mockRows(size: number): readonly ObjectRow[] {
  return Array.from({ length: size }, (_, index): ObjectRow => {
    const [kind = "ConfigMap", group = ""] = KINDS[index % KINDS.length] ?? [];
    const state = ODD[index] ?? "converged";
    const message = MESSAGES[state];
    const namespace = kind === "ClusterRole" ? "" : (["kube-system", "monitoring", "network"][index % 3] ?? "");
    const name = `${["coredns", "policy-agent", "metrics-server", "node-exporter"][index % 4]}-${index}`;
    return {
      key: `${group === "" ? kind : `${kind}.${group}`}/${namespace}/${name}`,
      group,
      kind,
      namespace,
      name,
      mode: index % 9 === 0 ? "EnsureExists" : "Reconcile",
      state,
      readiness: index % 50 === 7 ? "InProgress" : state === "failed" ? "NotFound" : "Current",
      ...(message === undefined ? {} : { message }),
      file: FILES[index % 4] ?? "",
      line: index + 1,
    };
  });
}

export function mockTimeline(rows: readonly ObjectRow[]): readonly TimelineEntry[] {
  const of = (index: number): Pick<TimelineEntry, "key" | "object"> => {
    const row = rows[index];
    return row === undefined ? {} : { key: row.key, object: row };
  };
  return [
    {
      id: 9,
      at: ago(0.1),
      ...of(1),
      kind: "drift",
      outcome: "configured",
      reason: "drift: spec.replicas 2→5 by kubectl-edit",
      authors: ["kubectl-edit"],
      changes: [{ path: "spec.replicas", before: "5", after: "2", manager: "kubectl-edit" }],
      ms: 6,
    },
    {
      id: 8,
      at: ago(12),
      kind: "action",
      outcome: "pause",
      reason: "pause of network/policy-agent.yaml for 2 h",
      authors: ["alice"],
      changes: [],
    },
    {
      id: 7,
      at: ago(95),
      ...of(2),
      kind: "write",
      outcome: "configured",
      reason: "file dns/coredns.yaml:12 changed",
      authors: [],
      changes: [{ path: "data.Corefile", before: ".:53 { cache 30 }", after: ".:53 { cache 60 }" }],
      file: "dns/coredns.yaml",
      line: 12,
      ms: 8,
    },
    {
      id: 6,
      at: ago(96),
      ...of(3),
      kind: "failed",
      outcome: "failed",
      reason: MESSAGES.failed ?? "",
      authors: [],
      changes: [],
    },
  ];
}

export function mockOverview(rows: readonly ObjectRow[]): Overview {
  const number = (state: ObjectState): number => rows.filter((row) => row.state === state).length;
  const held = rows.filter(({ state }) => state === "held");
  return {
    version: "0.1.0",
    set: "",
    path: "/etc/kubernetes/addons",
    instance: "node-1_4711",
    now: new Date().toISOString(),
    phase: "degraded",
    since: ago(42),
    isReachable: true,
    leader: { kind: "leading", holder: "node-1_4711" },
    revision: {
      revision: 12,
      at: ago(95),
      cause: "dns/coredns.yaml changed",
      objects: rows.length,
      added: 0,
      changed: 1,
      removed: 0,
    },
    pauses: [
      {
        target: { kind: "file", file: "network/policy-agent.yaml" },
        until: ago(-108),
        by: "alice",
        reason: "memory leak",
      },
    ],
    counts: {
      desired: rows.length,
      converged: number("converged"),
      pending: number("pending"),
      failed: number("failed"),
      blocked: 0,
      fighting: number("fighting"),
      paused: number("paused"),
      held: number("held"),
      kept: 0,
      ready: rows.length - 8,
      notReady: 8,
    },
    problems: [{ file: "broken.yaml", line: 7, message: "InvalidYaml: a mapping value is not allowed here" }],
    held: {
      digest: "v1:3f2a",
      confirmable: held.length,
      objects: held.map((row) => ({ ...row, uid: row.key, reason: row.message ?? "", confirmable: true })),
    },
    attention: rows.filter(({ state }) => state === "failed" || state === "fighting"),
    recent: mockTimeline(rows),
  };
}

export function mockAddons(rows: readonly ObjectRow[]): readonly Addon[] {
  return FILES.map((file): Addon => {
    const own = rows.filter((row) => row.file === file);
    const states: Partial<Record<ObjectState, number>> = {};
    for (const { state } of own) states[state] = (states[state] ?? 0) + 1;
    const troubled = own.find(({ state }) => state !== "converged");
    const isBroken = file === "broken.yaml";
    return {
      file,
      objects: own.length,
      state: isBroken ? "failed" : (troubled?.state ?? "converged"),
      readiness: isBroken
        ? "Unknown"
        : own.every(({ readiness }) => readiness === "Current")
          ? "Current"
          : "InProgress",
      states,
      ready: own.filter(({ readiness }) => readiness === "Current").length,
      ...(troubled?.message === undefined ? {} : { message: troubled.message }),
      problems: isBroken ? [{ file, line: 7, message: "a mapping value is not allowed here" }] : [],
    };
  });
}

export function mockDetail(row: ObjectRow, rows: readonly ObjectRow[]): ObjectDetail {
  const us = { manager: "keelson", operation: "Apply", isUs: true, time: ago(95) };
  const other = {
    manager: "kube-controller-manager",
    operation: "Update",
    subresource: "status",
    isUs: false,
    time: ago(3),
  };
  return {
    row,
    apiVersion: row.group === "" ? "v1" : `${row.group}/v1`,
    uid: "4a1c8a55-6a55-4c1b-a7c5-1a2b3c4d5e6f",
    created: ago(9000),
    live: row.state === "failed" ? "absent" : "present",
    fields: [
      { path: "metadata.labels[addonmanager.kubernetes.io/mode]", value: "Reconcile", owners: [us], isOurs: true },
      { path: "spec.replicas", value: "2", owners: [us], isOurs: true },
      {
        path: "spec.template.spec.containers[name=dns].image",
        value: "registry.k8s.io/coredns/coredns:v1.12.0",
        owners: [us],
        isOurs: true,
      },
      { path: "spec.strategy.type", value: "RollingUpdate", owners: [], isOurs: false },
      { path: "status.readyReplicas", value: "2", owners: [other], isOurs: false },
    ],
    moreFields: 0,
    manifest: {
      file: row.file ?? "",
      line: row.line ?? 1,
      text: `apiVersion: apps/v1\nkind: ${row.kind}\nmetadata:\n  name: ${row.name}\n  namespace: ${row.namespace}\nspec:\n  replicas: 2\n`,
    },
    timeline: mockTimeline(rows).map((entry) => ({ ...entry, key: row.key, object: row })),
  };
}

export const MOCK_REVISIONS: Revisions = {
  revisions: [
    {
      revision: 12,
      at: ago(95),
      cause: "dns/coredns.yaml changed",
      objects: 34,
      added: 0,
      changed: 1,
      removed: 0,
      result: "applied",
    },
    {
      revision: 11,
      at: ago(1500),
      cause: "metrics/server.yaml and 2 more files changed",
      objects: 34,
      added: 3,
      changed: 4,
      removed: 1,
      result: "applied",
    },
    {
      revision: 10,
      at: ago(9000),
      cause: "first set",
      objects: 32,
      added: 32,
      changed: 0,
      removed: 0,
      result: "applied",
    },
  ],
};

export const mockDiff = (from: number, to: number): RevisionDiff => ({
  from,
  to,
  objects: [
    {
      object: { group: "", kind: "ConfigMap", namespace: "kube-system", name: "coredns" },
      change: "changed",
      changes: [{ path: "data.Corefile", before: ".:53 { cache 30 }", after: ".:53 { cache 60 }" }],
    },
    {
      object: { group: "apps", kind: "DaemonSet", namespace: "monitoring", name: "node-exporter" },
      change: "added",
      changes: [],
    },
  ],
  more: 0,
});
