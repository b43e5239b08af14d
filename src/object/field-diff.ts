import { type FieldPath, formatKey, formatPath } from "./field-path.ts";
import { canonicalJson, isJsonObject } from "./json.ts";
import { equalJson, fieldNamesOf, fieldOf } from "./json-value.ts";
import { guessKeyNames, keyOf } from "./list-keys.ts";
import { maskSecretPair } from "./mask-secret.ts";
import type { KubeObject } from "./types.ts";

/** One difference: `before` is undefined where the field was added, `after` where it was removed. */
export interface FieldChange {
  /** As {@link formatPath} writes it: `spec.template.spec.containers[name=c].image`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What {@link fieldDiff} leaves out. */
export interface FieldDiffOptions {
  /**
   * Paths left out, with all below them. Default: {@link SERVER_FIELDS}, what the server writes by itself. An empty list
   * compares everything.
   */
  readonly ignore?: readonly string[];
}

/** The fields of a live object that are the server's bookkeeping. */
export const SERVER_FIELDS: readonly string[] = [
  "metadata.managedFields",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.uid",
  "metadata.creationTimestamp",
  "metadata.selfLink",
];

/**
 * How two objects differ, field by field, in the order of their fields. List items are paired by what looks like their
 * keys (name, key, port and protocol …), else by position; a list whose paired items only changed places is one change
 * with the keys in order. An absent side is an object without fields. Values of a Secret come out masked
 * ({@link maskSecretPair}).
 */
export function fieldDiff(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  options: FieldDiffOptions = {},
): readonly FieldChange[] {
  const masked = maskSecretPair(before, after);
  const diff: Diff = { ignore: new Set(options.ignore ?? SERVER_FIELDS), changes: [] };
  diffObject(diff, [], { before: masked.before ?? {}, after: masked.after ?? {} });
  return diff.changes;
}

interface Diff {
  readonly ignore: ReadonlySet<string>;
  readonly changes: FieldChange[];
}

interface Pair<Value = unknown> {
  readonly before: Value;
  readonly after: Value;
}

function diffValue(diff: Diff, path: FieldPath, { before, after }: Pair): void {
  if (diff.ignore.has(formatPath(path)) || equalJson(before, after)) return;
  if (isJsonObject(before) && isJsonObject(after)) diffObject(diff, path, { before, after });
  else if (Array.isArray(before) && Array.isArray(after)) diffList(diff, path, { before, after });
  else diff.changes.push({ path: formatPath(path), before, after });
}

function diffObject(diff: Diff, path: FieldPath, { before, after }: Pair<object>): void {
  const names = new Set([...fieldNamesOf(before), ...fieldNamesOf(after)]);
  for (const name of names) {
    diffValue(diff, [...path, name], { before: fieldOf(before, name), after: fieldOf(after, name) });
  }
}

function diffList(diff: Diff, path: FieldPath, pair: Pair<readonly unknown[]>): void {
  const names = guessKeyNames(pair.before, pair.after);
  if (names !== undefined) diffKeyedList(diff, path, { pair, names });
  else if ([...pair.before, ...pair.after].every((item) => isJsonObject(item))) diffByPosition(diff, path, pair);
  else diff.changes.push({ path: formatPath(path), ...pair });
}

function diffByPosition(diff: Diff, path: FieldPath, { before, after }: Pair<readonly unknown[]>): void {
  for (let at = 0; at < Math.max(before.length, after.length); at += 1) {
    diffValue(diff, [...path, at], { before: before[at], after: after[at] });
  }
}

interface KeyedPair {
  readonly pair: Pair<readonly unknown[]>;
  readonly names: readonly string[];
}

function diffKeyedList(diff: Diff, path: FieldPath, { pair, names }: KeyedPair): void {
  const before = byKey(pair.before, names);
  const after = byKey(pair.after, names);
  const stayed = [...before.keys()].filter((key) => after.has(key));
  const order = [...after.keys()].filter((key) => before.has(key));
  if (!equalJson(stayed, order)) {
    const labels = (keys: readonly string[]) => keys.map((key) => formatKey(keyOf(before.get(key), names)));
    diff.changes.push({ path: formatPath(path), before: labels(stayed), after: labels(order) });
  }
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const item = before.get(key) ?? after.get(key);
    diffValue(diff, [...path, { key: keyOf(item, names) }], { before: before.get(key), after: after.get(key) });
  }
}

function byKey(list: readonly unknown[], names: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(list.map((item) => [canonicalJson(keyOf(item, names)), item]));
}
