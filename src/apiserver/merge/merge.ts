import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { atomOf, type ListNode, type MapNode, type TypeNode, typeOfKey } from "../schema/type-node.ts";
import { elementOfItem } from "./list-items.ts";
import { describeElement, type PathElement } from "./path-element.ts";
import { SchemaMismatch, type SchemaProblem } from "./schema-errors.ts";

/**
 * Merges `applied` over `live`: granular maps and associative lists item by item, everything else as a whole. Returns
 * undefined where both sides come to nothing. Throws {@link SchemaMismatch}.
 */
export function mergeTyped(live: unknown, applied: unknown, type: TypeNode): unknown {
  const problems: SchemaProblem[] = [];
  const merged = merge(live, applied, type, { path: "", problems });
  if (problems.length > 0) throw new SchemaMismatch(problems);
  return merged;
}

interface Place {
  readonly path: string;
  readonly problems: SchemaProblem[];
}

function merge(lhs: unknown, rhs: unknown, type: TypeNode, place: Place): unknown {
  // Absence is a wildcard; where the two sides are of different forms, the applied one's form decides.
  const atom = rhs === undefined ? atomOf(type, lhs) : atomOf(type, rhs);
  if (atom === "map" && type.map !== undefined) return mergeMaps(lhs, rhs, type.map, place);
  if (atom === "list" && type.list !== undefined) return mergeLists(lhs, rhs, type.list, place);
  return keepApplied(lhs, rhs);
}

function keepApplied(lhs: unknown, rhs: unknown): unknown {
  return rhs === undefined ? lhs : rhs;
}

function mergeMaps(lhs: unknown, rhs: unknown, map: MapNode, place: Place): unknown {
  const left = isJsonObject(lhs) ? lhs : undefined;
  const right = isJsonObject(rhs) ? rhs : undefined;
  // Two empty or null sides are a leaf, so that the difference between empty and null survives.
  if (map.atomic || (isEmptyObject(left) && isEmptyObject(right))) return keepApplied(lhs, rhs);
  const out: Record<string, unknown> = {};
  let size = 0;
  for (const key of unionOfKeys(left, right)) {
    const type = typeOfKey(map, key);
    const [l, r] = [ownValue(left, key), ownValue(right, key)];
    const merged =
      type === undefined
        ? keepApplied(l, r)
        : merge(l, r, type, { path: `${place.path}.${key}`, problems: place.problems });
    if (merged === undefined) continue;
    out[key] = merged;
    size += 1;
  }
  return size === 0 ? undefined : out;
}

function ownValue(object: JsonObject | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

function unionOfKeys(left: JsonObject | undefined, right: JsonObject | undefined): Iterable<string> {
  if (left === undefined) return Object.keys(right ?? {});
  if (right === undefined) return Object.keys(left);
  return new Set([...Object.keys(left), ...Object.keys(right)]);
}

function isEmptyObject(value: JsonObject | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0;
}

interface IndexedList {
  readonly items: readonly unknown[];
  readonly elements: readonly PathElement[];
  /** The item of each element; null for an element that occurs twice. */
  readonly byElement: ReadonlyMap<PathElement, unknown>;
}

function indexList(value: readonly unknown[], list: ListNode, place: Place, allowDuplicates: boolean): IndexedList {
  const elements: PathElement[] = [];
  const items: unknown[] = [];
  const byElement = new Map<PathElement, unknown>();
  for (const [index, item] of value.entries()) {
    const element = elementOfItem(list, item);
    if (typeof element !== "string") {
      place.problems.push({ path: place.path, message: `element ${index}: ${element.problem}` });
      continue;
    }
    if (byElement.has(element) && !allowDuplicates) {
      place.problems.push({ path: place.path, message: `duplicate entries for key ${describeElement(element)}` });
      continue;
    }
    // Duplicates are not merged with the applied item: it replaces them all.
    byElement.set(element, byElement.has(element) ? null : item);
    elements.push(element);
    items.push(item);
  }
  return { items, elements, byElement };
}

function mergeLists(lhs: unknown, rhs: unknown, list: ListNode, place: Place): unknown {
  const left: readonly unknown[] = Array.isArray(lhs) ? lhs : [];
  const right: readonly unknown[] = Array.isArray(rhs) ? rhs : [];
  if (list.atomic || (left.length === 0 && right.length === 0)) return keepApplied(lhs, rhs);
  const applied = indexList(right, list, place, false);
  const live = indexList(left, list, place, true);
  const out: unknown[] = [];
  const emit = (element: PathElement, l: unknown, r: unknown): void => {
    // Problems inside an item were found when each side was validated; here they do not count.
    const inner: Place = { path: place.path + describeElement(element), problems: [] };
    const merged = merge(l, r, list.element, inner);
    if (merged !== undefined) out.push(merged);
  };
  interleave(live, applied, emit);
  return out.length === 0 ? undefined : out;
}

type Emit = (element: PathElement, lhs: unknown, rhs: unknown) => void;

/** The order of a merged list: live items stay where they are, applied ones keep their own relative order. */
function interleave(live: IndexedList, applied: IndexedList, emit: Emit): void {
  const shared = applied.elements.filter((element) => live.byElement.has(element));
  let nextShared = shared.shift();
  const merged = new Set<PathElement>();
  let l = 0;
  let r = 0;
  const take = (element: PathElement): void => {
    merged.add(element);
    emit(element, live.byElement.get(element), applied.byElement.get(element));
    r += 1;
    if (nextShared === element) nextShared = shared.shift();
  };
  while (l < live.elements.length || r < applied.elements.length) {
    const left = live.elements[l];
    const right = applied.elements[r];
    if (left !== undefined && !applied.byElement.has(left)) {
      // Only live: it stays where it is.
      emit(left, live.items[l], undefined);
      l += 1;
    } else if (left !== undefined && left === right) {
      merged.add(left);
      emit(left, live.byElement.get(left), applied.byElement.get(left));
      l += 1;
      r += 1;
      nextShared = shared.shift();
    } else if (left !== undefined && right !== undefined && nextShared !== undefined && nextShared !== left) {
      // Shared, but the applied order wants another one first.
      l += 1;
    } else {
      if (left !== undefined && merged.has(left)) l += 1;
      if (right !== undefined) take(right);
    }
  }
}
