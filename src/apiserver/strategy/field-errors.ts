import { stringifyJson } from "../../object/index.ts";

/** One entry of a Status' `details.causes`. */
export interface FieldError {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** Collects what is wrong with an object, in the API server's words. */
export class FieldErrors {
  readonly list: FieldError[] = [];

  get isEmpty(): boolean {
    return this.list.length === 0;
  }

  required(field: string, detail = ""): void {
    this.#add("FieldValueRequired", field, "Required value", detail);
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, `Invalid value: ${describe(value)}`, detail);
  }

  duplicate(field: string, value: unknown): void {
    this.#add("FieldValueDuplicate", field, `Duplicate value: ${describe(value)}`, "");
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    const values = supported.map((text) => JSON.stringify(text)).join(", ");
    this.#add("FieldValueNotSupported", field, `Unsupported value: ${describe(value)}`, `supported values: ${values}`);
  }

  notFound(field: string, value: unknown): void {
    this.#add("FieldValueNotFound", field, `Not found: ${describe(value)}`, "");
  }

  forbidden(field: string, detail: string): void {
    this.#add("FieldValueForbidden", field, "Forbidden", detail);
  }

  tooLong(field: string, max: number): void {
    this.#add("FieldValueTooLong", field, "Too long", `may not be more than ${max} bytes`);
  }

  typeInvalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueTypeInvalid", field, `Invalid value: ${describe(value)}`, detail);
  }

  #add(reason: string, field: string, head: string, detail: string): void {
    this.list.push({ reason, field, message: detail === "" ? head : `${head}: ${detail}` });
  }
}

function describe(value: unknown): string {
  return value === undefined ? "null" : stringifyJson(value);
}
