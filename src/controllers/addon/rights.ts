import type { DesiredObject, DesiredSet } from "../../converge/index.ts";
import type { ApiResource, Discovery } from "../../kube/index.ts";
import {
  fieldOf,
  type GroupKind,
  groupKindKey,
  isJsonObject,
  type JsonObject,
  parseApiVersion,
  parseJson,
} from "../../object/index.ts";
import { namesOf, SYSTEM_NAMESPACE } from "./identity.ts";

/** One verb on one resource. */
export interface Right {
  /** "" for the whole cluster. */
  readonly namespace: string;
  readonly group: string;
  /** The plural: `configmaps`. */
  readonly resource: string;
  readonly verb: string;
  /** Objects that it is about; none: all. */
  readonly names: readonly string[];
}

/** What {@link computeRights} works on. */
export interface RightsInput {
  readonly desired: DesiredSet;
  /** Objects of the admission controls. */
  readonly admission: DesiredSet;
  /** Served kinds of the prune list. */
  readonly pruned: readonly ApiResource[];
  /** Every kind may be pruned. */
  readonly isAllPruned: boolean;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  /** Whether the set is kept as an ApplySet. */
  readonly isApplySet: boolean;
  readonly election: "follow" | "lease" | "always";
  /** Whether HTTP is served to others than this machine: who asks is then looked up by the API server. */
  readonly isExposed: boolean;
  /** Namespace of the revisions; undefined where none are kept. */
  readonly revisionNamespace: string | undefined;
  /** Namespaces that the set declares are there before it starts, so that they can hold Roles. */
  readonly hasNamespaces: boolean;
  readonly discovery: Pick<Discovery, "find">;
}

const RBAC = "rbac.authorization.k8s.io";
/** Namespace of Events about cluster-scoped objects. */
const EVENTS_NAMESPACE = "default";

/**
 * The least rights with which a daemon keeps these objects as declared: reading and watching kinds in the whole cluster
 * (one label-selected watch a kind), writing in the namespaces of the objects alone. A namespace that the set itself
 * declares cannot hold a Role before it exists, so that what is in it is written by a right to the cluster.
 *
 * Sources: the verbs that the engine uses; `escalate` and `bind` of the RBAC API, by name where the request has one; the
 * check of admission policies that their author may read the parameters' kind.
 */
export async function computeRights(input: RightsInput): Promise<readonly Right[]> {
  const { desired, admission } = input;
  const declared = new Set(input.hasNamespaces ? [] : declaredNamespaces(desired));
  const place = (namespace: string): string => (declared.has(namespace) ? "" : namespace);
  const rights: Right[] = [...ownRights(input)];
  for (const object of desired.objects.values()) {
    const { resource } = object;
    if (resource === undefined) continue;
    const at = place(object.ref.namespace);
    const verbs = ["get", "create", "patch", ...(mayDelete(object, input) ? ["delete"] : [])];
    rights.push(...rightsTo(resource, at, verbs), ...rightsTo(resource, "", ["list", "watch"]));
    rights.push(...(await consequentRights(object, at, input.discovery)));
    rights.push(...eventRights(place(object.ref.namespace === "" ? EVENTS_NAMESPACE : object.ref.namespace)));
  }
  for (const object of admission.objects.values()) {
    const { resource, ref } = object;
    if (resource === undefined) continue;
    rights.push(...rightsTo(resource, place(ref.namespace), ["get", "create", "patch"]));
    rights.push(...(await consequentRights(object, place(ref.namespace), input.discovery)));
  }
  for (const resource of input.pruned) rights.push(...rightsTo(resource, "", ["list", "watch"]));
  return withoutImplied(rights);
}

/** Names of the Namespaces that a set declares. */
export function declaredNamespaces(desired: DesiredSet): readonly string[] {
  const objects = [...desired.objects.values()];
  return objects.filter(({ ref }) => ref.group === "" && ref.kind === "Namespace").map(({ ref }) => ref.name);
}

function mayDelete({ mode, mayRecreate, ref }: DesiredObject, { pruned, isAllPruned }: RightsInput): boolean {
  if (mode !== "Reconcile") return false;
  return mayRecreate || isAllPruned || pruned.some((each) => groupKindKey(each) === groupKindKey(ref));
}

function rightsTo(
  { group, resource }: Pick<ApiResource, "group" | "resource">,
  namespace: string,
  verbs: readonly string[],
  names: readonly string[] = [],
): readonly Right[] {
  return verbs.map((verb) => ({ namespace, group, resource, verb, names }));
}

function eventRights(namespace: string): readonly Right[] {
  return rightsTo({ group: "events.k8s.io", resource: "events" }, namespace, ["create", "patch"]);
}

