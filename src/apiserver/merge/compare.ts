import { isJsonObject } from "../../object/index.ts";
import { atomOf, type ListNode, type MapNode, type TypeNode, typeOfKey } from "../schema/type-node.ts";
import { equalValues } from "./equality.ts";
import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { elementOfItem } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/** The fields that differ between two objects of one type. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Compares `before` with `after`. */
export function compareTyped(before: unknown, after: unknown, type: TypeNode): Comparison {
  const walker = new CompareWalker();
  walker.visit(before, after, type);
  return walker.result();
}

class CompareWalker {
  readonly #removed: FieldSetBuilder = new FieldSetBuilder();
  readonly #modified: FieldSetBuilder = new FieldSetBuilder();
  readonly #added: FieldSetBuilder = new FieldSetBuilder();
  readonly #path: PathElement[] = [];

  result(): Comparison {
    return { removed: this.#removed.build(), modified: this.#modified.build(), added: this.#added.build() };
  }

  visit(lhs: unknown, rhs: unknown, type: TypeNode): void {
    if (lhs === undefined && rhs === undefined) return;
    const left = atomOf(type, lhs);
    const right = atomOf(type, rhs);
    let isLeaf: boolean;
    if (rhs === undefined) isLeaf = this.#visitAs(left, lhs, rhs, type);
    else if (lhs === undefined || left === right) isLeaf = this.#visitAs(right, lhs, rhs, type);
    else {
      // The form itself changed: both readings of the difference count.
      this.#visitAs(left, lhs, rhs, type);
      isLeaf = this.#visitAs(right, lhs, rhs, type);
    }
    if (isLeaf) return;
    if (lhs === undefined) this.#added.insert(this.#path);
    else if (rhs === undefined) this.#removed.insert(this.#path);
  }

  /** Returns whether the node was compared as one leaf. */
  #visitAs(atom: "map" | "list" | "scalar" | undefined, lhs: unknown, rhs: unknown, type: TypeNode): boolean {
    if (atom === "map" && type.map !== undefined) return this.#visitMaps(lhs, rhs, type.map);
    if (atom === "list" && type.list !== undefined) return this.#visitLists(lhs, rhs, type.list);
    this.#leaf(lhs, rhs);
    return true;
  }

  #leaf(lhs: unknown, rhs: unknown): void {
    if (lhs === undefined) this.#added.insert(this.#path);
    else if (rhs === undefined) this.#removed.insert(this.#path);
    else if (!equalValues(lhs, rhs)) this.#modified.insert(this.#path);
  }

  #visitMaps(lhs: unknown, rhs: unknown, map: MapNode): boolean {
    const left = isJsonObject(lhs) ? lhs : {};
    const right = isJsonObject(rhs) ? rhs : {};
    const leftKeys = Object.keys(left);
    const rightKeys = Object.keys(right);
    if (map.atomic || (leftKeys.length === 0 && rightKeys.length === 0)) {
      this.#leaf(lhs, rhs);
      return true;
    }
    for (const key of leftKeys) this.#visitKey(key, left[key], Object.hasOwn(right, key) ? right[key] : undefined, map);
    for (const key of rightKeys) if (!Object.hasOwn(left, key)) this.#visitKey(key, undefined, right[key], map);
    return false;
  }

  #visitKey(key: string, lhs: unknown, rhs: unknown, map: MapNode): void {
    this.#path.push(fieldElement(key));
    const type = typeOfKey(map, key);
    if (type === undefined) this.#leaf(lhs, rhs);
    else this.visit(lhs, rhs, type);
    this.#path.pop();
  }

  #visitLists(lhs: unknown, rhs: unknown, list: ListNode): boolean {
    const left: readonly unknown[] = Array.isArray(lhs) ? lhs : [];
    const right: readonly unknown[] = Array.isArray(rhs) ? rhs : [];
    if (list.atomic || (left.length === 0 && right.length === 0)) {
      this.#leaf(lhs, rhs);
      return true;
    }
    const leftItems = groupItems(left, list);
    const rightItems = groupItems(right, list);
    for (const element of new Set([...leftItems.keys(), ...rightItems.keys()])) {
      this.#path.push(element);
      this.#visitItems(leftItems.get(element) ?? [], rightItems.get(element) ?? [], list.element);
      this.#path.pop();
    }
    return false;
  }

  #visitItems(lhs: readonly unknown[], rhs: readonly unknown[], type: TypeNode): void {
    if (lhs.length <= 1 && rhs.length <= 1) this.visit(lhs[0], rhs[0], type);
    else if (lhs.length > 1 && rhs.length > 1) {
      // Duplicates on both sides are compared as one atomic value.
      if (!equalValues(lhs, rhs)) this.#modified.insert(this.#path);
    } else if (lhs.length > 1) {
      if (rhs.length > 0) this.visit(undefined, rhs[0], type);
      this.#removed.insert(this.#path);
    } else {
      if (lhs.length > 0) this.visit(lhs[0], undefined, type);
      this.#added.insert(this.#path);
    }
  }
}

function groupItems(items: readonly unknown[], list: ListNode): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = elementOfItem(list, item);
    if (typeof element !== "string") continue;
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}
