import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { objectAt, objectsAt, textAt } from "./draft.ts";
import type { FieldErrors } from "./field-errors.ts";
import { checkImmutable } from "./validate-meta.ts";

/** A definition keeps its group, scope and kind. */
export function validateDefinitionUpdate(definition: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(definition, "spec") ?? {};
  const before = objectAt(old, "spec") ?? {};
  checkImmutable("spec.group", spec.group, before.group, errors);
  checkImmutable("spec.scope", spec.scope, before.scope, errors);
  checkImmutable("spec.names.kind", objectAt(spec, "names")?.kind, objectAt(before, "names")?.kind, errors);
}

/** Checks a CustomResourceDefinition before it is stored. */
export function validateDefinition(definition: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(definition, "spec") ?? {};
  const names = objectAt(spec, "names") ?? {};
  const expected = `${textAt(names, "plural")}.${textAt(spec, "group")}`;
  if (textAt(objectAt(definition, "metadata"), "name") !== expected)
    errors.invalid(
      "metadata.name",
      textAt(objectAt(definition, "metadata"), "name"),
      'must be spec.names.plural+"."+spec.group',
    );
  if (textAt(spec, "group") === "") errors.required("spec.group");
  for (const field of ["plural", "singular", "kind", "listKind"])
    if (textAt(names, field) === "") errors.required(`spec.names.${field}`);
  if (spec.scope !== "Namespaced" && spec.scope !== "Cluster")
    errors.notSupported("spec.scope", spec.scope ?? "", ["Cluster", "Namespaced"]);
  const versions = objectsAt(spec, "versions");
  const storage = versions.filter((version) => version.storage === true);
  if (storage.length !== 1)
    errors.invalid("spec.versions", versions, "must have exactly one version marked as storage version");
  for (const [index, version] of versions.entries()) {
    const schema = objectAt(objectAt(version, "schema"), "openAPIV3Schema");
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (schema === undefined) errors.required(path, "schemas are required");
    else if (schema.type !== "object") errors.invalid(`${path}.type`, schema.type ?? "", "must be object at the root");
    else checkStructural(schema, path, errors);
  }
}

/** The rules of structural schemas that people trip over: a type everywhere, keys of map lists. */
function checkStructural(schema: JsonObject, path: string, errors: FieldErrors): void {
  const isAny =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema.type === undefined && !isAny)
    errors.required(`${path}.type`, "must not be empty for specified object fields");
  if (schema.type === "array" && !isJsonObject(schema.items)) errors.required(`${path}.items`, "must be specified");
  if (schema["x-kubernetes-list-type"] === "map" && !Array.isArray(schema["x-kubernetes-list-map-keys"])) {
    errors.required(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map");
  }
  for (const [name, property] of Object.entries(objectAt(schema, "properties") ?? {})) {
    if (isJsonObject(property)) checkStructural(property, `${path}.properties[${name}]`, errors);
  }
  if (isJsonObject(schema.items)) checkStructural(schema.items, `${path}.items`, errors);
  if (isJsonObject(schema.additionalProperties))
    checkStructural(schema.additionalProperties, `${path}.additionalProperties`, errors);
}
