import { canonicalJson, type FieldPath, isJsonObject, type JsonObject } from "../object/index.ts";
import table from "./keyed-lists.json" with { type: "json" };

/** The shape of a field; `tools/keyed-lists/table.mjs` describes it. */
type Shape = string | readonly string[];
type Fields = readonly (readonly [string, Shape])[];

const KINDS: ReadonlyMap<string, string> = new Map(Object.entries(table.kinds));
const TYPES: ReadonlyMap<string, Fields> = new Map(
  Object.entries<Readonly<Record<string, Shape>>>(table.types).map(([type, fields]) => [type, Object.entries(fields)]),
);

/** A list in which items were dropped. */
export interface DuplicateKeys {
  /** The list. */
  readonly path: FieldPath;
  /** The keys that stood more than once, as people write them: `name=A`. */
  readonly keys: readonly string[];
}

/** An object without its duplicates, and what was dropped. */
export interface Deduplicated {
  readonly object: JsonObject;
  readonly duplicates: readonly DuplicateKeys[];
}

/** Whether the kind is one of Kubernetes' own, in a version of which the table knows the schema. */
export function isBuiltIn(apiVersion: string, kind: string): boolean {
  return KINDS.has(`${apiVersion}/${kind}`);
}

/**
 * Keeps the last item of each key in every keyed list of a built-in kind, at the last one's place. `kubectl apply`
 * accepts a repeated key and the last one wins; a server-side apply is refused ("duplicate entries for key"), whatever
 * the field validation. Lists of other kinds are left alone: their schema is in the cluster.
 */
export function withoutDuplicateKeys(object: JsonObject): Deduplicated {
  const type = KINDS.get(`${String(object.apiVersion)}/${String(object.kind)}`);
  if (type === undefined) return { object, duplicates: [] };
  const duplicates: DuplicateKeys[] = [];
  return { object: walkObject(object, type, { parent: undefined, step: "", duplicates }), duplicates };
}

/** Where the walk is, as a chain: paths are wanted for duplicates only, and those are rare. */
interface Walk {
  readonly parent: Walk | undefined;
  readonly step: string | number;
  readonly duplicates: DuplicateKeys[];
}

function below(parent: Walk, step: string | number): Walk {
  return { parent, step, duplicates: parent.duplicates };
}

function pathOf(walk: Walk): FieldPath {
  return walk.parent === undefined ? [] : [...pathOf(walk.parent), walk.step];
}

function walkObject(object: JsonObject, type: string, walk: Walk): JsonObject {
  const fields = TYPES.get(type);
  if (fields === undefined) return object;
  let result = object;
  for (const [field, shape] of fields) {
    if (!Object.hasOwn(object, field)) continue;
    const value = walkField(object[field], shape, below(walk, field));
    if (value !== object[field]) result = { ...result, [field]: value };
  }
  return result;
}

function walkField(value: unknown, shape: Shape, walk: Walk): unknown {
  if (typeof shape === "string") return isJsonObject(value) ? walkObject(value, shape, walk) : value;
  const [type = "", ...keys] = shape;
  if (isJsonObject(value)) return walkMap(value, type, walk);
  if (!Array.isArray(value)) return value;
  const list: readonly unknown[] = value;
  const kept = keys.length === 0 ? list : lastOfEachKey(list, keys, walk);
  if (type === "") return kept;
  const walked = kept.map((item, index) => (isJsonObject(item) ? walkObject(item, type, below(walk, index)) : item));
  return walked.length === list.length && walked.every((item, index) => item === list[index]) ? value : walked;
}

function walkMap(value: JsonObject, type: string, walk: Walk): JsonObject {
  let result = value;
  for (const [key, item] of Object.entries(value)) {
    const walked = isJsonObject(item) ? walkObject(item, type, below(walk, key)) : item;
    if (walked !== item) result = { ...result, [key]: walked };
  }
  return result;
}

function lastOfEachKey(list: readonly unknown[], keys: readonly string[], walk: Walk): readonly unknown[] {
  if (list.length < 2) return list;
  const last = new Map<string, number>();
  const repeated = new Set<string>();
  const names = list.map((item) => keyOf(item, keys));
  for (const [index, name] of names.entries()) {
    if (name === undefined) continue;
    if (last.has(name)) repeated.add(name);
    last.set(name, index);
  }
  if (repeated.size === 0) return list;
  walk.duplicates.push({ path: pathOf(walk), keys: [...repeated] });
  return list.filter((_, index) => names[index] === undefined || last.get(names[index] ?? "") === index);
}

/** The item's key as people write it; undefined where a part is missing and has no default: the server says what is wrong. */
function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (keys[0] === "*") return typeof item === "object" ? undefined : canonicalJson(item);
  if (!isJsonObject(item)) return undefined;
  const parts: string[] = [];
  for (const spec of keys) {
    const [key = "", fallback] = spec.split("=");
    const value = Object.hasOwn(item, key) ? item[key] : fallback;
    if (value === undefined || value === null || typeof value === "object") return undefined;
    parts.push(`${key}=${typeof value === "string" ? value : canonicalJson(value)}`);
  }
  return parts.join(",");
}
