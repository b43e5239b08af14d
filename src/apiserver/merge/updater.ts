import { isJsonObject, type JsonObject } from "../../object/index.ts";
import type { TypeNode } from "../schema/type-node.ts";
import { type Comparison, compareTyped } from "./compare.ts";
import { equalValues } from "./equality.ts";
import { FieldSet } from "./field-set.ts";
import { mergeTyped } from "./merge.ts";
import type { PathElement } from "./path-element.ts";
import { reconcileWithSchema } from "./reconcile.ts";
import { removeItems } from "./remove.ts";
import { SchemaMismatch } from "./schema-errors.ts";
import { toFieldSet } from "./to-field-set.ts";

/** The fields of one manager, at the version in which it last wrote. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly version: string;
  readonly applied: boolean;
}

/** The owners of an object's fields, by manager identifier. */
export type Managers = ReadonlyMap<string, VersionedSet>;

/** An object with the type of its apiVersion. */
export interface TypedObject {
  readonly value: JsonObject;
  readonly type: TypeNode;
}

/** What the updater needs to know of an API's versions. */
export interface Versions {
  /** The object in another version; undefined where that version is not known any more. Throws where it cannot be converted. */
  convert(object: TypedObject, apiVersion: string): TypedObject | undefined;
  /** Fields that the API sets itself, per version: never owned, never in conflict. */
  ignored(apiVersion: string): FieldSet | undefined;
}

/** One field that another manager owns with another value. */
export interface Conflict {
  readonly manager: string;
  readonly path: readonly PathElement[];
}

/** An apply that was refused because others own what it would change. */
export class ApplyConflict extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super("apply conflict");
    this.name = "ApplyConflict";
    this.conflicts = conflicts;
  }
}

/** What a write came to: `object` is undefined where an apply changed nothing. */
export interface Applied {
  readonly object: JsonObject | undefined;
  readonly managers: Managers;
}

/** structured-merge-diff's updater: who owns what after a write, and what an apply makes of an object. */
export class Updater {
  readonly #versions: Versions;

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  /** The owners after `manager` (an Update) changed `live` to `next`. */
  update(
    live: TypedObject,
    next: TypedObject,
    context: { version: string; managers: Managers; manager: string },
  ): Managers {
    const { version, manager } = context;
    const managers = this.#reconcile(live, context.managers);
    const compare = this.#takeOver({ live, next, version, managers, workflow: manager, force: true });
    const previous = managers.get(manager)?.set ?? FieldSet.EMPTY;
    let set = previous.difference(compare.removed).union(compare.modified).union(compare.added);
    const ignored = this.#versions.ignored(version);
    if (ignored !== undefined) set = set.recursiveDifference(ignored);
    if (set.isEmpty) managers.delete(manager);
    else managers.set(manager, { set, version, applied: false });
    return managers;
  }

  /** Merges what `manager` applies into `live`. Throws {@link ApplyConflict} or a SchemaMismatch. */
  apply(
    live: TypedObject,
    config: TypedObject,
    context: { version: string; managers: Managers; manager: string; force: boolean },
  ): Applied {
    const { version, manager, force } = context;
    const managers = this.#reconcile(live, context.managers);
    const merged = withPrefix("failed to merge config", () => mergeTyped(live.value, config.value, config.type));
    const last = managers.get(manager);
    let set = toFieldSet(config.value, config.type);
    const ignored = this.#versions.ignored(version);
    if (ignored !== undefined) set = set.recursiveDifference(ignored);
    managers.set(manager, { set, version, applied: true });
    const next = this.#prune({ value: asObject(merged), type: config.type }, { managers, manager, version, last });
    this.#takeOver({ live, next, version, managers, workflow: manager, force });
    return { object: equalValues(live.value, next.value) ? undefined : next.value, managers };
  }

