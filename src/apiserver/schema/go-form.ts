import { isJsonObject, type JsonObject, stringifyJson } from "../../object/index.ts";
import { canonicalQuantity } from "./quantity.ts";
import { canonicalMicroTime, canonicalTime } from "./time.ts";
import type { FieldNode, TypeNode } from "./type-node.ts";

/** A value that Go's JSON decoder refuses; the message is worded as Go words it. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DecodeError";
  }
}

/** A decoded object, and the paths of fields that its type does not have (they are dropped). */
export interface Decoded {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
}

/**
 * Reads an object of a built-in kind and writes it again as the API server's Go type would: unknown fields dropped,
 * zero values with `omitempty` left out, struct values and fields without `omitempty` always present, quantities,
 * times and base64 in canonical form. With `stored`, as it comes back from storage, which knows no empty lists. Throws
 * {@link DecodeError}.
 */
export function toGoForm(object: JsonObject, type: TypeNode, options: { readonly stored?: boolean } = {}): Decoded {
  const codec = new GoCodec(type.name ?? "", options.stored === true);
  const { apiVersion, kind, ...rest } = object;
  const struct = codec.struct(rest, type);
  // TypeMeta is no field of the struct's own here; it is written as it was read.
  return { object: { apiVersion, kind, ...struct }, unknownFields: codec.unknownFields };
}

const INT32 = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

class GoCodec {
  readonly unknownFields: string[] = [];
  /** The steps to the value at hand: made into text only for messages. */
  readonly #path: string[] = [];
  readonly #root: string;
  readonly #stored: boolean;

  constructor(root: string, stored: boolean) {
    this.#root = root;
    this.#stored = stored;
  }

  struct(value: JsonObject, type: TypeNode): JsonObject {
    const fields = type.map?.fields ?? NO_FIELDS;
    const out: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      this.#path.push(name);
      const written = this.#field(Object.hasOwn(value, name) ? value[name] : undefined, field);
      this.#path.pop();
      if (written !== undefined) out[name] = written;
    }
    const isRoot = this.#path.length === 0;
    for (const name of Object.keys(value)) {
      if (fields.has(name) || (isRoot && (name === "apiVersion" || name === "kind"))) continue;
      this.#path.push(name);
      this.unknownFields.push(this.#pathText());
      this.#path.pop();
    }
    return out;
  }

