import { isJsonObject, type JsonObject, stringifyJson } from "../../object/index.ts";
import { numberAt, textAt } from "../strategy/index.ts";
import { AGE, type Column, NAME } from "./column.ts";
import { ageOf } from "./duration.ts";

/** The columns of a custom resource, from its `additionalPrinterColumns`. */
export function customColumns(declared: readonly JsonObject[]): readonly Column[] {
  if (declared.length === 0) return [NAME, AGE];
  return [
    NAME,
    ...declared.map((one): Column => {
      const type = textAt(one, "type");
      return {
        name: textAt(one, "name"),
        type,
        wide: (numberAt(one, "priority") ?? 0) > 0,
        cell: (object, now) => customCell(readJsonPath(object, textAt(one, "jsonPath")), type, now),
      };
    }),
  ];
}

function customCell(value: unknown, type: string, now: number): unknown {
  if (value === undefined) return type === "string" || type === "date" ? "" : null;
  if (type === "date") return ageOf(value, now);
  return typeof value === "object" && value !== null ? stringifyJson(value) : type === "string" ? String(value) : value;
}

/** The simple paths that printer columns use: `.spec.a`, `.status.conditions[?(@.type=="Ready")].status`, `.list[0].x`. */
function readJsonPath(object: JsonObject, path: string): unknown {
  const steps = path.match(/[^.[\]]+|\[\?\(@\.[^)]*\)\]|\[\d+\]/g) ?? [];
  let value: unknown = object;
  for (const step of steps) {
    const filter = /^\[\?\(@\.(\w+)\s*==\s*["']?([^"']*)["']?\)\]$/.exec(step);
    if (filter !== null)
      value = Array.isArray(value)
        ? value.find((item) => isJsonObject(item) && String(item[filter[1] ?? ""]) === filter[2])
        : undefined;
    else if (/^\[?\d+\]?$/.test(step) && Array.isArray(value)) value = value[Number(step.replace(/[[\]]/g, ""))];
    else value = isJsonObject(value) ? value[step] : undefined;
  }
  return value;
}
