import { isJsonObject } from "../../object/index.ts";
import type { ListNode } from "../schema/type-node.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";

/** Why a list item cannot be told apart, as the API server words it. */
export type ItemProblem = { readonly problem: string };

/** The path element of a list item: of a map list by its keys (omitted ones completed by schema defaults), of a set by value. */
export function elementOfItem(list: ListNode, item: unknown): PathElement | ItemProblem {
  if (list.atomic) return { problem: "invalid indexing of non-associative list" };
  return list.keys.length > 0 ? elementByKeys(list, item) : elementByValue(item);
}

function elementByKeys(list: ListNode, item: unknown): PathElement | ItemProblem {
  if (item === null) return { problem: "associative list with keys may not have a null element" };
  if (!isJsonObject(item)) return { problem: "associative list with keys may not have non-map elements" };
  const entries: [string, unknown][] = [];
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : list.element.map?.fields.get(key)?.default;
    if (value !== undefined) entries.push([key, value]);
  }
  if (entries.length > 0) return keyElement(entries);
  const names = list.keys.map((key) => JSON.stringify(key)).join(" ");
  return {
    problem: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

function elementByValue(item: unknown): PathElement | ItemProblem {
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(item)) return { problem: "not supported: associative list with lists as elements" };
  if (isJsonObject(item)) return { problem: "associative list without keys has an element that's a map type" };
  return valueElement(item);
}
