import { type MapNode, type TypeNode, UNTYPED_DEDUCED } from "../schema/type-node.ts";
import { FieldSet, FieldSetBuilder, typeAtElement } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/**
 * Adapts a recorded field set to a schema that changed since: what was granular and is atomic now is owned as a whole.
 * Returns the same set where nothing changed.
 */
export function reconcileWithSchema(set: FieldSet, type: TypeNode): FieldSet {
  const changed = new FieldSetBuilder();
  new Reconciler(changed).visit(set, type, [], false);
  const atomic = changed.build();
  return atomic.isEmpty ? set : set.recursiveDifference(atomic).union(atomic);
}

class Reconciler {
  readonly #changed: FieldSetBuilder;

  constructor(changed: FieldSetBuilder) {
    this.#changed = changed;
  }

  visit(set: FieldSet, type: TypeNode, path: readonly PathElement[], isAtomic: boolean): void {
    if (type.map !== undefined) this.#visitMap(set, type.map, path, isAtomic);
    else if (type.scalar === undefined && type.list !== undefined) {
      if (type.list.atomic) {
        if (!isAtomic) this.#changed.insert(path);
        return;
      }
      const element = type.list.element;
      this.#visitChildren(set, path, () => element);
    }
  }

  #visitMap(set: FieldSet, map: MapNode, path: readonly PathElement[], isAtomic: boolean): void {
    const isUntyped = map.fields.size === 0 && map.element === UNTYPED_DEDUCED;
    if (isUntyped) return;
    if (map.atomic) {
      if (!isAtomic && !set.isEmpty) this.#changed.insert(path);
      return;
    }
    this.#visitChildren(set, path, (element) => typeAtElement(map, element));
  }

  #visitChildren(
    set: FieldSet,
    path: readonly PathElement[],
    typeOf: (element: PathElement) => TypeNode | undefined,
  ): void {
    for (const element of new Set([...set.children.keys(), ...set.members])) {
      const type = typeOf(element);
      if (type === undefined) continue;
      const child = set.children.get(element);
      const isAtomic = set.members.has(element) && child === undefined;
      this.visit(child ?? FieldSet.EMPTY, type, [...path, element], isAtomic);
    }
  }
}
