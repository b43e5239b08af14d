import { type FieldPath, formatPath, type PathStep } from "../field-path.ts";
import { isJsonObject } from "../json.ts";
import { isEmptyContainer } from "../json-value.ts";
import { guessKeyNames, keyOf } from "../list-keys.ts";
import { maskSecret } from "../mask-secret.ts";
import type { KubeObject, ManagedFieldsEntry } from "../types.ts";
import { type FieldOwner, ownerOf } from "./explain-drift.ts";
import { childFields, type FieldSet, isLeaf, listFieldsOf, ownershipOf, shapeOf } from "./fields.ts";

/** One leaf of a live object, or a value that its owners hold whole. Values of a Secret are `***`. */
export interface OwnedField {
  /** As {@link formatPath} writes it. */
  readonly path: string;
  readonly value: unknown;
  /** In the order of managedFields; empty: a default of the API server, or its bookkeeping. */
  readonly owners: readonly FieldOwner[];
}

/** What {@link fieldOwners} found. */
export interface OwnedFields {
  readonly fields: readonly OwnedField[];
  /** How many leaves were left out because there were more than the limit. */
  readonly more: number;
}

/** What names the object, and the record itself. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.managedFields",
]);

/** Who owns which field of a live object, in the order of its fields. `limit`: how many leaves are told; default 2,000. */
export function fieldOwners(object: KubeObject, limit: number = 2_000): OwnedFields {
  const masked = maskSecret(object);
  const entries = object.metadata.managedFields ?? [];
  const walk: Walk = { entries, shape: shapeOf(object), limit, fields: [], more: 0 };
  visitFields(walk, { value: masked, shape: walk.shape, path: [] });
  return { fields: walk.fields, more: walk.more };
}

interface Walk {
  readonly entries: readonly ManagedFieldsEntry[];
  readonly shape: FieldSet;
  readonly limit: number;
  readonly fields: OwnedField[];
  more: number;
}

interface Place<Value = unknown> {
  readonly value: Value;
  /** What anybody owns here; undefined where nobody does. */
  readonly shape: FieldSet | undefined;
  readonly path: FieldPath;
}

function visit(walk: Walk, place: Place): void {
  const { value, shape, path } = place;
  if (LEFT_OUT.has(formatPath(path))) return;
  const isAtomic = shape !== undefined && isLeaf(shape);
  if (isAtomic || isEmptyContainer(value)) tell(walk, place);
  else if (Array.isArray(value)) visitItems(walk, { ...place, value });
  else if (isJsonObject(value)) visitFields(walk, { ...place, value });
  else tell(walk, place);
}

function visitFields(walk: Walk, { value, shape, path }: Place<object>): void {
  for (const [name, child] of Object.entries(value)) {
    if (child === undefined) continue;
    visit(walk, { value: child, shape: below(shape, name), path: [...path, name] });
  }
}

function visitItems(walk: Walk, place: Place<readonly unknown[]>): void {
  const { value, shape, path } = place;
  const stepOf = stepsInto(value, shape);
  if (stepOf === undefined) {
    tell(walk, place);
    return;
  }
  for (const [at, item] of value.entries()) {
    const step = stepOf(item, at);
    visit(walk, { value: item, shape: below(shape, step), path: [...path, step] });
  }
}

/** How the items of a list are named: as their owners do, else by what looks like keys; undefined: not one by one. */
function stepsInto(
  list: readonly unknown[],
  shape: FieldSet | undefined,
): ((item: unknown, at: number) => PathStep) | undefined {
  const owned = shape === undefined ? undefined : listFieldsOf(shape);
  if (owned?.kind === "keyed") return (item) => ({ key: keyOf(item, owned.names) });
  if (owned?.kind === "set") return (item) => ({ value: item });
  if (!list.every((item) => isJsonObject(item))) return undefined;
  const names = owned?.kind === "indexed" ? undefined : guessKeyNames(list);
  return names === undefined ? (_, at) => at : (item) => ({ key: keyOf(item, names) });
}

function below(shape: FieldSet | undefined, step: PathStep): FieldSet | undefined {
  return shape === undefined ? undefined : childFields(shape, step);
}

function tell(walk: Walk, { value, path }: Place): void {
  if (walk.fields.length >= walk.limit) {
    walk.more += 1;
    return;
  }
  const owners = walk.entries.filter(({ fieldsV1 }) => ownershipOf(fieldsV1, path, walk.shape) !== "none").map(ownerOf);
  walk.fields.push({ path: formatPath(path), value, owners });
}
