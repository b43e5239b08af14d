import type { TypeNode } from "../schema/index.ts";
import { CORE_DEFAULTS } from "./defaults-core.ts";
import { GROUP_DEFAULTS } from "./defaults-groups.ts";
import { type Defaulter, type Draft, isDraft, isUnset } from "./draft.ts";

const DEFAULTERS: Readonly<Record<string, Defaulter>> = { ...CORE_DEFAULTS, ...GROUP_DEFAULTS };

/** Fills in the defaults of a built-in object, in place: the hand-written ones by type, then the schema's. */
export function defaultObject(value: Draft, type: TypeNode): void {
  if (type.name !== undefined) DEFAULTERS[type.name]?.(value);
  for (const [name, field] of type.map?.fields ?? []) {
    const declared = field.default;
    // `{}` and zero values only say that the field is no pointer.
    const isReal =
      declared !== undefined && declared !== "" && declared !== 0 && declared !== false && !isDraft(declared);
    if (isReal && isUnset(value[name])) value[name] = declared;
    defaultValue(value[name], field.type);
  }
}

function defaultValue(value: unknown, type: TypeNode): void {
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    const element = type.list?.element;
    if (element?.go === "struct" || element?.go === "map") for (const item of value) defaultValue(item, element);
    return;
  }
  if (!isDraft(value)) return;
  if (type.go === "struct") defaultObject(value, type);
  else if (type.go === "map" && type.map?.element?.go === "struct") {
    for (const item of Object.values(value)) defaultValue(item, type.map.element);
  }
}