/** What Keelson needs for itself, whatever is in the directory. */
function ownRights({ set, isApplySet, election, isExposed, revisionNamespace }: RightsInput): readonly Right[] {
  const { statusConfigMap, controlConfigMap, applySetConfigMap } = namesOf(set);
  const configMaps = { group: "", resource: "configmaps" };
  const leases = { group: "coordination.k8s.io", resource: "leases" };
  const at = SYSTEM_NAMESPACE;
  const ofElection = {
    follow: rightsTo(leases, at, ["get", "list", "watch"], ["kube-controller-manager"]),
    // A name cannot be asked for at a create.
    lease: [
      ...rightsTo(leases, at, ["get", "patch"], [`keelson-addon${set === "" ? "" : `-${set}`}`]),
      ...rightsTo(leases, at, ["create"]),
    ],
    always: [],
  }[election];
  const ofHistory = ["get", "list", "create", "delete"];
  return [
    ...(revisionNamespace === undefined
      ? []
      : rightsTo({ group: "", resource: "secrets" }, revisionNamespace, ofHistory)),
    ...rightsTo({ group: "", resource: "serviceaccounts" }, at, ["get"], ["default"]),
    ...rightsTo(configMaps, at, ["get", "patch"], [statusConfigMap]),
    ...rightsTo(configMaps, at, ["get"], [controlConfigMap]),
    ...(isApplySet ? rightsTo(configMaps, at, ["get", "patch"], [applySetConfigMap]) : []),
    ...rightsTo(configMaps, at, ["create"]),
    ...rightsTo(configMaps, at, ["list", "watch"], [statusConfigMap, controlConfigMap]),
    ...ofElection,
    ...eventRights(at),
    ...rightsTo({ group: "apiextensions.k8s.io", resource: "customresourcedefinitions" }, "", ["list", "watch"]),
    ...rightsTo({ group: "apiregistration.k8s.io", resource: "apiservices" }, "", ["list", "watch"]),
    // The dashboard's actions are written down for the daemon in the control ConfigMap, by itself.
    ...(isExposed ? rightsTo(configMaps, at, ["patch"], [controlConfigMap]) : []),
    ...(isExposed ? rightsTo({ group: "authentication.k8s.io", resource: "tokenreviews" }, "", ["create"]) : []),
    ...(isExposed ? rightsTo({ group: "authorization.k8s.io", resource: "subjectaccessreviews" }, "", ["create"]) : []),
  ];
}

/** Rights that the API server asks of whoever writes this very object. */
async function consequentRights(
  object: DesiredObject,
  namespace: string,
  discovery: RightsInput["discovery"],
): Promise<readonly Right[]> {
  const { ref, manifest } = object;
  const tree = parseJson(manifest.body);
  if (!isJsonObject(tree)) return [];
  if (ref.group === RBAC) return rbacRights(object, tree, namespace);
  if (ref.group === "admissionregistration.k8s.io" && ref.kind.endsWith("AdmissionPolicy")) {
    const param = fieldOf(fieldOf(tree, "spec"), "paramKind");
    const [apiVersion, kind] = [fieldOf(param, "apiVersion"), fieldOf(param, "kind")];
    if (typeof apiVersion !== "string" || typeof kind !== "string") return [];
    const resource = await discovery.find({ ...parseApiVersion(apiVersion), kind });
    return resource === undefined ? [] : rightsTo(resource, "", ["get"]);
  }
  return [];
}

/** https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping */
function rbacRights({ ref, mode, mayRecreate }: DesiredObject, tree: JsonObject, namespace: string): readonly Right[] {
  if (ref.kind === "Role" || ref.kind === "ClusterRole") {
    const resource = ref.kind === "Role" ? "roles" : "clusterroles";
    // A create by POST has no name in its path that the check could be about.
    const names = mode === "Reconcile" && !mayRecreate ? [ref.name] : [];
    return rightsTo({ group: RBAC, resource }, namespace, ["escalate"], names);
  }
  const roleRef = fieldOf(tree, "roleRef");
  const [kind, name] = [fieldOf(roleRef, "kind"), fieldOf(roleRef, "name")];
  if (typeof name !== "string" || (kind !== "Role" && kind !== "ClusterRole")) return [];
  return rightsTo({ group: RBAC, resource: kind === "Role" ? "roles" : "clusterroles" }, namespace, ["bind"], [name]);
}

/** Each right once, and none in a namespace, or by name, that is there for all. */
function withoutImplied(rights: readonly Right[]): readonly Right[] {
  const id = ({ namespace, group, resource, verb, names }: Right): string =>
    [namespace, group, resource, verb, ...names].join(" ");
  const all = new Map(rights.map((right) => [id(right), right]));
  const isImplied = (right: Right): boolean => {
    const wider = [
      { ...right, namespace: "" },
      { ...right, names: [] },
      { ...right, namespace: "", names: [] },
    ];
    return wider.some((each) => id(each) !== id(right) && all.has(id(each)));
  };
  const left = [...all].filter(([, right]) => !isImplied(right));
  return left.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, right]) => right);
}

/** The kinds of the directory that its prune list could be cut down to: what it needs no watch for is left out. */
export function prunedKindsOf(desired: DesiredSet, pruned: readonly GroupKind[]): readonly string[] {
  const kinds = new Set(pruned.map(groupKindKey));
  const texts = new Set<string>();
  for (const { ref, mode, resource } of desired.objects.values()) {
    if (mode !== "Reconcile" || resource === undefined || !kinds.has(groupKindKey(ref))) continue;
    texts.add(`${ref.group === "" ? "core" : ref.group}/${resource.version}/${ref.kind}`);
  }
  return [...texts].sort();
}
