import { isJsonObject, stringifyJson } from "../../object/index.ts";
import { atomOf, type ListNode, type MapNode, type ScalarKind, type TypeNode, typeOfKey } from "../schema/type-node.ts";
import { elementOfItem } from "./list-items.ts";
import { describeElement } from "./path-element.ts";
import { SchemaMismatch, type SchemaProblem } from "./schema-errors.ts";

/** Throws {@link SchemaMismatch} where `value` does not fit `type`. Duplicate list items are allowed only in live objects. */
export function validateTyped(value: unknown, type: TypeNode, options: { readonly allowDuplicates: boolean }): void {
  const problems: SchemaProblem[] = [];
  new Validator(options.allowDuplicates, problems).visit(value, type, "");
  if (problems.length > 0) throw new SchemaMismatch(problems);
}

class Validator {
  readonly #allowDuplicates: boolean;
  readonly #problems: SchemaProblem[];

  constructor(allowDuplicates: boolean, problems: SchemaProblem[]) {
    this.#allowDuplicates = allowDuplicates;
    this.#problems = problems;
  }

  visit(value: unknown, type: TypeNode, path: string): void {
    const atom = atomOf(type, value);
    if (atom === "map" && type.map !== undefined) this.#visitMap(value, type.map, path);
    else if (atom === "scalar" && type.scalar !== undefined) this.#visitScalar(value, type.scalar, path);
    else if (type.list !== undefined) this.#visitList(value, type.list, path);
  }

  #visitScalar(value: unknown, scalar: ScalarKind, path: string): void {
    const message = scalarProblem(value, scalar);
    if (message !== undefined) this.#problems.push({ path, message });
  }

  #visitList(value: unknown, list: ListNode, path: string): void {
    if (value === null || value === undefined) return;
    if (!Array.isArray(value)) {
      this.#problems.push({ path, message: `expected list, got ${describeGo(value)}` });
      return;
    }
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      let step = `[${index}]`;
      if (!list.atomic) {
        const element = elementOfItem(list, item);
        if (typeof element !== "string") {
          this.#problems.push({ path, message: `element ${index}: ${element.problem}` });
          return;
        }
        step = describeElement(element);
        if (seen.has(element) && !this.#allowDuplicates) {
          this.#problems.push({ path, message: `duplicate entries for key ${step}` });
        }
        seen.add(element);
      }
      this.visit(item, list.element, path + step);
    }
  }

  #visitMap(value: unknown, map: MapNode, path: string): void {
    if (value === null || value === undefined) return;
    if (!isJsonObject(value)) {
      this.#problems.push({ path, message: `expected map, got ${describeGo(value)}` });
      return;
    }
    for (const key of Object.keys(value)) {
      const type = typeOfKey(map, key);
      if (type === undefined) {
        // As the server does: the first undeclared field of a map ends the visit of that map.
        this.#problems.push({ path: `${path}.${key}`, message: "field not declared in schema" });
        return;
      }
      this.visit(value[key], type, `${path}.${key}`);
    }
  }
}

/** Why `value` is no such scalar; undefined where it is (null and absence always are). */
export function scalarProblem(value: unknown, scalar: ScalarKind): string | undefined {
  if (value === null || value === undefined) return undefined;
  const isNumber = typeof value === "number" || typeof value === "bigint";
  switch (scalar) {
    case "numeric":
      return isNumber ? undefined : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${describeGo(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got ${describeGo(value)}`;
    case "untyped":
      return typeof value === "object" ? `expected any scalar, got ${describeGo(value)}` : undefined;
  }
}

function goTypeOf(value: unknown): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

function describeGo(value: unknown): string {
  return stringifyJson(value);
}
