import type { ManifestObject, Origin } from "../manifest/index.ts";
import {
  type Digest,
  digestOfJson,
  isJsonObject,
  KEELSON_PREFIX,
  type KubeObject,
  type ObjectRef,
  parseJson,
  refKey,
} from "../object/index.ts";

/** How a revision's object is kept. */
export type RevisionMode = "Reconcile" | "EnsureExists";

/** One object of a desired set, as a revision keeps it. */
export interface RevisionObject {
  /** {@link refKey} of `ref`. */
  readonly key: string;
  /** Where it is in the cluster: the namespace is the resolved one, "" for cluster-scoped objects. */
  readonly ref: ObjectRef;
  readonly mode: RevisionMode;
  readonly manifest: ManifestObject;
}

/** How many objects a revision has that the one before it lacked, has otherwise, or lacks. */
export interface RevisionCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** What is to be known of a revision without reading its objects. */
export interface RevisionSummary extends RevisionCounts {
  /** Number, from 1; grows by one. */
  readonly revision: number;
  /** RFC 3339: when it had been applied. */
  readonly time: string;
  /** Why it came to be: `dns.yaml changed`, `rollback to 7 by alice@cp-1`. */
  readonly cause: string;
  /** Digest of the set: key, mode and content digest of each object. Two revisions of equal content have the same. */
  readonly digest: Digest;
  /** Objects in the set. */
  readonly objects: number;
  /** `applied`, or `failed` where objects could not be applied (`failed` says how many). */
  readonly result: "applied" | "failed";
  readonly failed: number;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  /** The instance that stored it. */
  readonly instance: string;
  /** The revision that a rollback went back to; absent for a revision of the directory. */
  readonly rollbackTo?: number;
  /** apiVersions and kinds (`policy/v1beta1 PodSecurityPolicy`) that were not served then; absent where all were. */
  readonly unserved?: readonly string[];
  /** Where the journal of `instance` stood: the line that a complete journal of it must hold. */
  readonly journal?: { readonly sequence: number; readonly hash: string };
}

/** A revision with its objects, by key. */
export interface Revision extends RevisionSummary {
  readonly contents: readonly RevisionObject[];
}

/**
 * Digest of a desired set: key ({@link refKey}), mode and content digest of each object; the order of `objects` does not
 * matter, nor do files and lines. Pure.
 */
export function setDigest(objects: readonly Pick<RevisionObject, "key" | "mode" | "manifest">[]): Digest {
  const lines = objects.map(({ key, mode, manifest }) => `${key} ${mode} ${manifest.digest}`).sort();
  // A list of texts is canonical as it is; and lists of thousands are digested for every change of a file.
  return digestOfJson(JSON.stringify(lines));
}

/** What `after` has more, otherwise, or less than `before`, by key. */
export interface SetDifference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What two sets are compared by. */
export interface SetMember {
  readonly mode: string;
  readonly digest: Digest;
}

/** Compares two sets by key. Pure. */
export function compareSets(
  before: ReadonlyMap<string, SetMember>,
  after: ReadonlyMap<string, SetMember>,
): SetDifference {
  const added: string[] = [];
  const changed: string[] = [];
  after.forEach(({ mode, digest }, key) => {
    const was = before.get(key);
    if (was === undefined) added.push(key);
    else if (was.mode !== mode || was.digest !== digest) changed.push(key);
  });
  return { added, changed, removed: [...before.keys()].filter((key) => !after.has(key)) };
}

/**
 * The manifest that a body was: what can be read from the body is not stored beside it.
 * `body` is JSON text of a normalised object.
 */
export function manifestOfBody(body: string, { digest, origin }: { digest: Digest; origin: Origin }): ManifestObject {
  const { apiVersion, kind, metadata } = parseJson(body) as KubeObject;
  const { name = "", namespace, labels, annotations } = metadata;
  const own = Object.entries(annotations ?? {}).filter(([key]) => key.startsWith(KEELSON_PREFIX));
  return {
    apiVersion,
    kind,
    name,
    namespace,
    labels: isJsonObject(labels) ? labels : {},
    annotations: Object.fromEntries(own),
    body,
    digest,
    origin,
    warnings: [],
  };
}
