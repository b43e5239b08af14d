import type { JsonObject } from "../../object/index.ts";

/** An object that a strategy may still change: fresh from decoding, nobody else holds it. */
export type Draft = { [field: string]: unknown };

/** Fills in what one struct leaves unset; runs before those of its fields, as Go's generated defaulters do. */
export type Defaulter = (target: Draft) => void;

/** The object at `key`; undefined where there is none. */
export function objectAt(parent: JsonObject | undefined, key: string): Draft | undefined {
  const value = parent?.[key];
  return isDraft(value) ? value : undefined;
}

/** The object at `key`, created where it is missing. */
export function ensureObject(parent: Draft, key: string): Draft {
  const present = objectAt(parent, key);
  if (present !== undefined) return present;
  const created: Draft = {};
  parent[key] = created;
  return created;
}

/** The objects of the list at `key`. */
export function objectsAt(parent: JsonObject | undefined, key: string): readonly Draft[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter(isDraft) : [];
}

/** The texts of the list at `key`. */
export function textsAt(parent: JsonObject | undefined, key: string): readonly string[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The text at `key`; "" where there is none. */
export function textAt(parent: JsonObject | undefined, key: string): string {
  const value = parent?.[key];
  return typeof value === "string" ? value : "";
}

/** The number at `key`; undefined where there is none. */
export function numberAt(parent: JsonObject | undefined, key: string): number | undefined {
  const value = parent?.[key];
  return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : undefined;
}

/** Whether Go would see `value` as unset: absent, null or the empty text. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Sets fields that are unset. */
export function setDefaults(target: Draft, defaults: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(defaults)) if (isUnset(target[key])) target[key] = value;
}

export function isDraft(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A deep copy of JSON; several times faster than structuredClone. */
export function copyJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(copyJson) : copyObject({ ...value });
}

/** A deep copy of an object; managedFields, which nobody changes in place, are shared. */
export function copyObject(value: JsonObject): Draft {
  const out: Draft = {};
  for (const key of Object.keys(value)) out[key] = key === "managedFields" ? value[key] : copyJson(value[key]);
  return out;
}
