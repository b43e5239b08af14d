import type { GroupKind, GroupVersionKind, KubeObject, ObjectRef } from "./types.ts";

/** Splits `apiVersion` (`v1`, `apps/v1`) into group ("" for core) and version. */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The group, version and kind of an object. */
export function groupVersionKindOf(object: Pick<KubeObject, "apiVersion" | "kind">): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** The `apiVersion` text of a group and version. */
export function apiVersionOf(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === "" ? gv.version : `${gv.group}/${gv.version}`;
}

/** The identity of an object as it stands: its namespace is taken as written. */
export function refOf(object: KubeObject): ObjectRef {
  const { group } = parseApiVersion(object.apiVersion);
  return { group, kind: object.kind, namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" };
}

/** A map key for a group-kind: `Deployment.apps`, `ConfigMap`. */
export function groupKindKey(gk: GroupKind): string {
  return gk.group === "" ? gk.kind : `${gk.kind}.${gk.group}`;
}

/** The inverse of {@link groupKindKey}. */
export function parseGroupKindKey(key: string): GroupKind {
  const dot = key.indexOf(".");
  return dot < 0 ? { group: "", kind: key } : { group: key.slice(dot + 1), kind: key.slice(0, dot) };
}

/** A map key for an object; unique in a cluster, and stable across the versions of its group. */
export function refKey(ref: ObjectRef): string {
  return `${groupKindKey(ref)}/${ref.namespace}/${ref.name}`;
}

/** The inverse of {@link refKey}. */
export function parseRefKey(key: string): ObjectRef {
  const [gk = "", namespace = "", ...name] = key.split("/");
  return { ...parseGroupKindKey(gk), namespace, name: name.join("/") };
}

/** An object as a person writes it: `Deployment kube-system/dns`, `ClusterRole admin`; the group only where it is no built-in one. */
export function describeRef(ref: ObjectRef): string {
  const kind = ref.group.includes(".") && !ref.group.endsWith(".k8s.io") ? `${ref.kind}.${ref.group}` : ref.kind;
  return ref.namespace === "" ? `${kind} ${ref.name}` : `${kind} ${ref.namespace}/${ref.name}`;
}

/** Total order of references: by group, kind, namespace, name, bytewise. */
export function compareRefs(a: ObjectRef, b: ObjectRef): number {
  return (
    compareText(a.group, b.group) ||
    compareText(a.kind, b.kind) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
