import { isJsonObject } from "../json.ts";
import { equalJson, fieldNamesOf, fieldOf } from "../json-value.ts";
import { parseApiVersion } from "../ref.ts";
import type { KubeObject } from "../types.ts";

/**
 * What the API server adds inside atomic values of its own kinds: `subjects[].apiGroup` (RBAC), `fieldRef.apiVersion`,
 * `resourceFieldRef.divisor`, `ports[].protocol` (NetworkPolicy), `serviceAccountToken.expirationSeconds` (projected
 * volumes). An atomic value is ours as a whole, so a default in it shows as text of ours that the manifest lacks. Any
 * other extra field is a difference, and so is another value.
 */
const DEFAULTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["apiGroup", "rbac.authorization.k8s.io"],
  ["apiVersion", "v1"],
  ["divisor", "0"],
  ["protocol", "TCP"],
  ["expirationSeconds", 3600],
]);

const NONE: ReadonlyMap<string, unknown> = new Map();

/** The defaults that may stand in atomic values of this object; none for custom resources, whose schemas are not known. */
export function atomicDefaultsOf(object: Pick<KubeObject, "apiVersion">): ReadonlyMap<string, unknown> {
  const { group } = parseApiVersion(object.apiVersion);
  return !group.includes(".") || group.endsWith(".k8s.io") ? DEFAULTS : NONE;
}

/** Whether two atomic values are equal, defaults in the live one aside. */
export function equalsAtomic(live: unknown, desired: unknown, defaults: ReadonlyMap<string, unknown>): boolean {
  if (Array.isArray(desired)) {
    return (
      Array.isArray(live) &&
      live.length === desired.length &&
      desired.every((item, at) => equalsAtomic(live[at], item, defaults))
    );
  }
  if (!isJsonObject(desired) || !isJsonObject(live)) return equalJson(live, desired);
  const names = new Set([...fieldNamesOf(live), ...fieldNamesOf(desired)]);
  return [...names].every((name) => {
    const [is, should] = [fieldOf(live, name), fieldOf(desired, name)];
    return should === undefined ? is === defaults.get(name) : equalsAtomic(is, should, defaults);
  });
}
