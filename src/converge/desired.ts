import type { ApiResource, Discovery } from "../kube/index.ts";
import type { ManifestObject, Origin } from "../manifest/index.ts";
import {
  APPLIED_ANNOTATION,
  type Digest,
  detach,
  groupVersionKindOf,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  type ObjectRef,
  parseJson,
  RECREATE_ANNOTATION,
  refKey,
  stringifyJson,
} from "../object/index.ts";
import { type Phase, phaseOf } from "./phase.ts";
import type { SetIdentity } from "./set.ts";

/**
 * How an object is kept: put back whenever it differs, created when absent and then left alone, or kept away: whoever
 * made an object of that name, it is deleted.
 */
export type Mode = "Reconcile" | "EnsureExists" | "Absent";

/** An object of a source together with what its labels mean, as the controller above read them. */
export interface Declared {
  readonly manifest: ManifestObject;
  readonly mode: Mode;
}

/** One desired object with its place in the cluster. */
export interface DesiredObject {
  /** {@link refKey} of `ref`. */
  readonly key: string;
  readonly ref: ObjectRef;
  readonly apiVersion: string;
  readonly mode: Mode;
  /** Digest of the normalised object: the text that is compared with `keelson.dev/applied`. */
  readonly digest: Digest;
  readonly origin: Origin;
  /** How the API server serves it; undefined where it does not (yet). */
  readonly resource: ApiResource | undefined;
  readonly phase: Phase;
  /** `keelson.dev/recreate: allowed`: an immutable change may delete and create it. */
  readonly mayRecreate: boolean;
  readonly manifest: ManifestObject;
}

/** A fault or a remark about a declared object that shows only beside the others or beside the cluster. */
export interface SetRemark {
  readonly severity: "error" | "warning";
  readonly code: "DuplicateObject" | "NoMatch" | "NamespaceDropped" | "OtherApplySet";
  readonly message: string;
  readonly origin: Origin;
  readonly key: string;
}

/** The desired set: what a snapshot asks of one cluster. Immutable. */
export interface DesiredSet {
  /** By key. */
  readonly objects: ReadonlyMap<string, DesiredObject>;
  /** Keys of objects that stand in the source without being declared (unlabelled, mistyped, broken but named): never pruned. */
  readonly mentioned: ReadonlySet<string>;
  /** Keys of the problems that may hide objects. */
  readonly broken: readonly string[];
  /** The source is missing, or declares no object at all. */
  readonly isEmpty: boolean;
  /** Files that vanished or shrank, with the monotonic time in milliseconds since when. */
  readonly reduced: ReadonlyMap<string, number>;
  /** It is a set of former times, not what the source holds now: nothing of the source keeps an object from being pruned. */
  readonly isHeld: boolean;
  /** Why it is desired, where that is no change of the source: `rollback to 7 by alice`. */
  readonly cause: string | undefined;
  readonly remarks: readonly SetRemark[];
}

/** What {@link resolveDesired} works on. */
export interface DesiredInput {
  readonly declared: readonly Declared[];
  /** Objects in the source that are not declared. */
  readonly mentioned: readonly MentionedObject[];
  /** Objects that would be declared but for what is wrong with them: told, and left as they are. Default none. */
  readonly refused?: readonly RefusedObject[];
  readonly broken: readonly string[];
  readonly isMissing: boolean;
  /** That nothing is declared is meant so: what was declared before may be pruned. Default false. */
  readonly isEmptyMeant?: boolean;
  readonly reduced: ReadonlyMap<string, number>;
  /** See {@link DesiredSet.isHeld}. Default false. */
  readonly isHeld?: boolean;
  /** See {@link DesiredSet.cause}. */
  readonly cause?: string | undefined;
}

/** An object that is in the source but not asked for. */
export type MentionedObject = Pick<ManifestObject, "apiVersion" | "kind" | "name" | "namespace">;

/** An object that belongs to somebody else, as its manifest says itself. */
export interface RefusedObject {
  readonly manifest: ManifestObject;
  readonly message: string;
}

