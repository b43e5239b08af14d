import type { Target } from "./resource.ts";

/** What is kept of one object. */
export interface Stored<R> {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly record: R;
}

interface Entry<R> extends Stored<R> {
  /** The list in which it was last seen. */
  list: number;
}

/**
 * The records of one kind, by namespace and name. Knows which of them the list under way has not shown yet; until a
 * list has ended, nothing is missing.
 */
export class RecordStore<R> {
  readonly #entries: Map<string, Entry<R>> = new Map();
  #list = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(target: Target): Stored<R> | undefined {
    return this.#entries.get(keyOf(target));
  }

  set(target: Target, { uid, resourceVersion, record }: Stored<R>): void {
    // Not `...stored`: thousands of entries would each have a shape of their own in V8.
    this.#entries.set(keyOf(target), { uid, resourceVersion, record, list: this.#list });
  }

  /** Whether the object is known in exactly this version; marks it as seen. */
  confirm(target: Target, { uid, resourceVersion }: Pick<Stored<R>, "uid" | "resourceVersion">): boolean {
    const entry = this.#entries.get(keyOf(target));
    if (entry === undefined || entry.uid !== uid || entry.resourceVersion !== resourceVersion) return false;
    entry.list = this.#list;
    return true;
  }

  /** Removes the object and returns what was kept of it. */
  delete(target: Target): Stored<R> | undefined {
    const key = keyOf(target);
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    return entry;
  }

  /** A list starts. One that was broken off leaves no trace. */
  beginList(): void {
    this.#list += 1;
  }

  /** The list is complete: removes and returns what it did not show. */
  endList(): readonly (readonly [Target, Stored<R>])[] {
    const gone: (readonly [Target, Stored<R>])[] = [];
    for (const [key, entry] of this.#entries) {
      if (entry.list === this.#list) continue;
      this.#entries.delete(key);
      gone.push([parseKey(key), entry]);
    }
    return gone;
  }

  *entries(): IterableIterator<[Target, R]> {
    for (const [key, entry] of this.#entries) yield [parseKey(key), entry.record];
  }
}

/** Neither namespaces nor names hold a slash; one string per object is less to keep than a target. */
function keyOf({ namespace, name }: Target): string {
  return `${namespace}/${name}`;
}

function parseKey(key: string): Target {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
