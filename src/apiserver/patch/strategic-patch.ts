import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { equalValues } from "../merge/index.ts";
import { type FieldNode, type TypeNode, typeOfKey } from "../schema/index.ts";

const PATCH = "$patch";
const RETAIN = "$retainKeys";
const DELETE_PREFIX = "$deleteFromPrimitiveList/";
const ORDER_PREFIX = "$setElementOrder/";

/** A strategic merge patch that makes no sense. */
export class StrategicPatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StrategicPatchError";
  }
}

/** Applies a strategic merge patch: maps merge, lists merge by their patch key where the type says so. */
export function applyStrategicPatch(document: JsonObject, patch: JsonObject, type: TypeNode): JsonObject {
  return mergeMap(document, patch, type) ?? {};
}

type Strategy = {
  readonly type: TypeNode | undefined;
  readonly merge: boolean;
  readonly replace: boolean;
  readonly key: string;
};

function strategyOf(type: TypeNode | undefined, name: string): Strategy {
  const field: FieldNode | undefined = type?.map?.fields.get(name);
  const strategies = field?.patchStrategy?.split(",") ?? [];
  const fieldType = type?.map === undefined ? undefined : typeOfKey(type.map, name);
  return {
    type: fieldType,
    merge: strategies.includes("merge"),
    replace: strategies.includes("replace"),
    key: field?.patchMergeKey ?? "",
  };
}

/** undefined: the map is to be deleted. */
function mergeMap(original: JsonObject, patch: JsonObject, type: TypeNode | undefined): JsonObject | undefined {
  const directive = patch[PATCH];
  if (directive === "replace") return withoutKey(patch, PATCH);
  if (directive === "delete") return {};
  if (directive !== undefined) throw new StrategicPatchError(`Unknown patch type found: ${String(directive)}`);
  const out: Record<string, unknown> = retain(original, patch[RETAIN]);
  const rest = new Map(Object.entries(patch));
  rest.delete(RETAIN);
  for (const [key, order] of [...rest]) {
    if (key.startsWith(ORDER_PREFIX)) applyOrder(out, rest, { key, order, type });
  }
  for (const [key, value] of rest) mergeField(out, key, value, type);
  return out;
}

function withoutKey(value: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

function retain(original: JsonObject, keys: unknown): Record<string, unknown> {
  if (!Array.isArray(keys)) return { ...original };
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

function mergeField(out: Record<string, unknown>, key: string, value: unknown, type: TypeNode | undefined): void {
  if (key.startsWith(DELETE_PREFIX)) {
    const name = key.slice(DELETE_PREFIX.length);
    const list = out[name];
    if (Array.isArray(list) && Array.isArray(value))
      out[name] = list.filter((item) => !value.some((gone) => equalValues(gone, item)));
    return;
  }
  if (value === null) {
    delete out[key];
    return;
  }
  const present = out[key];
  const strategy = strategyOf(type, key);
  if (isJsonObject(value) && isJsonObject(present) && !strategy.replace)
    out[key] = mergeMap(present, value, strategy.type);
  else if (Array.isArray(value) && Array.isArray(present)) out[key] = mergeList(present, value, strategy);
  else out[key] = dropDirectives(value);
}

/** A value that meets nothing to merge with: directives go, nulls mean absence, deleted items are not there. */
function dropDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !(isJsonObject(item) && item[PATCH] !== undefined && item[PATCH] !== "merge"))
      .map(dropDirectives);
  }
  if (!isJsonObject(value)) return value;
  if (value[PATCH] === "delete") return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, item]) =>
          item !== null &&
          key !== PATCH &&
          key !== RETAIN &&
          !key.startsWith(ORDER_PREFIX) &&
          !key.startsWith(DELETE_PREFIX),
      )
      .map(([key, item]) => [key, dropDirectives(item)]),
  );
}

