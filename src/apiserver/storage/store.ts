import type { JsonObject } from "../../object/index.ts";
import { metaText, withMetadata } from "../managers/index.ts";

/** The table of one resource: `configmaps`, `deployments.apps`. Versions of a resource share it. */
export type TableName = string;

/** What happened to one object. `previous` is what it was before, `object` what it is (for a deletion: was), with the event's resourceVersion. */
export interface StoreEvent {
  readonly kind: "added" | "modified" | "deleted";
  readonly revision: number;
  readonly table: TableName;
  readonly object: JsonObject;
  readonly previous: JsonObject | undefined;
}

/** Hears of every write, in order, before the write returns. */
export type StoreListener = (event: StoreEvent) => void;

/** What a snapshot file holds. */
export interface StoreSnapshot {
  readonly revision: number;
  readonly tables: Readonly<Record<TableName, readonly JsonObject[]>>;
}

/** How many events are kept for watches that start in the past. */
const HISTORY = 5_000;

/** Objects of all tables with one sequence of resource versions, as etcd keeps them. Objects are never mutated. */
export class Store {
  readonly #tables: Map<TableName, Map<string, JsonObject>> = new Map();
  readonly #listeners: Map<TableName, Set<StoreListener>> = new Map();
  readonly #observers: Set<StoreListener> = new Set();
  #history: StoreEvent[] = [];
  #revision = 1;
  #compacted = 0;

  /** The latest resourceVersion. */
  get revision(): number {
    return this.#revision;
  }

  /** Watches cannot start at or before this resourceVersion any more. */
  get compacted(): number {
    return this.#compacted;
  }

  get(table: TableName, key: string): JsonObject | undefined {
    return this.#tables.get(table)?.get(key);
  }

  /** All objects of a table, unordered. */
  values(table: TableName): Iterable<JsonObject> {
    return this.#tables.get(table)?.values() ?? [];
  }

  /** The objects of a table sorted by key, those of one namespace where one is given. */
  list(table: TableName, namespace = ""): readonly (readonly [string, JsonObject])[] {
    const prefix = namespace === "" ? "" : `${namespace}/`;
    const entries: (readonly [string, JsonObject])[] = [];
    for (const entry of this.#tables.get(table) ?? []) if (entry[0].startsWith(prefix)) entries.push(entry);
    return entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  }

  count(table: TableName): number {
    return this.#tables.get(table)?.size ?? 0;
  }

  tables(): Iterable<TableName> {
    return this.#tables.keys();
  }

  /** Writes an object and returns it with its new resourceVersion. */
  put(table: TableName, key: string, object: JsonObject): JsonObject {
    const objects = this.#tables.get(table) ?? new Map<string, JsonObject>();
    this.#tables.set(table, objects);
    const previous = objects.get(key);
    const revision = this.#next();
    const stored = withMetadata(object, { resourceVersion: String(revision) });
    objects.set(key, stored);
    this.#record({ kind: previous === undefined ? "added" : "modified", revision, table, object: stored, previous });
    return stored;
  }

  /** Removes an object; its last state goes to the watchers with the resourceVersion of the removal. */
  delete(table: TableName, key: string): void {
    const objects = this.#tables.get(table);
    const previous = objects?.get(key);
    if (objects === undefined || previous === undefined) return;
    objects.delete(key);
    const revision = this.#next();
    const object = withMetadata(previous, { resourceVersion: String(revision) });
    this.#record({ kind: "deleted", revision, table, object, previous });
  }

  /** Calls `listener` for every later write to a table; the returned function ends that. */
  subscribe(table: TableName, listener: StoreListener): () => void {
    const listeners = this.#listeners.get(table) ?? new Set<StoreListener>();
    this.#listeners.set(table, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Calls `listener` for every later write to any table; the returned function ends that. */
  observe(listener: StoreListener): () => void {
    this.#observers.add(listener);
    return () => this.#observers.delete(listener);
  }

  /** The events of a table after `revision`; undefined where they are not kept any more. */
  since(table: TableName, revision: number): readonly StoreEvent[] | undefined {
    if (revision < this.#compacted) return undefined;
    return this.#history.filter((event) => event.table === table && event.revision > revision);
  }

  /** Forgets the history up to now, so that older watches end with 410. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.#revision;
  }

  snapshot(): StoreSnapshot {
    const tables = Object.fromEntries([...this.#tables].map(([name, objects]) => [name, [...objects.values()]]));
    return { revision: this.#revision, tables };
  }

  /** Replaces everything by a snapshot; listeners hear nothing, so this is for a server that does not serve yet. */
  restore(snapshot: StoreSnapshot): void {
    this.#tables.clear();
    for (const [table, objects] of Object.entries(snapshot.tables)) {
      this.#tables.set(table, new Map(objects.map((object) => [keyOf(object), object])));
    }
    this.#revision = Math.max(snapshot.revision, this.#revision);
    this.compact();
  }

  #next(): number {
    this.#revision += 1;
    return this.#revision;
  }

  #record(event: StoreEvent): void {
    this.#history.push(event);
    if (this.#history.length > HISTORY * 1.2) {
      const dropped = this.#history.splice(0, this.#history.length - HISTORY);
      this.#compacted = dropped.at(-1)?.revision ?? this.#compacted;
    }
    for (const listener of this.#listeners.get(event.table) ?? []) listener(event);
    for (const observer of this.#observers) observer(event);
  }
}

/** The key of an object in its table: `namespace/name`, or the name alone where it is cluster-scoped. */
export function keyOf(object: JsonObject): string {
  return objectKey(metaText(object, "namespace"), metaText(object, "name"));
}

/** The key of an object by its names. */
export function objectKey(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
