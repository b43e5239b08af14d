import { eventually } from "../test/control-plane/eventually.ts";
import type { ApiClient, Live, WatchEvent } from "./api-client.ts";
import { BenchError } from "./errors.ts";
import { collections, type LoadObject } from "./load.ts";

/** What a change made by someone else must be followed by. */
export interface Expectation {
  readonly object: LoadObject;
  readonly isRestored: (live: Live) => boolean;
}

interface Pending extends Expectation {
  /** Whether the change itself has been seen: what was true before it is no repair. */
  hasDrifted: boolean;
  readonly resolve: (seenAt: number) => void;
}

/** The objects of the load as the API server's watches tell them, moment by moment. */
export class LiveView {
  readonly #names = new Set<string>();
  readonly #pending = new Map<string, Pending>();
  #addedAt = 0;

  static async open(client: ApiClient): Promise<LiveView> {
    const view = new LiveView();
    for (const collection of Object.values(collections)) {
      await client.watch(`${collection}?watch=true`, (event) => view.#take(collection, event));
    }
    return view;
  }

  /** Waits until the cluster holds `count` objects of the load. @returns when the last one was seen. */
  async untilCount(count: number): Promise<number> {
    // 60 s and 60 ms an object: several times what two cores take that have nothing else to do.
    const timeoutMs = 60_000 + 60 * count;
    try {
      await eventually("all are there", () => this.#names.size >= count, { timeoutMs, intervalMs: 5 });
    } catch {
      throw new BenchError(`${this.#names.size} of ${count} objects are there after ${timeoutMs / 1000} s`);
    }
    return this.#addedAt;
  }

  /** When an object is seen as expected; `undefined` where that does not happen in 10 s. */
  untilChanged(expectation: Expectation): Promise<number | undefined> {
    return this.#expect(expectation, true);
  }

  /** When an object is seen as expected after it was seen otherwise, or deleted; `undefined` likewise. */
  untilRestored(expectation: Expectation): Promise<number | undefined> {
    return this.#expect(expectation, false);
  }

  #expect({ object, isRestored }: Expectation, hasDrifted: boolean): Promise<number | undefined> {
    const key = `${object.collection}/${object.name}`;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(key);
        resolve(undefined);
      }, 10_000);
      const settle = (seenAt: number): void => {
        clearTimeout(timer);
        this.#pending.delete(key);
        resolve(seenAt);
      };
      this.#pending.set(key, { object, isRestored, hasDrifted, resolve: settle });
    });
  }

  #take(collection: string, { type, object, seenAt }: WatchEvent): void {
    const key = `${collection}/${object.metadata.name}`;
    if (type === "DELETED") this.#names.delete(key);
    else if (object.metadata.name.startsWith("bench-") && !this.#names.has(key)) {
      this.#names.add(key);
      this.#addedAt = seenAt;
    }
    const pending = this.#pending.get(key);
    if (!pending) return;
    if (type === "DELETED" || !pending.isRestored(object)) pending.hasDrifted = true;
    else if (pending.hasDrifted) pending.resolve(seenAt);
  }
}
