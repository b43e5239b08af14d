import { canonicalJson } from "./json.ts";
import type { JsonObject } from "./types.ts";

/**
 * One step into an object: a field name, a list index, the list item with these key fields (`k:`), or the member of a
 * set (`v:`).
 */
export type PathStep = string | number | { readonly key: JsonObject } | { readonly value: unknown };

/** Where a field is, from the object's root: `["metadata", "labels", "app"]`. */
export type FieldPath = readonly PathStep[];

/**
 * A path as people write it: `spec.template.spec.containers[name=c].image`, `spec.ports[port=53,protocol=UDP]`,
 * `metadata.labels["app.kubernetes.io/name"]`, `metadata.finalizers[=x.dev/a]`, `spec.rules[0]`. The root is "".
 */
export function formatPath(path: FieldPath): string {
  let text = "";
  for (const step of path) text += formatStep(step, text === "");
  return text;
}

function formatStep(step: PathStep, isFirst: boolean): string {
  if (typeof step === "number") return `[${step}]`;
  if (typeof step === "string") {
    if (!PLAIN_NAME.test(step)) return `[${JSON.stringify(step)}]`;
    return isFirst ? step : `.${step}`;
  }
  return "key" in step ? `[${formatKey(step.key)}]` : `[=${formatScalar(step.value)}]`;
}

/** Key fields of a list item as people write them: `port=53,protocol=UDP`. */
export function formatKey(key: JsonObject): string {
  return Object.entries(key)
    .map(([name, value]) => `${name}=${formatScalar(value)}`)
    .join(",");
}

function formatScalar(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/;
