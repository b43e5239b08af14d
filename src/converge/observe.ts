import {
  APPLIED_ANNOTATION,
  coversDesired,
  type DriftedField,
  emptyLeavesOf,
  entryOf,
  explainDrift,
  type KubeObject,
  LAST_APPLIED_ANNOTATION,
  type ManagedFieldsEntry,
  matchesDesired,
  type OwnerReference,
  ownedRecord,
  ownsLabel,
  PART_OF_LABEL,
  PRUNE_ANNOTATION,
  parseApiVersion,
  refKey,
  refOf,
  trackingReliable,
} from "../object/index.ts";
import { readinessOf } from "../readiness/index.ts";
import { type DesiredObject, desiredTree } from "./desired.ts";
import { type Baseline, equalsBaseline, type LiveRecord } from "./record.ts";
import type { SetIdentity } from "./set.ts";
import { needsTakeover } from "./takeover.ts";

/** What an observation is made against. */
export interface ObserveContext {
  readonly identity: SetIdentity;
  /** The desired object of the same key, where there is one. */
  readonly desired: DesiredObject | undefined;
  readonly baseline: Baseline | undefined;
  /** Versions of the object's group that the API server serves. */
  readonly servedVersions: readonly string[];
  /** Found by a selector of the set. */
  readonly isSelected: boolean;
  /** Only the metadata is there: nothing can be said about values. */
  readonly isPartial?: boolean;
}

const NO_DRIFT: readonly DriftedField[] = [];

/**
 * Reduces a live object to its {@link LiveRecord}. Runs for every watch event: where the record equals its baseline, the
 * desired object is not even parsed.
 */
export function observe(object: KubeObject, context: ObserveContext): LiveRecord {
  const { identity, desired, baseline } = context;
  const entry = entryOf(object, identity.manager, "Apply");
  const record = notCompared(object, entry, context);
  if (desired === undefined || desired.mode !== "Reconcile" || context.isPartial === true) return record;
  if (baseline === undefined || baseline.digest !== desired.digest) {
    const tree = desiredTree(desired, identity);
    return Object.assign(record, compareWithText(record, { object, entry, tree, desired, identity }));
  }
  const { emptyLeaves } = baseline;
  Object.assign(record, { emptyLeaves }, entry === undefined ? undefined : ownedRecord(object, entry, emptyLeaves));
  if (equalsBaseline(record, baseline)) {
    // Thousands of records hold equal text: it is kept once.
    const { uid, setHash, valueHash } = baseline;
    return Object.assign(record, { uid, setHash, valueHash });
  }
  return Object.assign(record, { drift: explainDrift(object, desiredTree(desired, identity), identity.manager) });
}

/** Without a baseline, live and desired text are compared leaf by leaf; a "no" costs one apply, a "yes" must be right. */
function compareWithText(
  record: LiveRecord,
  against: {
    readonly object: KubeObject;
    readonly entry: ManagedFieldsEntry | undefined;
    readonly tree: KubeObject;
    readonly desired: DesiredObject;
    readonly identity: SetIdentity;
  },
): Partial<LiveRecord> {
  const { object, entry, tree, desired, identity } = against;
  const fieldsV1 = entry?.fieldsV1;
  if (fieldsV1 === undefined) return { drift: explainDrift(object, tree, identity.manager) };
  const emptyLeaves = emptyLeavesOf(tree, { live: object, fieldsV1 });
  const hashes = ownedRecord(object, entry, emptyLeaves);
  const holdsDesired =
    record.applied === desired.digest &&
    !record.needsTakeover &&
    record.isTrackingReliable &&
    coversDesired(fieldsV1, tree) &&
    matchesDesired(object, tree, fieldsV1);
  const drift = holdsDesired ? NO_DRIFT : explainDrift(object, tree, identity.manager);
  return { ...hashes, emptyLeaves, holdsDesired, drift };
}

/**
 * The record as far as no values are looked at. One literal for every record, with all of its fields: put together by
 * spreads, each of thousands would have a shape of its own in V8, larger than the record.
 */
function notCompared(object: KubeObject, entry: ManagedFieldsEntry | undefined, context: ObserveContext): LiveRecord {
  const { identity, desired } = context;
  const { metadata } = object;
  const labels = metadata.labels ?? {};
  const annotations = metadata.annotations ?? {};
  const classLabels = identity.classLabels(labels);
  const ref = desired?.ref ?? refOf(object);
  const mode = identity.modeLabel;
  const applied = annotations[APPLIED_ANNOTATION];
  const modeLabel = mode === undefined ? undefined : labels[mode];
  const { readiness, unready } = readinessFacts(object, context);
  return {
    key: desired?.key ?? refKey(ref),
    ref,
    uid: metadata.uid ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    isSelected: context.isSelected,
    classLabels,
    modeLabel: modeLabel === desired?.mode ? desired?.mode : modeLabel,
    applied: applied === desired?.digest ? desired?.digest : applied,
    hasApplyEntry: entry !== undefined,
    isProven: entry !== undefined && classLabels.some((label) => ownsLabel(entry, label)),
    ownsModeLabel: entry !== undefined && mode !== undefined && ownsLabel(entry, mode),
    needsTakeover: needsTakeover(object, identity),
    hasLastApplied: annotations[LAST_APPLIED_ANNOTATION] !== undefined,
    isTrackingReliable: trackingReliable(object, context.servedVersions),
    isPruneDisabled: annotations[PRUNE_ANNOTATION] === "disabled",
    hasController: metadata.ownerReferences?.some((owner) => isForeignController(owner, identity)) ?? false,
    isKeelsonOwn: labels[PART_OF_LABEL] === "keelson",
    terminating: metadata.deletionTimestamp === undefined ? undefined : (metadata.finalizers ?? []),
    readiness,
    setHash: "",
    valueHash: "",
    emptyLeaves: undefined,
    holdsDesired: false,
    drift: NO_DRIFT,
    unready,
  };
}

function readinessFacts(object: KubeObject, context: ObserveContext): Pick<LiveRecord, "readiness" | "unready"> {
  if (context.isPartial === true) return { readiness: undefined, unready: undefined };
  const { kind, message } = readinessOf(object);
  return { readiness: kind, unready: kind === "Current" ? undefined : message };
}

function isForeignController(owner: OwnerReference, { controller }: SetIdentity): boolean {
  if (owner.controller !== true) return false;
  return controller?.kind !== owner.kind || controller.group !== parseApiVersion(owner.apiVersion).group;
}
