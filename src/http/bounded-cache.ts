import type { Clock } from "../async/index.ts";

interface Entry<V> {
  readonly value: V;
  /** Monotonic milliseconds. */
  readonly until: number;
}

/** Answers that are remembered for a while, at most so many: the oldest goes first. */
export class BoundedCache<V> {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #entries: Map<string, Entry<V>> = new Map();

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (this.#clock.monotonic() < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: V, forMs: number): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#max && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, until: this.#clock.monotonic() + forMs });
  }

  get size(): number {
    return this.#entries.size;
  }
}
