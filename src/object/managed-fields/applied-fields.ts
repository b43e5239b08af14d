import { fieldNamesOf } from "../json-value.ts";

/** What identifies an object or is the server's own: managedFields never hold it (apimachinery, `stripMeta`). */
const UNOWNED_METADATA: ReadonlySet<string> = new Set([
  "clusterName",
  "creationTimestamp",
  "generation",
  "managedFields",
  "name",
  "namespace",
  "resourceVersion",
  "selfLink",
  "uid",
]);

const UNOWNED_ROOT: ReadonlySet<string> = new Set(["apiVersion", "kind"]);

/** Where a walk through an object stands, as far as the fields that nobody can own are concerned. */
export type Level = "root" | "metadata" | "content";

/** The fields of a node that an apply owns, or whose content it owns. */
export function appliedNames(node: object, level: Level): readonly string[] {
  const names = fieldNamesOf(node);
  if (level === "content") return names;
  const unowned = level === "root" ? UNOWNED_ROOT : UNOWNED_METADATA;
  return names.filter((name) => !unowned.has(name));
}

/** The level of the field `name` of a node. */
export function levelBelow(level: Level, name: string): Level {
  return level === "root" && name === "metadata" ? "metadata" : "content";
}
