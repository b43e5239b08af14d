import type { JsonObject } from "../../object/index.ts";

/** A mapping in the making: knows written keys from merged ones. */
export class MappingBuilder {
  readonly value: Record<string, unknown> = {};
  /** The keys that were written out, once a merge has brought others. */
  #written: Set<string> | undefined;

  /** Adds a pair; false where the key was written before. One that a merge brought is replaced. */
  set(key: string, value: unknown): boolean {
    const isKnown = this.#written === undefined ? Object.hasOwn(this.value, key) : this.#written.has(key);
    if (isKnown) return false;
    this.#written?.add(key);
    this.#assign(key, value);
    return true;
  }

  merge(source: JsonObject): void {
    this.#written ??= new Set(Object.keys(this.value));
    for (const [key, value] of Object.entries(source)) this.#assign(key, value);
  }

  #assign(key: string, value: unknown): void {
    // Assigning `__proto__` would set the prototype; here it is a key like any other.
    if (key === "__proto__") {
      Object.defineProperty(this.value, key, { value, enumerable: true, configurable: true, writable: true });
    } else this.value[key] = value;
  }
}