/** Where {@link resolveDesired} looks things up. */
export interface ResolveContext {
  readonly discovery: Pick<Discovery, "find">;
  /** Namespace of a namespaced object that names none. */
  readonly defaultNamespace: string;
  readonly signal?: AbortSignal;
}

/** An empty set: nothing declared, nothing known. */
export const NOTHING_DESIRED: DesiredSet = {
  objects: new Map(),
  mentioned: new Set(),
  broken: [],
  isEmpty: true,
  reduced: new Map(),
  isHeld: false,
  cause: undefined,
  remarks: [],
};

/**
 * Finds each declared object's place in the cluster: its resource, its namespace, and whether another declaration names
 * the same object (then the first by path is used; the others are errors, and the object is not pruned either way).
 * An object that is as in `previous` is that very one: what has changed is seen by identity.
 */
export async function resolveDesired(
  input: DesiredInput,
  context: ResolveContext,
  previous: DesiredSet = NOTHING_DESIRED,
): Promise<DesiredSet> {
  const objects = new Map<string, DesiredObject>();
  const remarks: SetRemark[] = [];
  const resources = await findResources(input.declared, context);
  // Mostly both sets have the same objects in the same order.
  const known = previous.objects.values();
  for (const declared of input.declared) {
    const { manifest } = declared;
    const resource = resources.get(manifest.apiVersion)?.get(manifest.kind);
    const guess = known.next().value;
    const isAsBefore = isAsDeclared(guess, declared, resource);
    const desired = isAsBefore ? guess : placeOf({ declared, resource, previous }, context);
    remarkOn(desired, remarks);
    const first = objects.get(desired.key);
    if (first === undefined) objects.set(desired.key, desired);
    else remarks.push(duplicateOf(first, desired));
  }
  const mentioned = new Set<string>();
  for (const manifest of input.mentioned) {
    for (const ref of await possibleRefs(manifest, context)) mentioned.add(refKey(ref));
  }
  for (const { manifest, message } of input.refused ?? []) {
    const [key = "", ...others] = (await possibleRefs(manifest, context)).map(refKey);
    for (const each of [key, ...others]) mentioned.add(each);
    remarks.push({ severity: "error", code: "OtherApplySet", message, origin: manifest.origin, key });
  }
  const isEmpty = input.isMissing || (input.declared.length === 0 && input.isEmptyMeant !== true);
  const told = remarks.filter(({ code, key }) => code !== "NoMatch" || !isDefinedIn(objects, key));
  const { broken, reduced, isHeld = false, cause } = input;
  return { objects, mentioned, broken, isEmpty, reduced, isHeld, cause, remarks: told };
}

/** Whether the kind of an object is defined by a CRD of the same set: it is waited for, and nothing is wrong. */
function isDefinedIn(objects: ReadonlyMap<string, DesiredObject>, key: string): boolean {
  const group = objects.get(key)?.ref.group;
  if (group === undefined || group === "") return false;
  for (const { ref } of objects.values()) {
    if (ref.kind === "CustomResourceDefinition" && ref.name.endsWith(`.${group}`)) return true;
  }
  return false;
}

type Resources = Map<string, Map<string, ApiResource | undefined>>;

/** How each kind among the objects is served, by apiVersion and kind: each is asked for once. */
async function findResources(declared: readonly Declared[], context: ResolveContext): Promise<Resources> {
  const found: Resources = new Map();
  for (const { manifest } of declared) {
    let kinds = found.get(manifest.apiVersion);
    if (kinds === undefined) {
      kinds = new Map();
      found.set(manifest.apiVersion, kinds);
    }
    if (kinds.has(manifest.kind)) continue;
    kinds.set(manifest.kind, await context.discovery.find(groupVersionKindOf(manifest), context.signal));
  }
  return found;
}

interface Placing {
  readonly declared: Declared;
  readonly resource: ApiResource | undefined;
  readonly previous: DesiredSet;
}

/** Whether an object of the previous set is what is declared now. */
function isAsDeclared(
  known: DesiredObject | undefined,
  { manifest, mode }: Declared,
  resource: ApiResource | undefined,
): known is DesiredObject {
  return known !== undefined && known.manifest === manifest && known.mode === mode && known.resource === resource;
}

