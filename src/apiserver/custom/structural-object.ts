import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { copyJson, type Draft, isDraft } from "../strategy/index.ts";

const PRESERVE = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED = "x-kubernetes-embedded-resource";
const ROOT_FIELDS = new Set(["apiVersion", "kind", "metadata"]);

/** Removes what a structural schema does not declare, in place; the removed paths go to `unknown`. */
export function pruneUnknown(object: Draft, schema: JsonObject, unknown: string[]): void {
  prune(object, schema, { path: "", unknown, isResource: true });
}

interface Pruning {
  readonly path: string;
  readonly unknown: string[];
  readonly isResource: boolean;
}

function prune(value: unknown, schema: JsonObject, at: Pruning): void {
  if (Array.isArray(value)) {
    const items = isJsonObject(schema.items) ? schema.items : {};
    for (const [index, item] of value.entries()) {
      prune(item, items, { path: `${at.path}[${index}]`, unknown: at.unknown, isResource: items[EMBEDDED] === true });
    }
    return;
  }
  if (!isDraft(value)) return;
  const keepsUnknown = schema[PRESERVE] === true || schema.additionalProperties === true;
  for (const key of Object.keys(value)) {
    if (at.isResource && ROOT_FIELDS.has(key)) continue;
    const path = at.path === "" ? key : `${at.path}.${key}`;
    const next = schemaOfKey(schema, key);
    if (next !== undefined) prune(value[key], next, { path, unknown: at.unknown, isResource: next[EMBEDDED] === true });
    else if (!keepsUnknown) {
      delete value[key];
      at.unknown.push(path);
    }
  }
}

/** The schema of a key: its property's, else that of additional properties. */
function schemaOfKey(schema: JsonObject, key: string): JsonObject | undefined {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (isJsonObject(property)) return property;
  return isJsonObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
}

/** Fills in a structural schema's defaults, in place; null is replaced by the default where the schema is not nullable. */
export function defaultStructural(value: unknown, schema: JsonObject): void {
  if (Array.isArray(value)) {
    if (isJsonObject(schema.items)) for (const item of value) defaultStructural(item, schema.items);
    return;
  }
  if (!isDraft(value)) return;
  for (const [key, property] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    if (!isJsonObject(property) || property.default === undefined) continue;
    const isMissing = !Object.hasOwn(value, key) || (value[key] === null && property.nullable !== true);
    if (isMissing) value[key] = copyJson(property.default);
  }
  for (const [key, item] of Object.entries(value)) {
    const next = schemaOfKey(schema, key);
    if (next !== undefined) defaultStructural(item, next);
  }
}
