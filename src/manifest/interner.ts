import { detach } from "../object/index.ts";

/**
 * Keeps one copy of each repeated string. A string cut out of a file's text holds the whole text in memory, so a copy
 * is made of each new one: a snapshot must not keep file texts alive.
 */
export class Interner {
  readonly #known: Map<string, string> = new Map();

  /** The one copy of `text`. For strings that repeat: kinds, namespaces, labels. */
  intern(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const copy = detach(text);
    this.#known.set(copy, copy);
    return copy;
  }

  internRecord(record: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(record).map(([key, value]) => [this.intern(key), this.intern(value)]));
  }
}