function placeOf({ declared, resource, previous }: Placing, context: ResolveContext): DesiredObject {
  const { manifest, mode } = declared;
  const gvk = groupVersionKindOf(manifest);
  const isClusterScoped = resource !== undefined && !resource.namespaced;
  const namespace = isClusterScoped ? "" : (manifest.namespace ?? context.defaultNamespace);
  const ref: ObjectRef = { group: gvk.group, kind: gvk.kind, namespace, name: manifest.name };
  const key = detach(refKey(ref));
  const before = previous.objects.get(key);
  if (isAsDeclared(before, declared, resource)) return before;
  return {
    key,
    ref,
    apiVersion: manifest.apiVersion,
    mode,
    digest: manifest.digest,
    origin: manifest.origin,
    resource,
    phase: phaseOf(gvk),
    mayRecreate: manifest.annotations[RECREATE_ANNOTATION] === "allowed",
    manifest,
  };
}

function remarkOn({ key, ref, manifest, mode, origin, resource }: DesiredObject, remarks: SetRemark[]): void {
  if (resource?.namespaced === false && manifest.namespace !== undefined) {
    const message = `${ref.kind} is cluster-scoped: its namespace "${manifest.namespace}" is dropped`;
    remarks.push({ severity: "warning", code: "NamespaceDropped", message, origin, key });
  }
  if (resource === undefined && mode !== "Absent") {
    const message = `the API server does not serve ${manifest.apiVersion} ${manifest.kind}: it is applied as soon as it does`;
    remarks.push({ severity: "error", code: "NoMatch", message, origin, key });
  }
}

function duplicateOf(first: DesiredObject, second: DesiredObject): SetRemark {
  const { file, line } = first.origin;
  const message = `declared twice: here and at ${file}:${line}, which is used; remove one of them`;
  return { severity: "error", code: "DuplicateObject", message, origin: second.origin, key: second.key };
}

/** Where the scope is unknown, or the object is merely mentioned, both readings of its namespace are protected. */
async function possibleRefs(manifest: MentionedObject, context: ResolveContext): Promise<readonly ObjectRef[]> {
  const gvk = groupVersionKindOf(manifest);
  const resource = await context.discovery.find(gvk, context.signal);
  const at = (namespace: string): ObjectRef => ({ group: gvk.group, kind: gvk.kind, namespace, name: manifest.name });
  const namespaced = at(manifest.namespace ?? context.defaultNamespace);
  if (resource === undefined) return [namespaced, at("")];
  return [resource.namespaced ? namespaced : at("")];
}

/** The object as it is sent, as a tree: namespace set or dropped, marks of the set and (Reconcile) the digest added. */
export function desiredTree(desired: DesiredObject, identity: SetIdentity): KubeObject {
  const object = parseJson(desired.manifest.body) as KubeObject;
  const { namespace: _written, ...metadata } = object.metadata;
  const placed = desired.ref.namespace === "" ? metadata : { ...metadata, namespace: desired.ref.namespace };
  const marked =
    desired.mode === "Reconcile" ? { ...placed, annotations: annotationsWith(placed, desired.digest) } : placed;
  const tree = { ...object, metadata: marked } as KubeObject;
  return identity.decorate === undefined ? tree : (identity.decorate(tree) as KubeObject);
}

/**
 * The text of a tree, with `metadata.uid` where the object is known: an apply with a uid never re-creates by a race. With
 * `resourceVersion` it is only taken by that very version.
 */
export function bodyOf(tree: KubeObject, uid: string | undefined, resourceVersion?: string): string {
  if (uid === undefined) return stringifyJson(tree);
  const known = resourceVersion === undefined ? { uid } : { uid, resourceVersion };
  return stringifyJson({ ...tree, metadata: { ...tree.metadata, ...known } });
}

function annotationsWith(metadata: JsonObject, digest: Digest): JsonObject {
  const present = metadata.annotations;
  return { ...(isJsonObject(present) ? present : {}), [APPLIED_ANNOTATION]: digest };
}