  #pathText(): string {
    return this.#path.join(".").replaceAll(".[", "[");
  }

  /** What is written for a field; undefined leaves it out. */
  #field(given: unknown, field: FieldNode): unknown {
    const { type } = field;
    if (given === undefined || given === null) {
      if (field.pointer) return field.omitEmpty ? undefined : null;
      return this.#zero(field);
    }
    const value = this.value(given, type);
    if (field.pointer) return value;
    switch (type.go) {
      case "list":
      case "map":
        // In memory an empty list is not yet the same as none; in storage it is.
        return isEmpty(value) && (field.omitEmpty || this.#stored) ? this.#zero(field) : value;
      case "string":
      case "int32":
      case "int64":
      case "double":
      case "bool":
      case "bytes":
        return isZeroScalar(value) ? this.#zero(field) : value;
      default:
        return field.omitZero && isEmpty(value) ? undefined : value;
    }
  }

  /** What Go writes for a field that was never set. */
  #zero(field: FieldNode): unknown {
    if (field.omitZero) return undefined;
    switch (field.type.go) {
      case "struct":
        // `omitempty` does nothing for a struct value.
        return this.struct(NOTHING, field.type);
      case "quantity":
        return "0";
      case "int-or-string":
        return 0;
      case "time":
      case "microtime":
        return null;
      case "raw":
        return field.omitEmpty ? undefined : null;
      default:
        return field.omitEmpty ? undefined : zeroOf(field.type);
    }
  }

  value(value: unknown, type: TypeNode): unknown {
    switch (type.go) {
      case "struct":
        if (!isJsonObject(value)) throw this.#mismatch(value, type.name ?? "struct");
        return type.map?.element === undefined ? this.struct(value, type) : {};
      case "list":
        return this.#list(value, type);
      case "map":
        return this.#map(value, type);
      case "raw":
      case undefined:
        return value;
      default:
        return this.#scalar(value, type);
    }
  }

  #list(value: unknown, type: TypeNode): unknown {
    const element = type.list?.element;
    if (!Array.isArray(value) || element === undefined) throw this.#mismatch(value, "[]");
    return value.map((item, index) => this.#element(item, element, `[${index}]`));
  }

  #map(value: unknown, type: TypeNode): unknown {
    const element = type.map?.element;
    if (!isJsonObject(value) || element === undefined) throw this.#mismatch(value, "map");
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(value)) out[key] = this.#element(value[key], element, key);
    return out;
  }

  /** An item of a list or map: null is the zero value of its type. */
  #element(item: unknown, type: TypeNode, step: string): unknown {
    this.#path.push(step);
    const written =
      item !== null ? this.value(item, type) : type.go === "struct" ? this.struct(NOTHING, type) : zeroOf(type);
    this.#path.pop();
    return written;
  }

  #scalar(value: unknown, type: TypeNode): unknown {
    switch (type.go) {
      case "string":
        if (typeof value !== "string") throw this.#mismatch(value, "string");
        return value;
      case "bool":
        if (typeof value !== "boolean") throw this.#mismatch(value, "bool");
        return value;
      case "int32":
        return this.#integer(value, INT32, "int32");
      case "int64":
        return this.#integer(value, INT64, "int64");
      case "double":
        if (typeof value !== "number" && typeof value !== "bigint") throw this.#mismatch(value, "float64");
        return value;
      case "bytes":
        return this.#bytes(value);
      case "time":
      case "microtime":
        return this.#time(value, type);
      case "quantity":
        return this.#quantity(value);
      default:
        return typeof value === "string" ? value : this.#integer(value, INT32, "int32");
    }
  }

  #integer(value: unknown, range: { readonly min: bigint; readonly max: bigint }, name: string): unknown {
    const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
    if (!isWhole || value < range.min || value > range.max) throw this.#mismatch(value, name);
    return value;
  }

  #bytes(value: unknown): string {
    if (typeof value !== "string") throw this.#mismatch(value, "[]uint8");
    const text = value.replace(/[\r\n]/g, "");
    const wrong = BASE64.test(text) ? -1 : firstBadByte(text);
    if (wrong >= 0) throw new DecodeError(`illegal base64 data at input byte ${wrong}`);
    return text;
  }

  #time(value: unknown, type: TypeNode): string {
    if (typeof value !== "string") throw this.#mismatch(value, "string");
    const time = type.go === "time" ? canonicalTime(value) : canonicalMicroTime(value);
    if (time !== undefined) return time;
    const layout = type.go === "time" ? "2006-01-02T15:04:05Z07:00" : "2006-01-02T15:04:05.000000Z07:00";
    const text = JSON.stringify(value);
    throw new DecodeError(`parsing time ${text} as ${JSON.stringify(layout)}: cannot parse ${text}`);
  }

  #quantity(value: unknown): string {
    const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
    const canonical = typeof text === "string" ? canonicalQuantity(text) : undefined;
    if (canonical === undefined) {
      throw new DecodeError(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      );
    }
    return canonical;
  }

  #mismatch(value: unknown, goType: string): DecodeError {
    const struct = this.#root.slice(this.#root.lastIndexOf(".") + 1);
    const field = `${struct}.${this.#pathText()}`;
    return new DecodeError(
      `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${field} of type ${goType}`,
    );
  }
}

const NOTHING: JsonObject = {};
const NO_FIELDS: ReadonlyMap<string, FieldNode> = new Map();

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "object":
      return "object";
    case "boolean":
      return "bool";
    case "string":
      return "string";
    default:
      return `number ${stringifyJson(value)}`;
  }
}

function zeroOf(type: TypeNode): unknown {
  switch (type.go) {
    case "string":
    case "bytes":
      return "";
    case "int32":
    case "int64":
    case "double":
    case "int-or-string":
      return 0;
    case "bool":
      return false;
    case "quantity":
      return "0";
    default:
      return null;
  }
}

function isZeroScalar(value: unknown): boolean {
  return value === "" || value === 0 || value === false || value === 0n;
}

function isEmpty(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function firstBadByte(text: string): number {
  const bad = text.search(/[^A-Za-z0-9+/]/);
  return bad < 0 ? text.length - (text.length % 4) : bad;
}
