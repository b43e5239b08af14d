import { KeelsonError } from "../errors/index.ts";
import { isJsonObject, type JsonObject } from "../object/index.ts";

/**
 * Typed reading of one YAML mapping of a kubeconfig. A value of another type is refused, as kubectl does: a number or
 * boolean where a text belongs is nearly always a token or a name that lacks its quotes.
 */
export class Fields {
  readonly #fields: JsonObject;
  readonly #place: string;

  /** `place` names the mapping in messages: `/root/.kube/config: user admin`. */
  constructor(value: unknown, place: string) {
    if (value !== undefined && value !== null && !isJsonObject(value)) {
      throw new KeelsonError("InvalidKubeconfig", `${place}: must be a mapping`);
    }
    this.#fields = value ?? {};
    this.#place = place;
  }

  get place(): string {
    return this.#place;
  }

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  /** The raw value; null counts as absent. */
  value(name: string): unknown {
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    return value === null ? undefined : value;
  }

  /** "" where absent. */
  text(name: string): string {
    const value = this.value(name);
    if (value === undefined) return "";
    if (typeof value !== "string") throw this.invalid(name, `must be text: quote it`);
    return value;
  }

  /** false where absent. */
  flag(name: string): boolean {
    const value = this.value(name);
    if (value === undefined) return false;
    if (typeof value !== "boolean") throw this.invalid(name, "must be true or false");
    return value;
  }

  /** Base64 text decoded to UTF-8; undefined where absent or empty. Line breaks inside are ignored, as Go does. */
  decoded(name: string): string | undefined {
    const text = this.text(name).replace(/[\r\n]/g, "");
    if (text === "") return undefined;
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw this.invalid(name, "is no base64");
    return Buffer.from(text, "base64").toString("utf8");
  }

  /** Empty where absent. */
  list(name: string): readonly unknown[] {
    const value = this.value(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw this.invalid(name, "must be a list");
    return value;
  }

  texts(name: string): readonly string[] {
    return this.list(name).map((item) => {
      if (typeof item !== "string") throw this.invalid(name, "must be a list of texts: quote them");
      return item;
    });
  }

  fields(name: string): Fields {
    return new Fields(this.value(name), `${this.#place}: ${name}`);
  }

  keys(): readonly string[] {
    return Object.keys(this.#fields);
  }

  invalid(name: string, why: string): KeelsonError {
    return new KeelsonError("InvalidKubeconfig", `${this.#place}: ${name} ${why}`);
  }
}
