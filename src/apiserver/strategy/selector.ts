import type { JsonObject } from "../../object/index.ts";
import { objectAt, objectsAt, textAt, textsAt } from "./draft.ts";

/** Whether labels match a label selector (`matchLabels` and `matchExpressions`); an empty selector matches all. */
export function matchesSelector(selector: JsonObject, labels: JsonObject): boolean {
  const wanted = objectAt(selector, "matchLabels") ?? {};
  if (Object.entries(wanted).some(([key, value]) => labels[key] !== value)) return false;
  return objectsAt(selector, "matchExpressions").every((requirement) => matchesRequirement(requirement, labels));
}

function matchesRequirement(requirement: JsonObject, labels: JsonObject): boolean {
  const value = labels[textAt(requirement, "key")];
  const values = textsAt(requirement, "values");
  switch (requirement.operator) {
    case "In":
      return typeof value === "string" && values.includes(value);
    case "NotIn":
      return typeof value !== "string" || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
