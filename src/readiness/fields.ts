import { fieldOf, isJsonObject, type JsonObject, type KubeObject } from "../object/index.ts";

/** `object.spec` or `object.status`, empty where missing. */
export function section(object: KubeObject, name: "spec" | "status"): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** A nested field by its names. */
export function pathOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(fieldOf, value);
}

/** A number field; `missing` where it is absent (the API omits zeros). */
export function numberOf(value: JsonObject, name: string, missing = 0): number {
  const number = value[name];
  return typeof number === "number" ? number : missing;
}

/** A text field, "" where absent. */
export function textOf(value: unknown, ...names: readonly string[]): string {
  const text = pathOf(value, ...names);
  return typeof text === "string" ? text : "";
}

/** One entry of `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** `status.conditions`, empty where missing; entries that are no objects are left out. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const conditions = pathOf(object, "status", "conditions");
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(isJsonObject).map((condition) => ({
    type: textOf(condition, "type"),
    status: textOf(condition, "status"),
    reason: textOf(condition, "reason"),
    message: textOf(condition, "message"),
  }));
}

/** The condition of a type; its status is "" where it is missing. */
export function conditionOf(object: KubeObject, type: string): Condition {
  const found = conditionsOf(object).find((condition) => condition.type === type);
  return found ?? { type, status: "", reason: "", message: "" };
}

/** A condition's message, else its reason, else `otherwise`. */
export function wordsOf(condition: Condition, otherwise: string): string {
  return condition.message || condition.reason || otherwise;
}
