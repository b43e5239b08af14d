/**
 * The type of a value as server-side apply sees it: the atoms of structured-merge-diff (a value may be a scalar, a list
 * or a map), and beside them what Go's JSON codec makes of it ({@link GoKind}; absent for custom resources).
 */

/** Scalars as structured-merge-diff tells them apart. */
export type ScalarKind = "string" | "numeric" | "boolean" | "untyped";

/** How the server's Go type reads and writes a value of a built-in kind. */
export type GoKind =
  | "string"
  | "int32"
  | "int64"
  | "double"
  | "bool"
  | "bytes"
  | "time"
  | "microtime"
  | "quantity"
  | "int-or-string"
  | "struct"
  | "list"
  | "map"
  | "raw";

/** A list: atomic, a set (no keys), or a map list (keys). */
export interface ListNode {
  readonly element: TypeNode;
  readonly atomic: boolean;
  readonly keys: readonly string[];
}

/** One declared field of a map, with what the Go struct tag says. */
export interface FieldNode {
  readonly type: TypeNode;
  /** The schema's default; completes an omitted list key, and is filled in for custom resources. */
  readonly default?: unknown;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly required: boolean;
  /** Where the field is in a protobuf message; several numbers where it is in an embedded one. */
  readonly proto?: readonly number[];
  /** Strategic merge: how a patch treats the field. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

/** A struct or a map. `element` types the undeclared keys; undefined forbids them. */
export interface MapNode {
  readonly fields: ReadonlyMap<string, FieldNode>;
  readonly element: TypeNode | undefined;
  readonly atomic: boolean;
}

/** A type; several atoms mean that the value decides. */
export interface TypeNode {
  readonly name?: string;
  readonly scalar?: ScalarKind;
  readonly list?: ListNode;
  readonly map?: MapNode;
  readonly go?: GoKind;
}

/** A node under construction: types refer to each other in circles, so that a node exists before its content. */
export type TypeNodeDraft = { -readonly [K in keyof TypeNode]: TypeNode[K] };

const NO_FIELDS: ReadonlyMap<string, FieldNode> = new Map();

function buildUntyped(): { readonly untyped: TypeNode; readonly deduced: TypeNode } {
  const untyped: TypeNodeDraft = { scalar: "untyped", go: "raw" };
  untyped.list = { element: untyped, atomic: true, keys: [] };
  untyped.map = { fields: NO_FIELDS, element: untyped, atomic: true };
  const deduced: TypeNodeDraft = { scalar: "untyped", go: "raw" };
  deduced.list = { element: untyped, atomic: true, keys: [] };
  deduced.map = { fields: NO_FIELDS, element: deduced, atomic: false };
  return { untyped, deduced };
}

const common = buildUntyped();

/** Anything, owned as a whole (kube-openapi: `__untyped_atomic_`). */
export const UNTYPED_ATOMIC: TypeNode = common.untyped;
/** Anything, maps granular and lists atomic (kube-openapi: `__untyped_deduced_`). */
export const UNTYPED_DEDUCED: TypeNode = common.deduced;

/** The type of `key` in a map: its field's, else that of undeclared keys. */
export function typeOfKey(map: MapNode, key: string): TypeNode | undefined {
  return map.fields.get(key)?.type ?? map.element;
}

/** The one atom that handles `value` of a type with several (structured-merge-diff's deduceAtom). */
export function atomOf(node: TypeNode, value: unknown): "map" | "scalar" | "list" | undefined {
  if (value !== undefined && value !== null) {
    const found = Array.isArray(value) ? "list" : typeof value === "object" ? "map" : "scalar";
    if (node[found] !== undefined) return found;
  }
  if (node.map !== undefined) return "map";
  if (node.scalar !== undefined) return "scalar";
  return node.list === undefined ? undefined : "list";
}