  /** Takes from every other manager what changed, and reports what changed. Mutates `managers`. */
  #takeOver(change: {
    live: TypedObject;
    next: TypedObject;
    version: string;
    managers: Map<string, VersionedSet>;
    workflow: string;
    force: boolean;
  }): Comparison {
    const { live, next, version, managers, workflow, force } = change;
    const compare = compareTyped(live.value, next.value, next.type);
    const byVersion = new Map([[version, this.#filter(compare, version)]]);
    const conflicts: Conflict[] = [];
    const changed = new Map<string, VersionedSet>();
    for (const [manager, owned] of managers) {
      if (manager === workflow) continue;
      const seen = byVersion.get(owned.version) ?? this.#compareAt(live, next, owned.version);
      if (seen === undefined) {
        managers.delete(manager);
        continue;
      }
      byVersion.set(owned.version, seen);
      const conflict = owned.set.intersection(seen.modified.union(seen.added));
      for (const path of conflict.paths()) conflicts.push({ manager, path });
      const rest = owned.set.difference(conflict).difference(seen.removed);
      if (rest !== owned.set) changed.set(manager, { ...owned, set: rest });
    }
    if (!force && conflicts.length > 0) throw new ApplyConflict(conflicts);
    for (const [manager, owned] of changed) managers.set(manager, owned);
    for (const [manager, owned] of [...managers]) if (owned.set.isEmpty) managers.delete(manager);
    return compare;
  }

  #compareAt(live: TypedObject, next: TypedObject, version: string): Comparison | undefined {
    const before = withPrefix("failed to convert old object", () => this.#versions.convert(live, version));
    if (before === undefined) return undefined;
    const after = withPrefix("failed to convert new object", () => this.#versions.convert(next, version));
    if (after === undefined) return undefined;
    return this.#filter(compareTyped(before.value, after.value, after.type), version);
  }

  #filter(compare: Comparison, version: string): Comparison {
    const ignored = this.#versions.ignored(version);
    if (ignored === undefined) return compare;
    return {
      removed: compare.removed.recursiveDifference(ignored),
      modified: compare.modified.recursiveDifference(ignored),
      added: compare.added.recursiveDifference(ignored),
    };
  }

  #reconcile(live: TypedObject, managers: Managers): Map<string, VersionedSet> {
    const out = new Map<string, VersionedSet>();
    for (const [manager, owned] of managers) {
      const typed = this.#versions.convert(live, owned.version);
      // A version that is gone takes its owners with it.
      if (typed === undefined) continue;
      const set = reconcileWithSchema(owned.set, typed.type);
      out.set(manager, set === owned.set ? owned : { ...owned, set });
    }
    return out;
  }

  /** Removes what the manager applied last time, does not apply now, and nobody else owns. */
  #prune(
    merged: TypedObject,
    context: { managers: Managers; manager: string; version: string; last: VersionedSet | undefined },
  ): TypedObject {
    const { managers, manager, version, last } = context;
    if (last === undefined || last.set.isEmpty) return merged;
    // Where everything that was applied last time is applied again, there is nothing to prune: the usual case.
    const now = managers.get(manager);
    if (now?.version === last.version && last.set.difference(now.set).isEmpty) return merged;
    const convert = (object: TypedObject, to: string, what: string): TypedObject | undefined =>
      withPrefix(`failed to prune fields: ${what}`, () => this.#versions.convert(object, to));
    const atLast = convert(merged, last.version, "failed to convert merged object to last applied version");
    if (atLast === undefined) return merged;
    const without = removeItems(atLast.value, last.set.ensureNamedFieldsAreMembers(atLast.type), atLast.type);
    let pruned: TypedObject = { value: asObject(without), type: atLast.type };
    pruned = withPrefix("failed to prune fields: failed add back owned items", () =>
      this.#addBackOwned(atLast, pruned, last.version, managers),
    );
    pruned = withPrefix("failed to prune fields: failed add back dangling items", () =>
      this.#addBackDangling(atLast, pruned, last),
    );
    return this.#versions.convert(pruned, version) ?? merged;
  }

  #addBackOwned(merged: TypedObject, pruned: TypedObject, version: string, managers: Managers): TypedObject {
    const owned = new Map<string, FieldSet>();
    for (const entry of managers.values()) {
      owned.set(entry.version, (owned.get(entry.version) ?? FieldSet.EMPTY).union(entry.set));
    }
    // The pruned version first: what is added back there may be needed to convert to the others.
    const order = [version, ...[...owned.keys()].filter((other) => other !== version)];
    let [whole, rest] = [merged, pruned];
    for (const at of order) {
      const set = owned.get(at);
      if (set === undefined) continue;
      const wholeAt = withPrefix(`failed to convert merged object at version ${at}`, () =>
        this.#versions.convert(whole, at),
      );
      const restAt = withPrefix(`failed to convert pruned object at version ${at}`, () =>
        this.#versions.convert(rest, at),
      );
      if (wholeAt === undefined || restAt === undefined) continue;
      const type = wholeAt.type;
      const all = toFieldSet(wholeAt.value, type).ensureNamedFieldsAreMembers(type);
      const kept = toFieldSet(restAt.value, type).ensureNamedFieldsAreMembers(type);
      const gone = all.difference(kept.union(set.ensureNamedFieldsAreMembers(type)));
      whole = wholeAt;
      rest = { value: asObject(removeItems(wholeAt.value, gone, type)), type };
    }
    return rest;
  }

  /** What pruning would leave hanging: fields that the manager never owned stay. */
  #addBackDangling(merged: TypedObject, pruned: TypedObject, last: VersionedSet): TypedObject {
    const atLast = this.#versions.convert(pruned, last.version);
    if (atLast === undefined) return merged;
    const type = merged.type;
    const kept = toFieldSet(atLast.value, type).ensureNamedFieldsAreMembers(type);
    const all = toFieldSet(merged.value, type).ensureNamedFieldsAreMembers(type);
    const owned = last.set.ensureNamedFieldsAreMembers(type);
    return { value: asObject(removeItems(merged.value, all.difference(kept).intersection(owned), type)), type };
  }
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Runs `work`; a schema problem inside it is told with `prefix` before it, as the server nests its messages. */
function withPrefix<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error;
    throw new SchemaMismatch([{ path: "", message: `${prefix}: ${error.message}` }]);
  }
}
