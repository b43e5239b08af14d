import { isJsonObject, type JsonObject } from "../../object/index.ts";
import type { Api, ApiRegistry } from "../rest/index.ts";
import type { BuiltinTypes, FieldNode, TypeNode } from "../schema/index.ts";

/** Names, types and merge keys of one group and version as OpenAPI 3; without descriptions, which the data file has none of. */
export function openApiV3(apis: ApiRegistry, types: BuiltinTypes, group: string, version: string): JsonObject {
  const writer = new SchemaWriter("#/components/schemas/");
  const paths: Record<string, unknown> = {};
  for (const api of apis.all.filter((one) => one.group === group && one.version === version)) {
    writer.addKind(api, types);
    paths[collectionPath(api)] = { patch: operationOf(api, "patch"), post: operationOf(api, "post") };
    paths[`${collectionPath(api)}/{name}`] = { patch: operationOf(api, "patch"), put: operationOf(api, "put") };
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "unversioned" },
    paths,
    components: { schemas: writer.schemas },
  };
}

/** Everything as OpenAPI 2. */
export function openApiV2(apis: ApiRegistry, types: BuiltinTypes): JsonObject {
  const writer = new SchemaWriter("#/definitions/");
  for (const api of apis.all) writer.addKind(api, types);
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "unversioned" },
    paths: {},
    definitions: writer.schemas,
  };
}

/** The index of OpenAPI 3 documents. */
export function openApiIndex(apis: ApiRegistry): JsonObject {
  const paths: Record<string, unknown> = {};
  for (const api of apis.all) {
    const path = api.group === "" ? `api/${api.version}` : `apis/${api.group}/${api.version}`;
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}` };
  }
  return { paths };
}

function collectionPath(api: Api): string {
  const root = api.group === "" ? `/api/${api.version}` : `/apis/${api.group}/${api.version}`;
  return `${root}/${api.namespaced ? "namespaces/{namespace}/" : ""}${api.resource}`;
}

/** kubectl looks here for the parameters that the server understands. */
function operationOf(api: Api, action: string): JsonObject {
  const parameters = ["dryRun", "fieldManager", "fieldValidation"].map((name) => ({
    name,
    in: "query",
    schema: { type: "string", uniqueItems: true },
  }));
  return {
    parameters,
    responses: {},
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: api.group, version: api.version, kind: api.kind },
  };
}

class SchemaWriter {
  readonly schemas: Record<string, JsonObject> = {};
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  addKind(api: Api, types: BuiltinTypes): void {
    const kind = [{ group: api.group, version: api.version, kind: api.kind }];
    if (api.custom === undefined) {
      const name = this.#reference(api.type);
      const schema = name === undefined ? undefined : this.schemas[name];
      if (name !== undefined && schema !== undefined)
        this.schemas[name] = { ...schema, "x-kubernetes-group-version-kind": kind };
      return;
    }
    const name = `${api.group.split(".").reverse().join(".")}.${api.version}.${api.kind}`;
    const metadata = { allOf: [{ $ref: this.#prefix + (this.#reference(types.named("meta.v1.ObjectMeta")) ?? "") }] };
    const properties = isJsonObject(api.custom.schema.properties) ? api.custom.schema.properties : {};
    const own = { apiVersion: { type: "string" }, kind: { type: "string" }, ...properties, metadata };
    this.schemas[name] = { ...api.custom.schema, properties: own, "x-kubernetes-group-version-kind": kind };
  }

  /** The full name of a named type, whose schema is written the first time. */
  #reference(type: TypeNode): string | undefined {
    if (type.name === undefined) return undefined;
    const name = fullName(type.name);
    if (this.schemas[name] === undefined) {
      this.schemas[name] = {};
      this.schemas[name] = this.#body(type);
    }
    return name;
  }

  #body(type: TypeNode): JsonObject {
    switch (type.go) {
      case "struct":
        return this.#struct(type);
      case "list":
        return this.#list(type);
      case "map":
        return { type: "object", additionalProperties: this.#schema(type.map?.element) };
      case "raw":
        return { type: "object" };
      case "quantity":
        return { oneOf: [{ type: "string" }, { type: "number" }] };
      case "int-or-string":
        return { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] };
      default:
        return SCALARS[type.go ?? "string"] ?? { type: "string" };
    }
  }

  #struct(type: TypeNode): JsonObject {
    const fields = [...(type.map?.fields ?? [])];
    const properties = Object.fromEntries(fields.map(([name, field]) => [name, this.#field(field)]));
    const required = fields.filter(([, field]) => field.required).map(([name]) => name);
    return {
      type: "object",
      properties,
      ...(required.length === 0 ? {} : { required }),
      ...(type.map?.atomic === true ? { "x-kubernetes-map-type": "atomic" } : {}),
    };
  }

  #field(field: FieldNode): JsonObject {
    return {
      ...this.#schema(field.type),
      ...(field.default === undefined ? {} : { default: field.default }),
      ...(field.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patchStrategy }),
      ...(field.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
    };
  }

  #schema(type: TypeNode | undefined): JsonObject {
    if (type === undefined) return {};
    const name = this.#reference(type);
    return name === undefined ? this.#body(type) : { allOf: [{ $ref: this.#prefix + name }] };
  }

  #list(type: TypeNode): JsonObject {
    const list = type.list;
    const keys = list?.keys ?? [];
    return {
      type: "array",
      items: this.#schema(list?.element),
      "x-kubernetes-list-type": list?.atomic !== false ? "atomic" : keys.length > 0 ? "map" : "set",
      ...(keys.length === 0 ? {} : { "x-kubernetes-list-map-keys": keys }),
    };
  }
}

const SCALARS: Readonly<Record<string, JsonObject>> = {
  string: { type: "string" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bool: { type: "boolean" },
  bytes: { type: "string", format: "byte" },
  time: { type: "string", format: "date-time" },
  microtime: { type: "string", format: "date-time" },
};

const PACKAGES: readonly (readonly [RegExp, string])[] = [
  [/^meta\.v1\./, "io.k8s.apimachinery.pkg.apis."],
  [/^resource\.Quantity$/, "io.k8s.apimachinery.pkg.api."],
  [/^intstr\./, "io.k8s.apimachinery.pkg.util."],
  [/^runtime\./, "io.k8s.apimachinery.pkg."],
  [/^apiextensions\./, "io.k8s.apiextensions-apiserver.pkg.apis."],
  [/^apiregistration\./, "io.k8s.kube-aggregator.pkg.apis."],
];

function fullName(short: string): string {
  const prefix = PACKAGES.find(([pattern]) => pattern.test(short))?.[1] ?? "io.k8s.api.";
  return `${prefix}${short}`;
}
