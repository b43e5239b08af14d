import { type FieldPath, formatKey, formatPath, type PathStep } from "../field-path.ts";
import { canonicalJson, isJsonObject } from "../json.ts";
import { equalJson, fieldOf, isEmptyContainer } from "../json-value.ts";
import { guessKeyNames, keyOf } from "../list-keys.ts";
import { looksEqual } from "../looks-equal.ts";
import { isSecret } from "../mask-secret.ts";
import type { JsonObject, KubeObject, ManagedFieldsEntry } from "../types.ts";
import { appliedNames, type Level, levelBelow } from "./applied-fields.ts";
import { alignItems } from "./assign-items.ts";
import { entryOf, isEntryOf } from "./entry.ts";
import { type FieldSet, isLeaf, keyText, listFieldsOf, ownershipOf, shapeOf, subtree } from "./fields.ts";
import { ownedBeyond } from "./owned-beyond.ts";

/**
 * - `changed`: the live value is another one.
 * - `removed`: the field is gone.
 * - `reordered`: our items of this list are all there, in another order; the values are their keys in order.
 * - `unowned`: the value is the desired one, but our entry lost the field.
 * - `added`: our entry owns a field that is not desired: someone applied under our name.
 */
export type DriftKind = "changed" | "removed" | "reordered" | "unowned" | "added";

/** Who owns a field now, and since when. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** "" for the object itself. */
  readonly subresource: string;
  /** When the entry last changed, as the server wrote it (RFC 3339). */
  readonly time?: string;
}

/** One desired field that is not as we applied it. Values of a Secret are `***`. */
export interface DriftedField {
  /** As {@link formatPath} writes it. */
  readonly path: string;
  readonly kind: DriftKind;
  readonly desired: unknown;
  readonly live: unknown;
  /** The latest other owner, ourselves where the write came under our name; absent where nobody owns the field. */
  readonly owner?: FieldOwner;
}

/**
 * Which desired fields of `live` are not as an apply by `manager` left them, and who has them now. Fields that our
 * entry still owns, but whose text differs, are only given where nothing else explains the drift: mostly the server
 * just writes them differently. A removal and a reorder leave no trace of who did it.
 */
export function explainDrift(live: KubeObject, desired: KubeObject, manager: string): readonly DriftedField[] {
  const entries = live.metadata.managedFields ?? [];
  const entry = entryOf(live, manager, "Apply");
  const fields = shapeOf(live);
  const search: Search = { live, manager, entries, ours: entry?.fieldsV1, shape: fields, certain: [], doubtful: [] };
  visitObject(search, { desired, live, fields, path: [] }, "root");
  for (const extra of ownedBeyond(search.ours, desired, live)) {
    const owner = entry === undefined ? undefined : ownerOf(entry);
    push(search.certain, { ...extra, kind: "added", desired: undefined, owner });
  }
  const found = search.certain.length > 0 ? search.certain : search.doubtful;
  const fieldsFound = entry === undefined ? withoutEntry(found, manager) : found;
  return isSecret(desired) ? fieldsFound.map(maskDrift) : fieldsFound;
}

interface Search {
  readonly live: KubeObject;
  readonly manager: string;
  readonly entries: readonly ManagedFieldsEntry[];
  readonly ours: FieldSet | undefined;
  readonly shape: FieldSet;
  readonly certain: DriftedField[];
  readonly doubtful: DriftedField[];
}

interface Place<Desired = unknown> {
  readonly desired: Desired;
  readonly live: unknown;
  /** What anybody owns here: tells lists by key, sets and atomic values apart. */
  readonly fields: FieldSet | undefined;
  readonly path: FieldPath;
}

function visit(search: Search, place: Place, level: Level): void {
  const { desired, live, fields, path } = place;
  const isAtomic = level === "content" && fields !== undefined && isLeaf(fields);
  if (live === undefined || isAtomic || isEmptyContainer(desired)) compare(search, place);
  else if (Array.isArray(desired)) visitList(search, { desired, live, fields, path });
  else if (isJsonObject(desired)) visitObject(search, { desired, live, fields, path }, level);
  else compare(search, place);
}

function visitObject(search: Search, { desired, live, fields, path }: Place<object>, level: Level): void {
  for (const name of appliedNames(desired, level)) {
    const below = levelBelow(level, name);
    visit(search, childPlace({ desired, live, fields, path }, name), below);
  }
}

function childPlace({ desired, live, fields, path }: Place<object>, name: string): Place {
  return {
    desired: fieldOf(desired, name),
    live: fieldOf(live, name),
    fields: subtree(fields, `f:${name}`),
    path: [...path, name],
  };
}

function visitList(search: Search, place: Place<readonly unknown[]>): void {
  const { desired, live, fields } = place;
  const owned = fields === undefined ? { kind: "none" as const } : listFieldsOf(fields);
  const isList = Array.isArray(live) && owned.kind !== "indexed";
  const names = owned.kind === "keyed" ? owned.names : isList ? guessKeyNames(desired, live) : undefined;
  if (isList && owned.kind === "set") visitSet(search, { ...place, live });
  else if (isList && names !== undefined) visitKeyedList(search, { ...place, live }, names);
  else compare(search, place);
}

