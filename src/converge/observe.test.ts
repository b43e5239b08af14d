import { describe, expect, it } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../object/index.ts";
import { desiredTree } from "./desired.ts";
import { type ObserveContext, observe } from "./observe.ts";
import { baselineOf } from "./record.ts";
import { desired, digest, IDENTITY, MODE, manifest } from "./samples.case.ts";

const ref = { name: "dns" };
const wanted = desired(ref, {
  manifest: manifest({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "dns", labels: { [MODE]: "Reconcile" } },
    data: { a: "1", b: "2" },
  }),
});

const OURS = {
  "f:metadata": { "f:annotations": { "f:keelson.dev/applied": {} }, "f:labels": { [`f:${MODE}`]: {} } },
  "f:data": { "f:a": {}, "f:b": {} },
};

function entry(parts: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return {
    manager: "keelson",
    operation: "Apply",
    apiVersion: "v1",
    time: "2030-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: OURS,
    ...parts,
  };
}

/** The live object as our apply of {@link wanted} leaves it, changed by `change`. */
function liveObject(
  change: { metadata?: object; data?: object; entries?: readonly ManagedFieldsEntry[] } = {},
): KubeObject {
  const { metadata, ...rest } = desiredTree(wanted, IDENTITY);
  return {
    ...rest,
    ...(change.data === undefined ? {} : { data: change.data }),
    metadata: {
      ...metadata,
      uid: "1",
      resourceVersion: "5",
      managedFields: change.entries ?? [entry()],
      ...change.metadata,
    },
  } as KubeObject;
}

function context(parts: Partial<ObserveContext> = {}): ObserveContext {
  return {
    identity: IDENTITY,
    desired: wanted,
    baseline: undefined,
    servedVersions: ["v1"],
    isSelected: true,
    ...parts,
  };
}

