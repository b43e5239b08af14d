import { KeelsonError } from "../errors/index.ts";
import { apiVersionOf, isJsonObject, type KubeObject, parseJson } from "../object/index.ts";
import type { ApiResource } from "./resource.ts";

/**
 * The object in a value that the server sent. Lists of built-in kinds leave `apiVersion` and `kind` out of their items,
 * and metadata-only answers name PartialObjectMetadata: both get the resource's own.
 */
export function toKubeObject(value: unknown, resource: ApiResource): KubeObject {
  if (!isJsonObject(value) || !isJsonObject(value.metadata)) {
    throw new KeelsonError("ServerError", `${resource.kind}: the API server sent something that is no object`);
  }
  const isWhole = typeof value.apiVersion === "string" && typeof value.kind === "string";
  if (isWhole && value.kind !== "PartialObjectMetadata") return value as KubeObject;
  return { ...value, apiVersion: apiVersionOf(resource), kind: resource.kind } as KubeObject;
}

/** The JSON object in an answer's text. */
export function parseAnswer(text: string, object: string): { readonly [field: string]: unknown } {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch {
    // A proxy's page, or an answer cut short; told below.
  }
  throw new KeelsonError("ServerError", `${object}: the answer is no JSON object`);
}
