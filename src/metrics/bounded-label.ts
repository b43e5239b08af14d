const OTHER = "other";
const MAX_LENGTH = 64;

/**
 * Values of a label that come from outside: the first so many are told apart, all further ones are `other`. Whoever
 * invents field managers or kinds must not be able to fill our memory, or that of Prometheus.
 */
export class BoundedLabel {
  readonly #max: number;
  readonly #seen: Set<string> = new Set();

  constructor(max: number) {
    this.#max = max;
  }

  of(value: string): string {
    const text = value.length > MAX_LENGTH ? value.slice(0, MAX_LENGTH) : value;
    if (this.#seen.has(text)) return text;
    if (this.#seen.size >= this.#max) return OTHER;
    this.#seen.add(text);
    return text;
  }
}
