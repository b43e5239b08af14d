import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { type MapNode, type TypeNode, typeOfKey } from "../schema/type-node.ts";
import { compareElements, fieldNameOf, type PathElement, parsePathElement } from "./path-element.ts";

const NO_MEMBERS: ReadonlySet<PathElement> = new Set();
const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

/**
 * A set of field paths, as a tree: an element may be a member, have children, or both. Immutable; the operations have
 * the meaning of structured-merge-diff's `fieldpath.Set`.
 */
export class FieldSet {
  static readonly EMPTY: FieldSet = new FieldSet(NO_MEMBERS, NO_CHILDREN);
  readonly members: ReadonlySet<PathElement>;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
  #json: JsonObject | undefined;

  constructor(members: ReadonlySet<PathElement>, children: ReadonlyMap<PathElement, FieldSet>) {
    this.members = members;
    this.children = children;
  }

  /** The set of the given paths; the empty path (the whole object) is never a member. */
  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path);
    return builder.build();
  }

  get isEmpty(): boolean {
    if (this.members.size > 0) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  has(path: readonly PathElement[]): boolean {
    let node: FieldSet | undefined = this;
    for (let i = 0; i < path.length - 1; i++) node = node?.children.get(path[i] ?? "");
    const last = path.at(-1);
    return last !== undefined && node?.members.has(last) === true;
  }

  /** The subtree under `element`. */
  under(element: PathElement): FieldSet {
    return this.children.get(element) ?? FieldSet.EMPTY;
  }

  union(other: FieldSet): FieldSet {
    if (other.members.size === 0 && other.children.size === 0) return this;
    if (this.members.size === 0 && this.children.size === 0) return other;
    const members = new Set(this.members);
    for (const member of other.members) members.add(member);
    const children = new Map(this.children);
    for (const [element, child] of other.children) {
      const own = children.get(element);
      children.set(element, own === undefined ? child : own.union(child));
    }
    return new FieldSet(members, children);
  }

  intersection(other: FieldSet): FieldSet {
    const members = new Set<PathElement>();
    for (const member of this.members) if (other.members.has(member)) members.add(member);
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const both = theirs === undefined ? FieldSet.EMPTY : child.intersection(theirs);
      if (!both.isEmpty) children.set(element, both);
    }
    return new FieldSet(members, children);
  }

  /** What is here and not there; a parent is not its children, nor the reverse. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false);
  }

  /** Like {@link difference}, but a member there takes its whole subtree away here. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, true);
  }

  #without(other: FieldSet, recursive: boolean): FieldSet {
    if (other.members.size === 0 && other.children.size === 0) return this;
    const members = new Set<PathElement>();
    for (const member of this.members) if (!other.members.has(member)) members.add(member);
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) {
      if (recursive && other.members.has(element)) continue;
      const theirs = other.children.get(element);
      const rest = theirs === undefined ? child : child.#without(theirs, recursive);
      if (theirs === undefined || !rest.isEmpty) children.set(element, rest);
    }
    return new FieldSet(members, children);
  }

  /** The set with every declared field on the way to a member made a member too. */
  ensureNamedFieldsAreMembers(type: TypeNode | undefined): FieldSet {
    const members = new Set(this.members);
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) {
      const name = fieldNameOf(element);
      if (name !== undefined && type?.map?.fields.has(name)) members.add(element);
      children.set(element, child.ensureNamedFieldsAreMembers(childType(type, element)));
    }
    return new FieldSet(members, children);
  }

  /** Every member's path, in structured-merge-diff's order: an element's members before its children. */
  *paths(prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
    for (const member of [...this.members].sort(compareElements)) yield [...prefix, member];
    for (const element of [...this.children.keys()].sort(compareElements)) {
      yield* this.under(element).paths([...prefix, element]);
    }
  }

  equals(other: FieldSet): boolean {
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const member of this.members) if (!other.members.has(member)) return false;
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined || !child.equals(theirs)) return false;
    }
    return true;
  }

  /** The fieldsV1 form; written once per set. */
  toJson(): JsonObject {
    this.#json ??= this.#write();
    return this.#json;
  }

  #write(): JsonObject {
    const out: Record<string, unknown> = {};
    const elements = new Set([...this.members, ...this.children.keys()]);
    for (const element of [...elements].sort(compareElements)) {
      const child = this.children.get(element);
      if (child === undefined || child.isEmpty) {
        if (this.members.has(element)) out[element] = {};
        continue;
      }
      out[element] = this.members.has(element) ? { ".": {}, ...child.toJson() } : child.toJson();
    }
    return out;
  }

  /** Reads the fieldsV1 form; undefined where it is malformed. */
  static fromJson(json: unknown): FieldSet | undefined {
    if (!isJsonObject(json)) return undefined;
    const members = new Set<PathElement>();
    const children = new Map<PathElement, FieldSet>();
    for (const [key, value] of Object.entries(json)) {
      if (key === ".") continue;
      const element = parsePathElement(key);
      const child = FieldSet.fromJson(value);
      if (element === undefined || child === undefined || !isJsonObject(value)) return undefined;
      // `{}` is a member; a subtree is one only where it says so with ".".
      if (Object.keys(value).length === 0 || "." in value) members.add(element);
      if (!child.isEmpty) children.set(element, child);
    }
    return new FieldSet(members, children);
  }
}

/** Collects paths into a {@link FieldSet}. */
export class FieldSetBuilder {
  readonly #members: Set<PathElement> = new Set();
  readonly #children: Map<PathElement, FieldSetBuilder> = new Map();

  insert(path: readonly PathElement[]): void {
    let node: FieldSetBuilder = this;
    for (let i = 0; i < path.length - 1; i++) node = node.#descend(path[i] ?? "");
    const last = path.at(-1);
    if (last !== undefined) node.#members.add(last);
  }

  build(): FieldSet {
    if (this.#members.size === 0 && this.#children.size === 0) return FieldSet.EMPTY;
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.#children) children.set(element, child.build());
    return new FieldSet(this.#members, children);
  }

  #descend(element: PathElement): FieldSetBuilder {
    const known = this.#children.get(element);
    if (known !== undefined) return known;
    const child = new FieldSetBuilder();
    this.#children.set(element, child);
    return child;
  }
}

function childType(type: TypeNode | undefined, element: PathElement): TypeNode | undefined {
  const name = fieldNameOf(element);
  if (name !== undefined) return type?.map === undefined ? undefined : typeOfKey(type.map, name);
  return element.startsWith("k:") ? type?.list?.element : undefined;
}

/** The type that a path element leads to, where the schema knows it. */
export function typeAtElement(map: MapNode, element: PathElement): TypeNode | undefined {
  const name = fieldNameOf(element);
  return name === undefined ? map.element : typeOfKey(map, name);
}
