import type { FieldPath } from "../field-path.ts";
import { canonicalJson } from "../json.ts";
import { fieldOf } from "../json-value.ts";
import type { KubeObject } from "../types.ts";
import { assignItems } from "./assign-items.ts";
import { type FieldSet, isLeaf, keyText, listFieldsOf, subtree } from "./fields.ts";

/** A field of the live object that a field set owns and the desired object lacks; the topmost where a whole subtree is. */
export interface OwnedExtra {
  readonly path: FieldPath;
  readonly live: unknown;
  /** The way to it in the live object: names and list indices. */
  readonly pointer: readonly (string | number)[];
}

/** What `fields` owns of `live` beyond `desired`, in the order of the set. Fields that `live` lacks are left out. */
export function ownedBeyond(
  fields: FieldSet | undefined,
  desired: KubeObject,
  live: KubeObject,
): readonly OwnedExtra[] {
  const extras: OwnedExtra[] = [];
  if (fields !== undefined && !isLeaf(fields)) visit({ fields, desired, live, path: [], pointer: [] }, extras);
  return extras;
}

interface Place extends OwnedExtra {
  readonly fields: FieldSet;
  readonly desired: unknown;
}

function visit(place: Place, extras: OwnedExtra[]): void {
  const { fields, desired, live, path, pointer } = place;
  if (live === undefined) return;
  const { kind } = listFieldsOf(fields);
  if (desired === undefined) extras.push({ path, live, pointer });
  else if (kind === "keyed") visitKeyed(place, extras);
  else if (kind === "set") visitSet(place, extras);
  else visitFields(place, extras);
}

function visitFields({ fields, desired, live, path, pointer }: Place, extras: OwnedExtra[]): void {
  for (const step of Object.keys(fields)) {
    const child = subtree(fields, step);
    if (child === undefined || !step.startsWith("f:")) continue;
    const name = step.slice(2);
    const below = { path: [...path, name], pointer: [...pointer, name] };
    visit({ ...below, fields: child, desired: fieldOf(desired, name), live: fieldOf(live, name) }, extras);
  }
}

function visitKeyed({ fields, desired, live, path, pointer }: Place, extras: OwnedExtra[]): void {
  const list = listFieldsOf(fields);
  if (list.kind !== "keyed" || !Array.isArray(live)) return;
  const wanted = Array.isArray(desired) ? desired : [];
  // Items that cannot be told apart are nobody's extra: leaving one is better than removing a wanted one.
  const assigned = assignItems(wanted, list);
  if (assigned === undefined) return;
  for (const item of list.items) {
    const at = live.findIndex((candidate) => keyText(list.names, candidate) === item.text);
    if (at < 0) continue;
    const below = { path: [...path, { key: item.key }], pointer: [...pointer, at] };
    visit({ ...below, fields: item.fields, desired: wanted[assigned.indexOf(item)], live: live[at] }, extras);
  }
}

function visitSet({ fields, desired, live, path, pointer }: Place, extras: OwnedExtra[]): void {
  const list = listFieldsOf(fields);
  if (list.kind !== "set" || !Array.isArray(live)) return;
  const wanted = new Set(Array.isArray(desired) ? desired.map((item) => canonicalJson(item)) : []);
  for (const item of list.items) {
    const at = live.findIndex((candidate) => canonicalJson(candidate) === item.text);
    if (at < 0 || wanted.has(item.text)) continue;
    extras.push({ path: [...path, { value: item.value }], live: live[at], pointer: [...pointer, at] });
  }
}
