import type { ApiResource } from "../kube/index.ts";
import type { ManifestObject } from "../manifest/index.ts";
import { type KubeObject, type ObjectRef, refKey } from "../object/index.ts";
import type { DesiredObject, DesiredSet, Mode } from "./desired.ts";
import { MissingTracker } from "./missing.ts";
import { phaseOf } from "./phase.ts";
import type { PlanInput } from "./plan.ts";
import type { PruneContext } from "./prune-filters.ts";
import type { Baseline, LiveRecord } from "./record.ts";
import type { SetIdentity } from "./set.ts";

export const MODE = "addonmanager.kubernetes.io/mode";

/** A set as the addon controller has it, with one class label. */
export const IDENTITY: SetIdentity = {
  manager: "keelson",
  selectors: [MODE],
  classLabels: (labels) => (labels[MODE] === "Reconcile" ? [MODE] : []),
  releasedLabels: [MODE],
  modeLabel: MODE,
};

/** Digest of desired object version `n`. */
export const digest = (n: number): string => `v1:${n}`;

/** A served kind; namespaced unless said. */
export function resource(kind: string, options: Partial<ApiResource> = {}): ApiResource {
  return {
    group: "",
    version: "v1",
    kind,
    resource: `${kind.toLowerCase()}s`,
    namespaced: true,
    verbs: ["get", "list", "watch"],
    subresources: [],
    ...options,
  };
}

export function manifest(object: KubeObject, options: Partial<ManifestObject> = {}): ManifestObject {
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    name: metadata.name ?? "",
    namespace: metadata.namespace,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    body: JSON.stringify(object),
    digest: digest(1),
    origin: { file: "a.yaml", line: 1 },
    warnings: [],
    ...options,
  };
}

/** A desired object by reference alone; its resource is made up. */
export function desired(ref: Partial<ObjectRef>, options: Partial<DesiredObject> = {}): DesiredObject {
  const full: ObjectRef = { group: "", kind: "ConfigMap", namespace: "default", name: "a", ...ref };
  const mode: Mode = options.mode ?? "Reconcile";
  const apiVersion = full.group === "" ? "v1" : `${full.group}/v1`;
  const metadata = { name: full.name, namespace: full.namespace, labels: { [MODE]: mode } };
  return {
    key: refKey(full),
    ref: full,
    apiVersion,
    mode,
    digest: digest(1),
    origin: { file: "a.yaml", line: 1 },
    resource: resource(full.kind, { group: full.group, namespaced: full.namespace !== "" }),
    phase: phaseOf(full),
    mayRecreate: false,
    manifest: manifest({ apiVersion, kind: full.kind, metadata }),
    ...options,
  };
}

export function desiredSet(objects: readonly DesiredObject[], options: Partial<DesiredSet> = {}): DesiredSet {
  return {
    objects: new Map(objects.map((object) => [object.key, object])),
    mentioned: new Set(),
    broken: [],
    isEmpty: objects.length === 0,
    reduced: new Map(),
    isHeld: false,
    cause: undefined,
    remarks: [],
    ...options,
  };
}

/** A live object of ours, as our last apply left it. */
export function live(ref: Partial<ObjectRef>, options: Partial<LiveRecord> = {}): LiveRecord {
  const full: ObjectRef = { group: "", kind: "ConfigMap", namespace: "default", name: "a", ...ref };
  return {
    key: refKey(full),
    ref: full,
    uid: `uid-${full.name}`,
    resourceVersion: "10",
    isSelected: true,
    classLabels: [MODE],
    modeLabel: "Reconcile",
    applied: digest(1),
    hasApplyEntry: true,
    isProven: true,
    ownsModeLabel: true,
    needsTakeover: false,
    hasLastApplied: false,
    isTrackingReliable: true,
    isPruneDisabled: false,
    hasController: false,
    isKeelsonOwn: false,
    terminating: undefined,
    readiness: "Current",
    setHash: "set",
    valueHash: "value",
    emptyLeaves: undefined,
    holdsDesired: true,
    drift: [],
    unready: undefined,
    ...options,
  };
}

/** What {@link live} leaves as baseline. */
export function baseline(of: LiveRecord, options: Partial<Baseline> = {}): Baseline {
  const { uid, setHash, valueHash, emptyLeaves, resourceVersion } = of;
  return { uid, digest: digest(1), setHash, valueHash, emptyLeaves, resourceVersion, ...options };
}

/** Nothing stands against a delete, an hour after the start. */
export function pruneContext(options: Partial<PruneContext> = {}): PruneContext {
  const set = options.desired ?? desiredSet([desired({ name: "other" })]);
  const missing = new MissingTracker();
  missing.advance(set, 0);
  return {
    desired: set,
    missing,
    isDesiredUid: () => false,
    isPrunable: () => true,
    legacyPrune: "hold",
    confirmed: new Set(),
    isOff: false,
    now: 3_600_000,
    pruneSettleMs: 2_000,
    ...options,
  };
}

export function planInput(parts: {
  readonly desired?: readonly DesiredObject[];
  readonly live?: readonly LiveRecord[];
  readonly baselines?: readonly LiveRecord[];
  readonly prune?: Partial<PruneContext>;
  readonly pruneLimit?: PlanInput["pruneLimit"];
}): PlanInput {
  const set = desiredSet(parts.desired ?? []);
  return {
    desired: set,
    records: new Map((parts.live ?? []).map((record) => [record.key, record])),
    baselines: new Map((parts.baselines ?? []).map((record) => [record.key, baseline(record)])),
    // An empty set would hold everything: rule 9 has tests of its own.
    prune: pruneContext({ ...(parts.desired === undefined ? {} : { desired: set }), ...parts.prune }),
    pruneLimit: parts.pruneLimit,
  };
}
