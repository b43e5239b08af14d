import type { Digest, DriftedField, EmptyLeaves, ObjectRef, ResourceVersion, Uid } from "../object/index.ts";
import type { ReadinessKind } from "../readiness/index.ts";

/**
 * What is kept of a live object: never the object itself. Everything that a decision needs is worked out while the watch
 * event is at hand.
 */
export interface LiveRecord {
  readonly key: string;
  readonly ref: ObjectRef;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  /** Found by a selector of the set (else it was looked up by name). */
  readonly isSelected: boolean;
  /** Label keys that put it in the pruned class; empty: not of the class. */
  readonly classLabels: readonly string[];
  /** Value of the set's mode label. */
  readonly modeLabel: string | undefined;
  /** `keelson.dev/applied`. */
  readonly applied: Digest | undefined;
  /** Our Apply entry in managedFields is there. */
  readonly hasApplyEntry: boolean;
  /** Our Apply entry owns one of `classLabels`: the proof that the object is ours. */
  readonly isProven: boolean;
  /** Our Apply entry owns the mode label. */
  readonly ownsModeLabel: boolean;
  /** An entry of another tool's client-side apply, or our own Update entry, has to be folded into our Apply entry first. */
  readonly needsTakeover: boolean;
  /** kubectl's last-applied annotation is there. */
  readonly hasLastApplied: boolean;
  /** An entry of anybody names a version that is no longer served: the server's tracking is not reliable. */
  readonly isTrackingReliable: boolean;
  readonly isPruneDisabled: boolean;
  readonly hasController: boolean;
  /** Keelson's own object (`app.kubernetes.io/part-of: keelson`). */
  readonly isKeelsonOwn: boolean;
  /** Being deleted; the finalizers that it still waits for. */
  readonly terminating: readonly string[] | undefined;
  /** What the cluster has made of it; undefined where only the metadata was seen. */
  readonly readiness: ReadinessKind | undefined;
  /** Hash of the fields that our Apply entry owns; "" without one. */
  readonly setHash: string;
  /** Hash of the live values of those fields; "" without an entry. */
  readonly valueHash: string;
  /** Empty containers of the desired object, as this state shows them: needed to hash a later state alike. */
  readonly emptyLeaves: EmptyLeaves | undefined;
  /** Compared text by text: the live object holds exactly what is desired. Worked out only where there is no baseline. */
  readonly holdsDesired: boolean;
  /** Which desired fields are not as desired and who wrote them; only where the record differs from its baseline. */
  readonly drift: readonly DriftedField[];
  /** Why it is not `Current`, in words; undefined where it is, or where nobody knows. */
  readonly unready: string | undefined;
}

/** What the API server answered to our last apply of an object: the state that counts as converged. */
export interface Baseline {
  readonly uid: Uid;
  readonly digest: Digest;
  readonly setHash: string;
  readonly valueHash: string;
  readonly emptyLeaves: EmptyLeaves | undefined;
  /** Events older than this are from before the apply. */
  readonly resourceVersion: ResourceVersion;
}

/** Whether a live record is what our last apply left. */
export function equalsBaseline(record: LiveRecord, baseline: Baseline): boolean {
  return record.uid === baseline.uid && record.setHash === baseline.setHash && record.valueHash === baseline.valueHash;
}

/** The baseline that a record is, once it is known to hold what is desired. */
export function baselineOf(record: LiveRecord, digest: Digest): Baseline {
  const { uid, setHash, valueHash, emptyLeaves, resourceVersion } = record;
  return { uid, digest, setHash, valueHash, emptyLeaves, resourceVersion };
}

/** Whether `a` is an older version of an object than `b`. Versions are decimal numbers of one sequence (KEP-5504). */
export function isOlder(a: ResourceVersion, b: ResourceVersion): boolean {
  return Number(a) < Number(b);
}
