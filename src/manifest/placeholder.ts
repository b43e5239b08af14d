import { CLUSTER_SERVICE_LABEL, type FieldPath, isJsonObject, type JsonObject, MODE_LABEL } from "../object/index.ts";
import { isBuiltIn } from "./keyed-lists.ts";
import { PLACEHOLDER } from "./yaml/index.ts";

/** A placeholder that a template left in an object. */
export interface Placeholder {
  readonly text: string;
  readonly path: FieldPath;
}

/** Fields whose text is the user's own: what looks like a placeholder there may well be meant. */
const FREE_TEXT = new Set([
  "data",
  "stringData",
  "binaryData",
  "annotations",
  "args",
  "command",
  "env",
  "description",
  "expression",
  "messageExpression",
  "message",
  "openAPIV3Schema",
]);

/**
 * Finds `{{ … }}` or `__NAME__` left in an object that parses.
 *
 * The rule: only objects that carry a label of the addon manager are looked at, and of them every string but those under
 * `data`, `stringData`, `binaryData`, `annotations`, `args`, `command`, `env`, and other free text (descriptions,
 * messages and expressions, a CRD's schema). What names the object comes first. Of a kind that is not Kubernetes' own,
 * only `metadata` and fields called `image` are looked at: rules, dashboards and pipelines are made of such braces.
 */
export function findPlaceholder(object: JsonObject): Placeholder | undefined {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return undefined;
  const { labels } = metadata;
  if (!isJsonObject(labels) || !(Object.hasOwn(labels, MODE_LABEL) || Object.hasOwn(labels, CLUSTER_SERVICE_LABEL))) {
    return undefined;
  }
  const { name, namespace } = metadata;
  const named = search(
    { apiVersion: object.apiVersion, kind: object.kind, metadata: { name, namespace } },
    [],
    everywhere,
  );
  if (named !== undefined) return named;
  if (isBuiltIn(String(object.apiVersion), String(object.kind))) return search(object, [], everywhere);
  return search({ metadata }, [], everywhere) ?? search(object, [], (path) => path.at(-1) === "image");
}

const everywhere = (): boolean => true;

function search(value: unknown, path: FieldPath, counts: (path: FieldPath) => boolean): Placeholder | undefined {
  if (typeof value === "string") {
    const match = counts(path) ? PLACEHOLDER.exec(value) : null;
    return match === null ? undefined : { text: match[0], path };
  }
  if (typeof value !== "object" || value === null) return undefined;
  const parts: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [step, part] of parts) {
    const found = FREE_TEXT.has(String(step)) ? undefined : search(part, [...path, step], counts);
    if (found !== undefined) return found;
  }
  return undefined;
}
