/** A JSON object as it comes from YAML or the API: any field may hold anything. Integers beyond 2^53 are bigint. */
export type JsonObject = { readonly [field: string]: unknown };

/** `metadata`, as far as Keelson reads it. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly [field: string]: unknown;
}

/** `metadata.ownerReferences[]`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** `metadata.managedFields[]`: who owns which fields (KEP-555). */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

/** A Kubernetes object, desired or live. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** Group and kind: an object's identity does not depend on the version it is written in. The core group is "". */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** Group, version and kind. */
export interface GroupVersionKind extends GroupKind {
  readonly version: string;
}

/** What names one object in a cluster; `namespace` is "" for cluster-scoped objects. */
export interface ObjectRef extends GroupKind {
  readonly namespace: string;
  readonly name: string;
}

/** An object's `metadata.uid`. */
export type Uid = string & { readonly __brand?: "Uid" };

/** An object's `metadata.resourceVersion`: a decimal number of one sequence per API group's storage. */
export type ResourceVersion = string & { readonly __brand?: "ResourceVersion" };

/** Digest of canonical content: `v1:` and 32 hexadecimal digits. */
export type Digest = string & { readonly __brand?: "Digest" };
