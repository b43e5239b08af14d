import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { metadataOf } from "../managers/index.ts";
import type { Api } from "../rest/index.ts";
import type { Column } from "./column.ts";
import { customColumns } from "./custom-columns.ts";
import { builtinColumns } from "./table-columns.ts";

/** How a client wants objects: as they are, as a table, or their metadata only. */
export type Representation = "object" | "table" | "metadata";

/** How much of each object a table carries. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** Writes an object or list as a Table. */
export function tableOf(
  api: Api,
  value: JsonObject,
  options: { readonly nowMs: number; readonly include: IncludeObject },
): JsonObject {
  const columns = api.custom === undefined ? builtinColumns(api.table) : customColumns(api.custom.columns);
  const objects = Array.isArray(value.items) ? value.items.filter(isJsonObject) : [value];
  const metadata = Array.isArray(value.items) ? value.metadata : { resourceVersion: metadataOf(value).resourceVersion };
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: columns.map(definitionOf),
    rows: objects.map((object) => rowOf(api, object, columns, options)),
  };
}

function definitionOf(column: Column): JsonObject {
  return {
    name: column.name,
    type: column.type,
    format: column.name === "Name" ? "name" : "",
    description: "",
    priority: column.wide === true ? 1 : 0,
  };
}

function rowOf(
  api: Api,
  object: JsonObject,
  columns: readonly Column[],
  options: { readonly nowMs: number; readonly include: IncludeObject },
): JsonObject {
  const cells = columns.map((column) => column.cell(object, options.nowMs));
  if (options.include === "None") return { cells };
  const full = { ...object, kind: api.kind, apiVersion: api.apiVersion };
  return { cells, object: options.include === "Object" ? full : metadataOnly(object) };
}

/** An object with its metadata only. */
export function metadataOnly(object: JsonObject): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: metadataOf(object) };
}

/** A list with the metadata of its items only. */
export function metadataOnlyList(list: JsonObject): JsonObject {
  const items = Array.isArray(list.items) ? list.items.filter(isJsonObject).map(metadataOnly) : [];
  return { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata: list.metadata, items };
}
