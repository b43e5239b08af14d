import { isJsonObject } from "./json.ts";
import { equalJson, fieldOf } from "./json-value.ts";
import type { JsonObject, KubeObject } from "./types.ts";
import { LAST_APPLIED_ANNOTATION } from "./well-known.ts";

const MASK = "***";
const MASK_CHANGED = "*** (changed)";
const SECRET_FIELDS: readonly string[] = ["data", "stringData"];

/** Whether an object is a core Secret. */
export function isSecret(object: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return object.kind === "Secret" && object.apiVersion === "v1";
}

/** The object with every value of a Secret replaced by `***`; any other object unchanged. */
export function maskSecret(object: KubeObject): KubeObject {
  return maskSecretPair(object, object).after ?? object;
}

/**
 * Both sides of a comparison without secret values: `***` where both are equal or only one has it, `*** (changed)` on
 * the later side where they differ. kubectl's last-applied annotation, which repeats the values, is masked too. Objects
 * other than Secrets are unchanged.
 */
export function maskSecretPair(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): { readonly before: KubeObject | undefined; readonly after: KubeObject | undefined } {
  return {
    before: before !== undefined && isSecret(before) ? maskAll(before, undefined) : before,
    after: after !== undefined && isSecret(after) ? maskAll(after, before) : after,
  };
}

function maskAll(object: KubeObject, earlier: KubeObject | undefined): KubeObject {
  const masked: Record<string, unknown> = {};
  for (const name of SECRET_FIELDS) {
    const field = object[name];
    if (field !== undefined) masked[name] = maskField(field, earlier?.[name]);
  }
  return { ...object, ...masked, metadata: maskMetadata(object.metadata, earlier?.metadata) };
}

function maskField(field: unknown, earlier: unknown): unknown {
  if (!isJsonObject(field)) return maskValue(field, earlier);
  return Object.fromEntries(
    Object.keys(field).map((name) => [name, maskValue(fieldOf(field, name), fieldOf(earlier, name))]),
  );
}

function maskMetadata(metadata: KubeObject["metadata"], earlier: JsonObject | undefined): KubeObject["metadata"] {
  const text = fieldOf(metadata.annotations, LAST_APPLIED_ANNOTATION);
  if (text === undefined) return metadata;
  const earlierText = fieldOf(fieldOf(earlier, "annotations"), LAST_APPLIED_ANNOTATION);
  return {
    ...metadata,
    annotations: { ...metadata.annotations, [LAST_APPLIED_ANNOTATION]: maskValue(text, earlierText) },
  };
}

function maskValue(value: unknown, earlier: unknown): string {
  return earlier === undefined || equalJson(value, earlier) ? MASK : MASK_CHANGED;
}
