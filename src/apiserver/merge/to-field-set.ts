import { isJsonObject } from "../../object/index.ts";
import { atomOf, type ListNode, type MapNode, type TypeNode, typeOfKey } from "../schema/type-node.ts";
import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { elementOfItem } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/** The fields that a value of `type` sets: its leaves, list items, undeclared keys, and empty or null containers. */
export function toFieldSet(value: unknown, type: TypeNode): FieldSet {
  const builder = new FieldSetBuilder();
  visit(value, type, [], builder);
  return builder.build();
}

function visit(value: unknown, type: TypeNode, path: PathElement[], out: FieldSetBuilder): void {
  const atom = atomOf(type, value);
  if (atom === "map" && type.map !== undefined) visitMap(value, type.map, path, out);
  else if (atom === "scalar") out.insert(path);
  else if (type.list !== undefined) visitList(value, type.list, path, out);
}

function visitMap(value: unknown, map: MapNode, path: PathElement[], out: FieldSetBuilder): void {
  if (map.atomic) {
    out.insert(path);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, field] of Object.entries(value)) {
    path.push(fieldElement(key));
    const type = typeOfKey(map, key);
    if (type !== undefined) visit(field, type, path, out);
    const isEmpty = field === null || (isJsonObject(field) && Object.keys(field).length === 0);
    if (isEmpty || !map.fields.has(key)) out.insert(path);
    path.pop();
  }
}

function visitList(value: unknown, list: ListNode, path: PathElement[], out: FieldSetBuilder): void {
  if (list.atomic) {
    out.insert(path);
    return;
  }
  if (!Array.isArray(value)) return;
  const elements = value.map((item) => elementOfItem(list, item));
  const seen = new Set<PathElement>();
  const duplicates = new Set<PathElement>();
  for (const element of elements) {
    if (typeof element !== "string") continue;
    if (seen.has(element)) duplicates.add(element);
    seen.add(element);
  }
  for (const [index, element] of elements.entries()) {
    if (typeof element !== "string") continue;
    path.push(element);
    // Items that occur twice are owned as one, without their content.
    if (!duplicates.has(element)) visit(value[index], list.element, path, out);
    out.insert(path);
    path.pop();
  }
}
