import { KeelsonError } from "../errors/index.ts";
import type { KubeObject } from "./types.ts";

/** One operation of a JSON patch (RFC 6902), as far as Keelson sends them. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** The body of a `application/json-patch+json` request. */
export type JsonPatch = readonly JsonPatchOperation[];

/** A JSON pointer (RFC 6901) to the field behind these names and indices. */
export function jsonPointer(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * Makes the operations hold only while `live` is current. `replace` and not `test`: a stale one then answers 409
 * Conflict and not the 422 without details that any failed test gives (observed on 1.37).
 */
export function guardedPatch(live: KubeObject, operations: JsonPatch): JsonPatch {
  const { resourceVersion } = live.metadata;
  if (resourceVersion === undefined) throw new KeelsonError("Internal", "a guarded patch needs a live object");
  return [{ op: "replace", path: "/metadata/resourceVersion", value: resourceVersion }, ...operations];
}