function visitKeyedList(
  search: Search,
  place: Place<readonly unknown[]> & { readonly live: readonly unknown[] },
  names: readonly string[],
): void {
  const { desired, live, fields, path } = place;
  const items = live.map((item) => ({ key: keyOf(item, names), text: keyText(names, item), fields: {} }));
  const owned = fields === undefined ? undefined : listFieldsOf(fields);
  const aligned = alignItems(desired, { names, items });
  for (const [at, item] of desired.entries()) {
    const found = aligned[at];
    const step: PathStep = { key: found?.key ?? keyOf(item, names) };
    const itemFields =
      owned?.kind === "keyed" ? owned.items.find((each) => each.text === found?.text)?.fields : undefined;
    const liveItem: unknown = found === undefined ? undefined : live[items.indexOf(found)];
    visit(search, { desired: item, live: liveItem, fields: itemFields, path: [...path, step] }, "content");
  }
  const kept = aligned.filter((item) => item !== undefined);
  compareOrder(search, path, { desired: kept, live: items.filter((item) => kept.includes(item)), name: labelOf });
}

function labelOf(item: { readonly key: JsonObject }): string {
  return formatKey(item.key);
}

function visitSet(
  search: Search,
  { desired, live, path }: Place<readonly unknown[]> & { readonly live: readonly unknown[] },
): void {
  const liveTexts = live.map((item) => canonicalJson(item));
  const desiredTexts = desired.map((item) => canonicalJson(item));
  for (const [at, value] of desired.entries()) {
    const isThere = liveTexts.includes(desiredTexts[at] ?? "");
    compare(search, {
      desired: value,
      live: isThere ? value : undefined,
      fields: undefined,
      path: [...path, { value }],
    });
  }
  compareOrder(search, path, {
    desired: desiredTexts.filter((text) => liveTexts.includes(text)),
    live: liveTexts.filter((text) => desiredTexts.includes(text)),
    name: (text) => text,
  });
}

interface Orders<Item> {
  readonly desired: readonly Item[];
  readonly live: readonly Item[];
  readonly name: (item: Item) => string;
}

function compareOrder<Item>(search: Search, path: FieldPath, { desired, live, name }: Orders<Item>): void {
  const [wanted, found] = [desired.map(name), live.map(name)];
  if (equalJson(wanted, found)) return;
  search.certain.push({ path: formatPath(path), kind: "reordered", desired: wanted, live: found });
}

function compare(search: Search, { desired, live, fields, path }: Place): void {
  const isOurs = ownershipOf(search.ours, path, search.shape) !== "none";
  // What an empty map or list of ours holds is others', where they own it.
  const isOthers = fields !== undefined && !isLeaf(fields);
  const isEmpty = isEmptyContainer(desired);
  const isSame = equalJson(desired, live) || (isEmpty && live !== undefined && isOthers);
  if (isSame && isOurs) return;
  const isAlike = looksEqual(desired, live) && !(isEmpty && isFilled(live));
  const kind = live === undefined ? "removed" : isSame || isAlike ? "unowned" : "changed";
  const drift = { path, kind, desired, live, owner: findOwner(search, path) } as const;
  if (!isOurs) push(search.certain, drift);
  else if (!isAlike) push(search.doubtful, drift);
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && !isEmptyContainer(value);
}

interface FoundDrift {
  readonly path: FieldPath;
  readonly kind: DriftKind;
  readonly desired: unknown;
  readonly live: unknown;
  readonly owner: FieldOwner | undefined;
}

function push(found: DriftedField[], { path, kind, desired, live, owner }: FoundDrift): void {
  const drift = { path: formatPath(path), kind, desired, live };
  found.push(owner === undefined ? drift : { ...drift, owner });
}

/** The latest other owner of a field; ourselves where there is none. */
function findOwner({ entries, manager, shape }: Search, path: FieldPath): FieldOwner | undefined {
  const owners = entries.filter((entry) => ownershipOf(entry.fieldsV1, path, shape) !== "none");
  const others = owners.filter((entry) => !isEntryOf(entry, manager, "Apply"));
  const [latest] = (others.length > 0 ? others : owners).toSorted((a, b) => (b.time ?? "").localeCompare(a.time ?? ""));
  return latest === undefined ? undefined : ownerOf(latest);
}

/** An entry without its fields. */
export function ownerOf({
  manager = "",
  operation = "Update",
  subresource = "",
  time,
}: ManagedFieldsEntry): FieldOwner {
  return { manager, operation, subresource, ...(time === undefined ? {} : { time }) };
}

/** Our entry is gone: one line says so, instead of one for every field whose value is still right. */
function withoutEntry(found: readonly DriftedField[], manager: string): readonly DriftedField[] {
  const lost: DriftedField = {
    path: "metadata.managedFields",
    kind: "removed",
    desired: `Apply entry of ${manager}`,
    live: undefined,
  };
  return [lost, ...found.filter((field) => field.kind !== "unowned")];
}

function maskDrift(field: DriftedField): DriftedField {
  if (!/^(?:data|stringData)\b/.test(field.path)) return field;
  const mask = (value: unknown) => (value === undefined ? undefined : "***");
  return { ...field, desired: mask(field.desired), live: mask(field.live) };
}
