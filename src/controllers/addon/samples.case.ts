import type { DesiredObject, DesiredSet, EngineStatus, LiveRecord } from "../../converge/index.ts";
import { loadText, type ManifestSnapshot } from "../../manifest/index.ts";
import { type ObjectRef, refKey } from "../../object/index.ts";

/** A snapshot of these files, as a directory source gives it. */
export function snapshotOf(
  files: Readonly<Record<string, string>>,
  parts: Partial<ManifestSnapshot> = {},
): ManifestSnapshot {
  const loaded = Object.entries(files).map(([file, text]) => loadText(text, file));
  return {
    root: "/addons",
    state: { kind: "read" },
    sequence: 1,
    objects: loaded.flatMap(({ objects }) => objects),
    problems: loaded.flatMap(({ problems }) => problems),
    warnings: [],
    ignored: [],
    files: loaded.length,
    reduced: new Map(),
    unsettled: new Set(),
    oldestChange: undefined,
    ...parts,
  };
}

/** The text of a ConfigMap with these labels. */
export function configMap(name: string, labels: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { a: "1" } });
}

/** An engine where all is well. */
export function engineStatus(parts: Partial<EngineStatus> = {}): EngineStatus {
  return {
    isSynced: true,
    isReachable: true,
    desired: 1,
    converged: 1,
    pending: 0,
    unsettled: 0,
    blocked: new Map(),
    failures: new Map(),
    fights: new Map(),
    kept: [],
    waiting: [],
    paused: [],
    remarks: [],
    unavailable: new Map(),
    ...parts,
  };
}

/** A desired object of these names. */
export function desired(ref: Partial<ObjectRef>, options: Partial<DesiredObject> = {}): DesiredObject {
  const full: ObjectRef = { group: "", kind: "ConfigMap", namespace: "default", name: "a", ...ref };
  const [manifest] = snapshotOf({ "a.yaml": configMap(full.name) }).objects;
  if (manifest === undefined) throw new TypeError("no manifest");
  return {
    key: refKey(full),
    ref: full,
    apiVersion: "v1",
    mode: "Reconcile",
    digest: manifest.digest,
    origin: { file: "a.yaml", line: 1 },
    resource: undefined,
    phase: 0,
    mayRecreate: false,
    manifest,
    ...options,
  };
}

export function desiredSet(objects: readonly DesiredObject[]): DesiredSet {
  const byKey = new Map(objects.map((object) => [object.key, object]));
  return {
    objects: byKey,
    mentioned: new Set(),
    broken: [],
    isEmpty: false,
    reduced: new Map(),
    isHeld: false,
    cause: undefined,
    remarks: [],
  };
}

/** The record of an object of these names, as declared and ready. */
export function live(ref: Partial<ObjectRef>, options: Partial<LiveRecord> = {}): LiveRecord {
  const full: ObjectRef = { group: "", kind: "ConfigMap", namespace: "default", name: "a", ...ref };
  return { ...kept(full.name).live, key: refKey(full), ref: full, ...options };
}

/** One object that prune keeps. */
export function kept(name: string, parts: Partial<EngineStatus["kept"][number]> = {}): EngineStatus["kept"][number] {
  const ref = { group: "", kind: "ConfigMap", namespace: "default", name };
  return {
    kind: "kept",
    filter: "unproven",
    reason: "because",
    isConfirmable: true,
    live: {
      key: `ConfigMap/default/${name}`,
      ref,
      uid: `uid-${name}`,
      resourceVersion: "1",
      isSelected: true,
      classLabels: ["addonmanager.kubernetes.io/mode"],
      modeLabel: "Reconcile",
      applied: undefined,
      hasApplyEntry: false,
      isProven: false,
      ownsModeLabel: false,
      needsTakeover: false,
      hasLastApplied: true,
      isTrackingReliable: true,
      isPruneDisabled: false,
      hasController: false,
      isKeelsonOwn: false,
      terminating: undefined,
      readiness: "Current",
      setHash: "",
      valueHash: "",
      emptyLeaves: undefined,
      holdsDesired: false,
      drift: [],
      unready: undefined,
    },
    ...parts,
  };
}
