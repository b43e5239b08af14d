import { isJsonObject, type JsonObject, stringifyJson } from "../../object/index.ts";
import { equalValues } from "../merge/index.ts";
import { FieldErrors } from "../strategy/index.ts";

/** Checks a custom resource against its schema: types, required, enums, bounds, patterns, list keys. */
export function validateStructural(object: JsonObject, schema: JsonObject): FieldErrors {
  const errors = new FieldErrors();
  for (const [key, property] of Object.entries(propertiesOf(schema))) {
    if (key === "metadata" || key === "apiVersion" || key === "kind") continue;
    if (Object.hasOwn(object, key)) validate(object[key], property, key, errors);
  }
  for (const key of requiredOf(schema)) if (!Object.hasOwn(object, key)) errors.required(key);
  return errors;
}

function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])),
  );
}

function requiredOf(schema: JsonObject): readonly string[] {
  return Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === "string") : [];
}

function validate(value: unknown, schema: JsonObject, path: string, errors: FieldErrors): void {
  if (value === null && schema.nullable === true) return;
  if (schema["x-kubernetes-int-or-string"] === true) {
    if (!isInteger(value) && typeof value !== "string") wrongType(value, "integer,string", path, errors);
    return;
  }
  if (typeof schema.type === "string" && !hasType(value, schema.type)) {
    wrongType(value, schema.type, path, errors);
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((allowed) => equalValues(allowed, value))) {
    errors.notSupported(path, value, schema.enum.map(String));
  }
  if (typeof value === "string") validateText(value, schema, path, errors);
  else if (typeof value === "number" || typeof value === "bigint") validateNumber(Number(value), schema, path, errors);
  else if (Array.isArray(value)) validateList(value, schema, path, errors);
  else if (isJsonObject(value)) validateMap(value, schema, path, errors);
}

function isInteger(value: unknown): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isJsonObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return isInteger(value);
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    default:
      return typeof value === type;
  }
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return isInteger(value) ? "integer" : typeof value === "bigint" ? "integer" : typeof value;
}

function wrongType(value: unknown, type: string, path: string, errors: FieldErrors): void {
  errors.typeInvalid(
    path,
    typeName(value),
    `${path} in body must be of type ${type}: ${JSON.stringify(typeName(value))}`,
  );
}

function validateText(value: string, schema: JsonObject, path: string, errors: FieldErrors): void {
  const length = [...value].length;
  if (typeof schema.minLength === "number" && length < schema.minLength)
    errors.invalid(path, value, `${path} in body should be at least ${schema.minLength} chars long`);
  if (typeof schema.maxLength === "number" && length > schema.maxLength) errors.tooLong(path, schema.maxLength);
  if (typeof schema.pattern === "string" && !new RegExp(schema.pattern).test(value))
    errors.invalid(path, value, `${path} in body should match '${schema.pattern}'`);
}

function validateNumber(value: number, schema: JsonObject, path: string, errors: FieldErrors): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && (value < minimum || (exclusiveMinimum === true && value === minimum))) {
    errors.invalid(
      path,
      value,
      `${path} in body should be ${exclusiveMinimum === true ? "greater than" : "greater than or equal to"} ${minimum}`,
    );
  }
  if (typeof maximum === "number" && (value > maximum || (exclusiveMaximum === true && value === maximum))) {
    errors.invalid(
      path,
      value,
      `${path} in body should be ${exclusiveMaximum === true ? "less than" : "less than or equal to"} ${maximum}`,
    );
  }
  if (typeof multipleOf === "number" && value % multipleOf !== 0)
    errors.invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`);
}

function validateList(value: readonly unknown[], schema: JsonObject, path: string, errors: FieldErrors): void {
  if (typeof schema.minItems === "number" && value.length < schema.minItems)
    errors.invalid(path, value.length, `${path} in body should have at least ${schema.minItems} items`);
  if (typeof schema.maxItems === "number" && value.length > schema.maxItems)
    errors.invalid(path, value.length, `must have at most ${schema.maxItems} items`);
  const items = isJsonObject(schema.items) ? schema.items : undefined;
  if (items !== undefined)
    for (const [index, item] of value.entries()) validate(item, items, `${path}[${index}]`, errors);
  checkUnique(value, schema, path, errors);
}

/** Sets and map lists hold no item twice. */
function checkUnique(value: readonly unknown[], schema: JsonObject, path: string, errors: FieldErrors): void {
  const kind = schema["x-kubernetes-list-type"];
  if (kind !== "set" && kind !== "map") return;
  const keys = Array.isArray(schema["x-kubernetes-list-map-keys"]) ? schema["x-kubernetes-list-map-keys"] : [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const identity = kind === "set" ? item : keys.map((key) => (isJsonObject(item) ? item[String(key)] : undefined));
    const text = stringifyJson(identity);
    if (seen.has(text)) errors.duplicate(`${path}[${index}]`, identity);
    seen.add(text);
  }
}

function validateMap(value: JsonObject, schema: JsonObject, path: string, errors: FieldErrors): void {
  const properties = propertiesOf(schema);
  const additional = isJsonObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
  const size = Object.keys(value).length;
  if (typeof schema.minProperties === "number" && size < schema.minProperties)
    errors.invalid(path, size, `${path} in body should have at least ${schema.minProperties} properties`);
  if (typeof schema.maxProperties === "number" && size > schema.maxProperties)
    errors.invalid(path, size, `must have at most ${schema.maxProperties} items`);
  for (const [key, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : additional;
    if (property !== undefined) validate(item, property, `${path}.${key}`, errors);
  }
  for (const key of requiredOf(schema)) if (!Object.hasOwn(value, key)) errors.required(`${path}.${key}`);
}