function mergeList(original: readonly unknown[], patch: readonly unknown[], strategy: Strategy): readonly unknown[] {
  if (!strategy.merge) return patch.map(dropDirectives);
  if (original.length === 0 && patch.length === 0) return original;
  const hasMaps = [...original, ...patch].some(isJsonObject);
  if (!hasMaps) {
    const merged = [...new Set([...original, ...patch])];
    return ordered({ merged, order: patch, server: original, key: "" });
  }
  if (strategy.key === "") throw new StrategicPatchError("cannot merge lists without merge key");
  const special = applySpecialItems(original, patch, strategy.key);
  const merged: unknown[] = [...special.original];
  for (const item of special.patch) {
    if (!isJsonObject(item)) continue;
    const wanted = item[strategy.key];
    if (wanted === undefined)
      throw new StrategicPatchError(
        `map: ${JSON.stringify(item)} does not contain declared merge key: ${strategy.key}`,
      );
    const at = merged.findIndex((other) => isJsonObject(other) && equalValues(other[strategy.key], wanted));
    const present = merged[at];
    if (isJsonObject(present)) merged[at] = mergeMap(present, item, strategy.type?.list?.element);
    else merged.push(dropDirectives(item));
  }
  return ordered({ merged, order: special.patch, server: special.original, key: strategy.key });
}

/** Items with `$patch: delete` remove, one with `$patch: replace` empties the list first. */
function applySpecialItems(
  original: readonly unknown[],
  patch: readonly unknown[],
  key: string,
): { readonly original: readonly unknown[]; readonly patch: readonly unknown[] } {
  let kept = original;
  const rest: unknown[] = [];
  for (const item of patch) {
    const directive = isJsonObject(item) ? item[PATCH] : undefined;
    if (directive === "replace")
      return {
        original: [],
        patch: patch.filter((other) => other !== item && !(isJsonObject(other) && other[PATCH] !== undefined)),
      };
    if (directive === "delete" && isJsonObject(item)) {
      kept = kept.filter((other) => !(isJsonObject(other) && equalValues(other[key], item[key])));
    } else rest.push(directive === "merge" && isJsonObject(item) ? withoutKey(item, PATCH) : item);
  }
  return { original: kept, patch: rest };
}

interface Ordering {
  readonly merged: readonly unknown[];
  readonly order: readonly unknown[];
  readonly server: readonly unknown[];
  readonly key: string;
}

/** Items of the patch in its order, the server's own in theirs, interleaved by the order that the server had. */
function ordered({ merged, order, server, key }: Ordering): readonly unknown[] {
  const same = (a: unknown, b: unknown): boolean =>
    key === "" ? equalValues(a, b) : isJsonObject(a) && isJsonObject(b) && equalValues(a[key], b[key]);
  const rank = (list: readonly unknown[], item: unknown): number => list.findIndex((other) => same(other, item));
  const byRank = (items: readonly unknown[], list: readonly unknown[]): unknown[] =>
    items
      .map((item) => ({ item, at: rank(list, item) }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  const fromPatch = byRank(
    merged.filter((item) => rank(order, item) >= 0),
    order,
  );
  const fromServer = byRank(
    merged.filter((item) => rank(order, item) < 0),
    server,
  );
  const out: unknown[] = [];
  while (fromPatch.length > 0 || fromServer.length > 0) {
    const left = rank(server, fromServer[0]);
    const right = rank(server, fromPatch[0]);
    const takeServer = fromPatch.length === 0 || (fromServer.length > 0 && left >= 0 && right >= 0 && left < right);
    out.push(takeServer ? fromServer.shift() : fromPatch.shift());
  }
  return out;
}

/** `$setElementOrder/x` with what the patch has for x. */
function applyOrder(
  out: Record<string, unknown>,
  rest: Map<string, unknown>,
  directive: { readonly key: string; readonly order: unknown; readonly type: TypeNode | undefined },
): void {
  const name = directive.key.slice(ORDER_PREFIX.length);
  rest.delete(directive.key);
  const order = Array.isArray(directive.order) ? directive.order : [];
  const present = out[name];
  const patched = rest.get(name);
  const deletions = rest.get(`${DELETE_PREFIX}${name}`);
  const strategy = strategyOf(directive.type, name);
  let original: readonly unknown[] = Array.isArray(present) ? present : [];
  if (Array.isArray(deletions))
    original = original.filter((item) => !deletions.some((gone) => equalValues(gone, item)));
  let merged = original;
  if (Array.isArray(patched)) {
    merged = Array.isArray(present)
      ? mergeList(original, patched, strategy)
      : patched.filter((item) => !(isJsonObject(item) && item[PATCH] === "delete")).map(dropDirectives);
    rest.delete(name);
  } else if (!Array.isArray(present)) return;
  out[name] = ordered({ merged, order, server: original, key: strategy.key });
}
