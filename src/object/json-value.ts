import { isJsonObject } from "./json.ts";

/** The field `name` of `value`, or undefined. Only own fields count: a label may be called `constructor`. */
export function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The names of an object's fields that hold a value: an undefined field is an absent one. */
export function fieldNamesOf(value: object): readonly string[] {
  const names = Object.keys(value);
  // Hot, and mostly there is none to leave out.
  for (const name of names) {
    if (Reflect.get(value, name) === undefined) return names.filter((each) => fieldOf(value, each) !== undefined);
  }
  return names;
}

/** Whether `value` is an object or array without content. */
export function isEmptyContainer(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && fieldNamesOf(value).length === 0;
}

/** Deep equality of JSON values: key order does not count, undefined fields are absent, 1 and 1n are the same number. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  }
  if (isJsonObject(a)) {
    if (!isJsonObject(b)) return false;
    const names = fieldNamesOf(a);
    return (
      names.length === fieldNamesOf(b).length && names.every((name) => equalJson(fieldOf(a, name), fieldOf(b, name)))
    );
  }
  return isNumeric(a) && isNumeric(b) && a.toString() === b.toString();
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
