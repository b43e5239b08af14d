import { isJsonObject } from "../../object/index.ts";
import { atomOf, type ListNode, type MapNode, type TypeNode, typeOfKey } from "../schema/type-node.ts";
import type { FieldSet } from "./field-set.ts";
import { elementOfItem } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";

/**
 * `value` without the fields of `items`. A container that this empties, and an atomic one that is visited at all,
 * becomes null: built-in types read that as absence, custom resources keep it (and may be refused for it).
 */
export function removeItems(value: unknown, items: FieldSet, type: TypeNode): unknown {
  const atom = atomOf(type, value);
  if (atom === "map" && type.map !== undefined) return removeFromMap(value, items, type.map);
  if (atom === "list" && type.list !== undefined) return removeFromList(value, items, type.list);
  return value;
}

function removeFromMap(value: unknown, items: FieldSet, map: MapNode): unknown {
  if (!isJsonObject(value) || map.atomic) return null;
  const out: Record<string, unknown> = {};
  let size = 0;
  for (const [key, field] of Object.entries(value)) {
    const element = fieldElement(key);
    if (items.members.has(element)) continue;
    const below = items.under(element);
    const type = typeOfKey(map, key);
    out[key] = below.isEmpty || type === undefined ? field : removeItems(field, below, type);
    size += 1;
  }
  return size === 0 ? null : out;
}

function removeFromList(value: unknown, items: FieldSet, list: ListNode): unknown {
  if (!Array.isArray(value) || value.length === 0 || list.atomic) return null;
  const out: unknown[] = [];
  for (const item of value) {
    const element = elementOfItem(list, item);
    if (typeof element !== "string") {
      out.push(item);
      continue;
    }
    if (items.members.has(element)) continue;
    const below = items.under(element);
    out.push(below.isEmpty ? item : removeItems(item, below, list.element));
  }
  return out.length === 0 ? null : out;
}
