import { isJsonObject } from "../object/index.ts";
import { parseFieldPath, type Selector, selectsItem } from "./field-selector.ts";
import { flatten } from "./flatten.ts";
import { lineAt, type Positions, readDocuments, type ValueDocument } from "./yaml/index.ts";

/**
 * The 1-based line of a field of an object, for error messages. Reads the file again, so it is for the rare case that
 * something is to be reported.
 *
 * @param text the whole file
 * @param line the object's `origin.line`
 * @param path as people and the API server write it: `spec.replicas`, `.spec.containers[name="a"].image`
 * @returns the line of the field, else that of the nearest parent which is there; undefined where no object starts at `line`
 */
export function lineOf(text: string | Uint8Array, line: number, path: string): number | undefined {
  for (const document of readDocuments(text, { withParts: true })) {
    if (document.kind === "fault") continue;
    const item = flatten(document).find((candidate) => candidate.line === line);
    if (item !== undefined) return lineIn(document, item.value, parseFieldPath(path) ?? []) ?? line;
  }
  return undefined;
}

/** The line of a path in a document that was read without places. */
export function lineOfPath(document: ValueDocument, path: readonly (string | number)[]): number {
  const [again] = readDocuments(document.text, { withParts: true });
  const start = lineAt(document, document.start);
  if (again?.kind !== "value") return start;
  const selectors = path.map(
    (step): Selector => (typeof step === "number" ? { kind: "index", index: step } : { kind: "field", name: step }),
  );
  return lineIn({ ...document, positions: again.positions }, again.value, selectors) ?? start;
}

type Place = Pick<ValueDocument, "text" | "firstLine"> & { readonly positions: Positions };

function lineIn(document: Place, value: unknown, path: readonly Selector[]): number | undefined {
  let found: number | undefined;
  let current = value;
  for (let rest = path; rest.length > 0; ) {
    const step = stepInto(current, rest);
    const container = current;
    if (step === undefined || typeof container !== "object" || container === null) break;
    const offset = document.positions.parts?.get(container)?.get(step.key);
    if (offset !== undefined) found = lineAt(document, offset);
    current = step.value;
    rest = rest.slice(step.length);
  }
  return found;
}

interface Step {
  readonly key: string | number;
  readonly value: unknown;
  /** How many selectors it takes: a key with dots looks like several fields. */
  readonly length: number;
}

function stepInto(value: unknown, path: readonly Selector[]): Step | undefined {
  const [first] = path;
  if (first === undefined) return undefined;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const index = list.findIndex((item, at) => selectsItem(first, item, at));
    return index < 0 ? undefined : { key: index, value: list[index], length: 1 };
  }
  if (!isJsonObject(value)) return undefined;
  const names = fieldNames(path);
  for (let length = names.length; length > 0; length -= 1) {
    const key = names.slice(0, length).join(".");
    if (Object.hasOwn(value, key)) return { key, value: value[key], length };
  }
  return undefined;
}

function fieldNames(path: readonly Selector[]): readonly string[] {
  const names: string[] = [];
  for (const selector of path) {
    if (selector.kind !== "field") break;
    names.push(selector.name);
  }
  return names;
}
