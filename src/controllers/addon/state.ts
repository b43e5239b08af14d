import { gunzipSync, gzipSync } from "node:zlib";
import type { EngineState } from "../../converge/index.ts";
import { isJsonObject } from "../../object/index.ts";

/** Keys of the status ConfigMap. */
export const STATUS_KEY = "status.json";
/** Base64 of gzipped JSON: a set of 20,000 held objects stays far below the limit of 1 MiB. */
export const STATE_KEY = "state";

/** Encodes what has to survive a restart. Equal states have equal texts. */
export function encodeState(state: EngineState): string {
  return gzipSync(JSON.stringify(state), { level: 6 }).toString("base64");
}

/** Decodes it; undefined where it is missing or damaged (then nothing is known, and what is missing is held rather than pruned). */
export function decodeState(text: string | undefined): EngineState | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(
      gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: 64 << 20 }).toString(),
    );
    return isEngineState(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEngineState(value: unknown): value is EngineState {
  if (!isJsonObject(value) || !isTexts(value.kinds) || !isTexts(value.confirmed)) return false;
  const missing = value.missing;
  return (
    isJsonObject(missing) &&
    isTexts(missing.broken) &&
    typeof missing.wasEmpty === "boolean" &&
    isMissingList(missing.missing)
  );
}

function isMissingList(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every(
    (entry: unknown) =>
      isJsonObject(entry) &&
      typeof entry.key === "string" &&
      typeof entry.sinceEmpty === "boolean" &&
      isTexts(entry.knownBroken),
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
