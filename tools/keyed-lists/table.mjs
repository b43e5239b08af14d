/**
 * Makes the table of keyed lists from OpenAPI v3 documents of an API server.
 *
 * `kinds` maps `apiVersion/kind` to a type; `types` maps a type to those of its fields that lead to a keyed list:
 *   "T"               an object of type T
 *   ["T"]             a list or map of T without keys
 *   ["T", "k", "k=d"] a list keyed by k; d is what the server puts where the key is missing
 *   ["", "*"]         a list that is a set of scalars
 * Types that lead to none are left out, and so is `status`, which is never applied.
 */
const REF = "#/components/schemas/";

/** @param {readonly object[]} documents */
export function keyedLists(documents) {
  const schemas = Object.assign({}, ...documents.map((document) => document.components?.schemas ?? {}));
  const types = pruned(
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, fieldsOf(schema, schemas)])),
  );
  const kinds = {};
  for (const [name, schema] of Object.entries(schemas)) {
    if (types[name] === undefined || schema.properties?.metadata === undefined) continue;
    for (const gvk of schema["x-kubernetes-group-version-kind"] ?? []) {
      if (!gvk.kind.endsWith("List"))
        kinds[`${gvk.group === "" ? "" : `${gvk.group}/`}${gvk.version}/${gvk.kind}`] = name;
    }
  }
  return renamed(kinds, reachable(kinds, types));
}

function fieldsOf(schema, schemas) {
  const fields = {};
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (field === "status" && schema["x-kubernetes-group-version-kind"] !== undefined) continue;
    const shape = shapeOf(property, schemas);
    if (shape !== undefined) fields[field] = shape;
  }
  return fields;
}

function shapeOf(property, schemas) {
  const ref = refOf(property);
  if (ref !== undefined) return ref;
  const element = refOf(property.items ?? property.additionalProperties ?? {});
  if (property["x-kubernetes-list-type"] === "set") return ["", "*"];
  if (property["x-kubernetes-list-type"] !== "map") return element === undefined ? undefined : [element];
  return [element ?? "", ...property["x-kubernetes-list-map-keys"].map((key) => keyOf(key, schemas[element]))];
}

function refOf(property) {
  const ref = property.$ref ?? property.allOf?.[0]?.$ref;
  return ref?.startsWith(REF) ? ref.slice(REF.length) : undefined;
}

function keyOf(key, element) {
  const fallback = element?.properties?.[key]?.default;
  return typeof fallback === "string" && fallback !== "" ? `${key}=${fallback}` : key;
}

const typeOf = (shape) => (Array.isArray(shape) ? shape[0] : shape);
const isKeyed = (shape) => Array.isArray(shape) && shape.length > 1;

/** Leaves only what leads to a keyed list, and drops the type of a shape that leads nowhere further. */
function pruned(types) {
  const useful = new Set();
  for (let grown = true; grown; ) {
    grown = false;
    for (const [name, fields] of Object.entries(types)) {
      if (useful.has(name)) continue;
      if (!Object.values(fields).some((shape) => isKeyed(shape) || useful.has(typeOf(shape)))) continue;
      useful.add(name);
      grown = true;
    }
  }
  const trim = (shape) => (useful.has(typeOf(shape)) ? shape : isKeyed(shape) ? ["", ...shape.slice(1)] : undefined);
  return Object.fromEntries(
    [...useful].map((name) => [
      name,
      Object.fromEntries(
        Object.entries(types[name])
          .map(([field, shape]) => [field, trim(shape)])
          .filter(([, shape]) => shape !== undefined),
      ),
    ]),
  );
}

function reachable(kinds, types) {
  const seen = {};
  const visit = (name) => {
    if (seen[name] !== undefined || types[name] === undefined) return;
    seen[name] = types[name];
    for (const shape of Object.values(types[name])) visit(typeOf(shape));
  };
  for (const name of Object.values(kinds)) visit(name);
  return seen;
}

/** Short names, in a stable order: `io.k8s.api.apps.v1.Deployment` is `apps.v1.Deployment`. */
function renamed(kinds, types) {
  const short = (name) =>
    name.replace(
      /^io\.k8s\.(?:api|kube-aggregator\.pkg\.apis|apiextensions-apiserver\.pkg\.apis|apimachinery\.pkg\.apis)\./,
      "",
    );
  const shape = (value) => (Array.isArray(value) ? [short(value[0]), ...value.slice(1)] : short(value));
  const sorted = (entries) => Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    kinds: sorted(Object.entries(kinds).map(([kind, name]) => [kind, short(name)])),
    types: sorted(
      Object.entries(types).map(([name, fields]) => [
        short(name),
        sorted(Object.entries(fields).map(([field, value]) => [field, shape(value)])),
      ]),
    ),
  };
}