describe("observe, the facts", () => {
  it("tells place, versions and labels", () => {
    expect(observe(liveObject(), context())).toMatchObject({
      key: "ConfigMap/default/dns",
      uid: "1",
      resourceVersion: "5",
      isSelected: true,
      classLabels: [MODE],
      modeLabel: "Reconcile",
      applied: digest(1),
      hasController: false,
      isKeelsonOwn: false,
      isPruneDisabled: false,
      terminating: undefined,
    });
  });

  it.each<{ name: string; entries: readonly ManagedFieldsEntry[]; isProven: boolean; hasApplyEntry: boolean }>([
    { name: "our Apply entry that owns the label", entries: [entry()], isProven: true, hasApplyEntry: true },
    {
      name: "our Apply entry that lost the label",
      entries: [entry({ fieldsV1: { "f:data": { "f:a": {} } } })],
      isProven: false,
      hasApplyEntry: true,
    },
    { name: "our Update entry", entries: [entry({ operation: "Update" })], isProven: false, hasApplyEntry: false },
    {
      name: "our entry for a subresource",
      entries: [entry({ subresource: "status" })],
      isProven: false,
      hasApplyEntry: false,
    },
    { name: "another set's entry", entries: [entry({ manager: "keelson.b" })], isProven: false, hasApplyEntry: false },
    {
      name: "a copy, with its creator's entry",
      entries: [entry({ manager: "kube-controller-manager", operation: "Update" })],
      isProven: false,
      hasApplyEntry: false,
    },
    { name: "no entries at all", entries: [], isProven: false, hasApplyEntry: false },
  ])("takes as proof of ownership $name: $isProven", ({ entries, isProven, hasApplyEntry }) => {
    expect(observe(liveObject({ entries }), context())).toMatchObject({
      isProven,
      ownsModeLabel: isProven,
      hasApplyEntry,
    });
  });

  it("has no proof by a label that is not of the class", () => {
    const object = liveObject({ metadata: { labels: { [MODE]: "EnsureExists" } } });

    expect(observe(object, context())).toMatchObject({ classLabels: [], isProven: false, ownsModeLabel: true });
  });

  it.each([
    { name: "a finalizer", finalizers: ["x/y"], terminating: ["x/y"] },
    { name: "nothing", finalizers: undefined, terminating: [] },
  ])("tells that it is being deleted and waits for $name", ({ finalizers, terminating }) => {
    const object = liveObject({ metadata: { deletionTimestamp: "2030-01-01T00:00:00Z", finalizers } });

    expect(observe(object, context()).terminating).toEqual(terminating);
  });

  it.each([
    { name: "of the set's own kind", owner: { apiVersion: "example.com/v2", kind: "Config" }, hasController: false },
    { name: "of another group", owner: { apiVersion: "example.org/v1", kind: "Config" }, hasController: true },
    { name: "of another kind", owner: { apiVersion: "example.com/v1", kind: "Other" }, hasController: true },
  ])("counts a controller $name: $hasController", ({ owner, hasController }) => {
    const identity = { ...IDENTITY, controller: { group: "example.com", kind: "Config" } };
    const ownerReferences = [{ ...owner, name: "x", uid: "9", controller: true }];

    const record = observe(liveObject({ metadata: { ownerReferences } }), { ...context(), identity });

    expect(record.hasController).toBe(hasController);
  });

  it("needs a take-over from a predecessor of the set, and from no other program", () => {
    const entries = [entry({}), entry({ manager: "former", operation: "Update" })];
    const object = liveObject({ entries });

    expect(observe(object, context()).needsTakeover).toBe(false);
    expect(observe(object, { ...context(), identity: { ...IDENTITY, predecessors: ["former"] } }).needsTakeover).toBe(
      true,
    );
  });

  it.each([
    { name: "a controller", controller: true, hasController: true },
    { name: "a mere owner", controller: undefined, hasController: false },
  ])("tells an owner reference of $name", ({ controller, hasController }) => {
    const owner = { apiVersion: "v1", kind: "X", name: "x", uid: "9", ...(controller && { controller }) };

    expect(observe(liveObject({ metadata: { ownerReferences: [owner] } }), context()).hasController).toBe(
      hasController,
    );
  });

  it.each([
    { version: "v1", served: ["v1"], isReliable: true },
    { version: "v1beta1", served: ["v1", "v1beta1"], isReliable: true },
    { version: "v1beta1", served: ["v1"], isReliable: false },
  ])("relies on the server's tracking with an entry at $version and $served served: $isReliable", (row) => {
    const object: KubeObject = {
      ...liveObject({
        entries: [entry({ apiVersion: "x.dev/v1" }), entry({ manager: "o", apiVersion: `x.dev/${row.version}` })],
      }),
      apiVersion: "x.dev/v1",
    };

    expect(observe(object, context({ servedVersions: row.served })).isTrackingReliable).toBe(row.isReliable);
  });

  it("tells annotations and labels that guard against prune", () => {
    const object = liveObject({
      metadata: {
        annotations: { "keelson.dev/prune": "disabled", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
        labels: { "app.kubernetes.io/part-of": "keelson" },
      },
    });

    expect(observe(object, context())).toMatchObject({
      isPruneDisabled: true,
      hasLastApplied: true,
      isKeelsonOwn: true,
    });
  });

  it.each([
    { name: "our Update entry", entries: [entry(), entry({ operation: "Update" })], lastApplied: false, needs: true },
    {
      name: "kubectl's entry beside last-applied",
      entries: [entry({ manager: "kubectl-client-side-apply", operation: "Update" })],
      lastApplied: true,
      needs: true,
    },
    {
      name: "kubectl's entry without last-applied",
      entries: [entry({ manager: "kubectl-create", operation: "Update" })],
      lastApplied: false,
      needs: false,
    },
    { name: "our Apply entry alone", entries: [entry()], lastApplied: false, needs: false },
  ])("needs a take-over for $name: $needs", ({ entries, lastApplied, needs }) => {
    const annotations = lastApplied ? { "kubectl.kubernetes.io/last-applied-configuration": "{}" } : {};

    expect(observe(liveObject({ entries, metadata: { annotations } }), context()).needsTakeover).toBe(needs);
  });
});

describe("observe, without a baseline", () => {
  it("finds what is desired, text by text", () => {
    expect(observe(liveObject(), context())).toMatchObject({ holdsDesired: true, drift: [] });
  });

  it.each([
    { name: "a value", change: { data: { a: "9", b: "2" } } },
    { name: "a missing field", change: { data: { a: "1" } } },
    { name: "another digest", change: { metadata: { annotations: { "keelson.dev/applied": "v1:0" } } } },
    { name: "a lost field", change: { entries: [entry({ fieldsV1: { ...OURS, "f:data": { "f:a": {} } } })] } },
    {
      name: "a field too many",
      change: { entries: [entry({ fieldsV1: { ...OURS, "f:data": { "f:a": {}, "f:b": {}, "f:c": {} } } })] },
    },
    { name: "a missing entry", change: { entries: [] } },
    { name: "an entry to take over", change: { entries: [entry(), entry({ operation: "Update" })] } },
    {
      name: "an entry at a version that is gone",
      change: { entries: [entry(), entry({ manager: "o", apiVersion: "v0" })] },
    },
  ] as const)("does not find it for $name", ({ change }) => {
    expect(observe(liveObject(change), context()).holdsDesired).toBe(false);
  });

  it("leaves what others added alone", () => {
    const object = liveObject({
      data: { a: "1", b: "2", theirs: "x" },
      entries: [entry(), entry({ manager: "o", operation: "Update", fieldsV1: { "f:data": { "f:theirs": {} } } })],
    });

    expect(observe(object, context()).holdsDesired).toBe(true);
  });

  it("says nothing about values that it does not have", () => {
    const { data: _none, ...partial } = liveObject();

    expect(observe(partial as KubeObject, context({ isPartial: true }))).toMatchObject({
      isProven: true,
      holdsDesired: false,
      setHash: "",
      drift: [],
    });
  });

  it("compares no EnsureExists object and none that is not desired", () => {
    const ensured = desired(ref, { mode: "EnsureExists" });

    for (const desiredNow of [ensured, undefined]) {
      expect(observe(liveObject({ data: {} }), context({ desired: desiredNow }))).toMatchObject({
        holdsDesired: false,
        drift: [],
      });
    }
  });
});

describe("observe, with a baseline", () => {
  const baseline = baselineOf(observe(liveObject(), context()), digest(1));

  it("equals it whatever else moved", () => {
    const object = liveObject({
      metadata: { resourceVersion: "99", generation: 7 },
      data: { a: "1", b: "2", theirs: "x" },
      entries: [entry({ time: "2031-01-01T00:00:00Z" }), entry({ manager: "o", operation: "Update", fieldsV1: {} })],
    });
    const record = observe(object, context({ baseline }));

    expect([record.setHash, record.valueHash]).toEqual([baseline.setHash, baseline.valueHash]);
    expect(record.drift).toEqual([]);
  });

  it("tells which field drifted, to what, and by whom", () => {
    const object = liveObject({
      data: { a: "9", b: "2" },
      entries: [
        entry({ fieldsV1: { ...OURS, "f:data": { "f:b": {} } } }),
        entry({ manager: "kubectl-edit", operation: "Update", fieldsV1: { "f:data": { "f:a": {} } } }),
      ],
    });

    expect(observe(object, context({ baseline })).drift).toMatchObject([
      { path: "data.a", kind: "changed", desired: "1", live: "9", owner: { manager: "kubectl-edit" } },
    ]);
  });

  it("sees a value change that the entries do not show", () => {
    const record = observe(liveObject({ data: { a: "9", b: "2" } }), context({ baseline }));

    expect(record.setHash).toBe(baseline.setHash);
    expect(record.valueHash).not.toBe(baseline.valueHash);
  });

  it("compares with the text again once the file has changed", () => {
    const changed = { ...wanted, digest: digest(2) };

    expect(observe(liveObject(), context({ baseline, desired: changed })).holdsDesired).toBe(false);
  });

  it("masks what drifted in a Secret", () => {
    const secret = desired(
      { kind: "Secret", name: "dns" },
      {
        manifest: manifest({
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "dns", labels: { [MODE]: "Reconcile" } },
          data: { a: "aHVudGVyMg==", b: "Mg==" },
        }),
      },
    );
    const object = { ...liveObject({ data: { a: "aHVudGVyMw==", b: "Mg==" } }), kind: "Secret" };

    const { drift } = observe(object, context({ desired: secret }));

    expect(drift).toHaveLength(1);
    expect(JSON.stringify(drift)).not.toContain("aHVudGVy");
  });
});
