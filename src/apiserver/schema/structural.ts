import { isJsonObject, type JsonObject } from "../../object/index.ts";
import {
  type FieldNode,
  type ScalarKind,
  type TypeNode,
  type TypeNodeDraft,
  UNTYPED_ATOMIC,
  UNTYPED_DEDUCED,
} from "./type-node.ts";

const PRESERVE = "x-kubernetes-preserve-unknown-fields";

/** The type of a custom resource from its structural schema; `metadata` is the built-in ObjectMeta. */
export function structuralType(schema: JsonObject, metadata: TypeNode): TypeNode {
  const preserve = schema[PRESERVE] === true;
  const node = compile(schema, preserve);
  const own = node.map?.fields ?? new Map<string, FieldNode>();
  const fields = new Map<string, FieldNode>([
    ...own,
    ["apiVersion", field({ scalar: "string" })],
    ["kind", field({ scalar: "string" })],
    ["metadata", field(metadata)],
  ]);
  return { map: { fields, element: preserve ? UNTYPED_DEDUCED : undefined, atomic: false } };
}

function field(type: TypeNode): FieldNode {
  return { type, pointer: true, omitEmpty: true, omitZero: false, required: false };
}

function compile(schema: JsonObject, inherited: boolean): TypeNode {
  const preserve = inherited || schema[PRESERVE] === true;
  switch (schema.type) {
    case "object":
      return { map: compileMap(schema, preserve) };
    case "array":
      return { list: compileList(schema, preserve) };
    case "string":
      return {
        scalar: schema.format === undefined || schema.format === "" || schema.format === "byte" ? "string" : "untyped",
      };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    default: {
      // Any type: the value decides (x-kubernetes-int-or-string, or no type at all).
      const draft: TypeNodeDraft = { scalar: "untyped" satisfies ScalarKind };
      draft.list = isJsonObject(schema.items)
        ? compileList(schema, preserve)
        : { element: UNTYPED_ATOMIC, atomic: true, keys: [] };
      draft.map = compileMap(schema, preserve);
      return draft;
    }
  }
}

function compileMap(schema: JsonObject, preserve: boolean): NonNullable<TypeNode["map"]> {
  const fields = new Map<string, FieldNode>();
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const embedded = schema["x-kubernetes-embedded-resource"] === true ? EMBEDDED : {};
  for (const [name, property] of Object.entries({ ...embedded, ...properties })) {
    if (!isJsonObject(property)) continue;
    const compiled = field(compile(property, preserve));
    fields.set(name, property.default === undefined ? compiled : { ...compiled, default: property.default });
  }
  return {
    fields,
    element: elementOf(schema, fields.size, preserve),
    atomic: schema["x-kubernetes-map-type"] === "atomic",
  };
}

/** What the server adds to an embedded resource. */
const EMBEDDED = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", [PRESERVE]: true },
};

function elementOf(schema: JsonObject, declared: number, preserve: boolean): TypeNode | undefined {
  const additional = schema.additionalProperties;
  if (isJsonObject(additional)) return compile(additional, preserve);
  if (additional === true) return UNTYPED_DEDUCED;
  if (additional === false) return undefined;
  return preserve || declared === 0 ? UNTYPED_DEDUCED : undefined;
}

function compileList(schema: JsonObject, preserve: boolean): NonNullable<TypeNode["list"]> {
  const kind = schema["x-kubernetes-list-type"];
  const element = isJsonObject(schema.items) ? compile(schema.items, preserve) : UNTYPED_DEDUCED;
  const keys = schema["x-kubernetes-list-map-keys"];
  if (kind === "map" && Array.isArray(keys))
    return { element, atomic: false, keys: keys.filter((key) => typeof key === "string") };
  return { element, atomic: kind !== "set", keys: [] };
}
