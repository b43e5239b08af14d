import { isJsonObject, type JsonObject } from "../../object/index.ts";

/** Applies a JSON merge patch (RFC 7396): null removes, objects merge, everything else replaces. */
export function applyMergePatch(document: JsonObject, patch: JsonObject): JsonObject {
  const out: Record<string, unknown> = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else if (isJsonObject(value)) {
      const present = Object.hasOwn(out, key) ? out[key] : undefined;
      out[key] = applyMergePatch(isJsonObject(present) ? present : {}, value);
    } else out[key] = value;
  }
  return out;
}
