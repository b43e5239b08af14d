import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../strategy/index.ts";
import { ageOf } from "./duration.ts";

/** A column of `kubectl get`: how it is called, its type, whether only `-o wide` shows it, and its cell. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly wide?: boolean;
  readonly cell: (object: JsonObject, nowMs: number) => unknown;
}

export type Cell = Column["cell"];

export const column = (name: string, cell: Cell, type = "string"): Column => ({ name, type, cell });
export const wide = (name: string, cell: Cell): Column => ({ name, type: "string", wide: true, cell });
export const spec = (object: JsonObject): JsonObject => objectAt(object, "spec") ?? {};
export const status = (object: JsonObject): JsonObject => objectAt(object, "status") ?? {};
export const meta = (object: JsonObject): JsonObject => objectAt(object, "metadata") ?? {};
export const count = (value: unknown): number =>
  isJsonObject(value) ? Object.keys(value).length : Array.isArray(value) ? value.length : 0;
export const number = (of: JsonObject, field: string): number => numberAt(of, field) ?? 0;
export const orNone = (text: string): string => (text === "" ? "<none>" : text);
export const orUnset = (text: string): string => (text === "" ? "<unset>" : text);

export const NAME: Column = column("Name", (object) => textAt(meta(object), "name"), "string");
export const AGE: Column = column("Age", (object, now) => ageOf(meta(object).creationTimestamp, now));
export const CREATED: Column = column("Created At", (object) => meta(object).creationTimestamp ?? null, "date");

export function labelsText(labels: JsonObject | undefined): string {
  const entries = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  return orNone(entries.sort().join(","));
}

export function selectorText(selector: JsonObject | undefined): string {
  if (selector === undefined) return "<none>";
  const expressions = objectsAt(selector, "matchExpressions").map((one) => {
    const values = textsAt(one, "values").join(",");
    const key = textAt(one, "key");
    if (one.operator === "Exists") return key;
    if (one.operator === "DoesNotExist") return `!${key}`;
    return `${key} ${textAt(one, "operator").toLowerCase()} (${values})`;
  });
  const labels = Object.entries(objectAt(selector, "matchLabels") ?? {}).map(
    ([key, value]) => `${key}=${String(value)}`,
  );
  return orNone([...labels.sort(), ...expressions].join(","));
}
