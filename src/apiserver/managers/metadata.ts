import { isJsonObject, type JsonObject } from "../../object/index.ts";

/** An object's `metadata`; empty where it has none. */
export function metadataOf(object: JsonObject): JsonObject {
  return isJsonObject(object.metadata) ? object.metadata : {};
}

/** The object with fields of its metadata replaced; undefined removes a field. */
export function withMetadata(object: JsonObject, changes: Readonly<Record<string, unknown>>): JsonObject {
  const metadata: Record<string, unknown> = { ...metadataOf(object) };
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) delete metadata[key];
    else metadata[key] = value;
  }
  return { ...object, metadata };
}

/** A text field of the metadata; "" where it is absent. */
export function metaText(object: JsonObject, field: string): string {
  const value = metadataOf(object)[field];
  return typeof value === "string" ? value : "";
}

/** The annotations, labels or another text map of the metadata. */
export function metaMap(object: JsonObject, field: "annotations" | "labels"): Readonly<Record<string, string>> {
  const value = metadataOf(object)[field];
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
