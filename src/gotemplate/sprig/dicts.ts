import { sortedEntries } from "../fmt/printer.ts";
import { failure } from "../go/failure.ts";
import {
  ANY,
  type GoFunction,
  isTrue,
  itemsOf,
  type MapValue,
  mapOf,
  NIL,
  sliceOf,
  stringOf,
  typeOf,
  type Value,
} from "../go/values.ts";
import { any, bool, dict, fn, list, strings, text, variadic } from "./signature.ts";
import { strval } from "./strval.ts";

/** sprig's functions on dictionaries. `keys` and `values` are in the order of the keys, where Go's order is random. */
export const DICT_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  dict: variadic({ params: [], rest: any, result: dict }, (_, words) => dictOf(words)),
  get: fn([dict, text], any, (map, key) => map.entries.get(key) ?? stringOf("")),
  set: fn([dict, text, any], dict, set),
  unset: fn([dict, text], dict, (map, key) => {
    map.entries.delete(key);
    return map;
  }),
  hasKey: fn([dict, text], bool, (map, key) => map.entries.has(key)),
  pluck: variadic({ params: [text], rest: dict, result: list }, ([key], maps) =>
    maps.flatMap((map) => map.entries.get(key) ?? []),
  ),
  keys: variadic({ params: [], rest: dict, result: strings }, (_, maps) =>
    maps.flatMap((map) => sortedEntries(map).map(([key]) => key)),
  ),
  values: fn([dict], list, (map) => sortedEntries(map).map(([, value]) => value)),
  pick: variadic({ params: [dict], rest: text, result: dict }, ([map], keys) =>
    mapOf(new Map([...map.entries].filter(([key]) => keys.includes(key)))),
  ),
  omit: variadic({ params: [dict], rest: text, result: dict }, ([map], keys) =>
    mapOf(new Map([...map.entries].filter(([key]) => !keys.includes(key)))),
  ),
  merge: merging(false),
  mustMerge: merging(false),
  mergeOverwrite: merging(true),
  mustMergeOverwrite: merging(true),
  deepCopy: fn([any], any, deepCopy),
  mustDeepCopy: fn([any], any, deepCopy),
  dig: variadic({ params: [], rest: any, result: any }, (_, words) => dig(words)),
};

/** Keys and values in turn; a key without a value gets "". */
function dictOf(words: readonly Value[]): MapValue {
  const entries = new Map<string, Value>();
  for (let index = 0; index < words.length; index += 2) {
    entries.set(strval(words[index] ?? NIL), words[index + 1] ?? stringOf(""));
  }
  return mapOf(entries);
}

function set(map: MapValue, key: string, value: Value): MapValue {
  if (map.isNil) {
    throw failure("assignment to entry in nil map");
  }
  map.entries.set(key, value);
  return map;
}

function merging(overwrites: boolean): GoFunction {
  return variadic({ params: [dict], rest: dict, result: any }, ([target, ...none], sources) => {
    const into = target.isNil && none.length === 0 && sources.some((map) => !map.isNil) ? mapOf(new Map()) : target;
    for (const source of sources) {
      mergeInto(into, source, overwrites);
    }
    return into;
  });
}

/**
 * The merge library's rules for maps: empty values of the target count as absent, maps are merged into each other, and
 * lists are taken whole. Overwriting takes empty values of the source as well.
 */
function mergeInto(target: MapValue, source: MapValue, overwrites: boolean): void {
  for (const [key, value] of [...source.entries]) {
    const existing = target.entries.get(key);
    if (value.kind === "nil") {
      if (overwrites) {
        target.entries.set(key, value);
      }
      continue;
    }
    if (value.kind === "map" && existing?.kind === "map" && existing.entries.size > 0) {
      mergeInto(existing, value, overwrites);
    } else if (overwrites || existing === undefined || !isTrue(existing)) {
      target.entries.set(key, value);
    }
  }
}

function deepCopy(value: Value): Value {
  if (value.kind === "nil") {
    throw failure("reflect: call of reflect.Value.Type on zero Value");
  }
  return copied(value);
}

function copied(value: Value): Value {
  if (value.kind === "slice") {
    return value.isNil ? value : sliceOf(itemsOf(value).map(copied), value.element);
  }
  if (value.kind === "map") {
    return { ...value, entries: new Map([...value.entries].map(([key, item]) => [key, copied(item)])) };
  }
  return value;
}

/** `dig "a" "b" DEFAULT dict`: the value at a path, or the default where a key is missing. */
function dig(words: readonly Value[]): Value {
  if (words.length < 3) {
    throw failure("dig needs at least three arguments");
  }
  const root = asserted(words.at(-1) ?? NIL, "map");
  const fallback = words.at(-2) ?? NIL;
  const keys = words.slice(0, -2).map((word) => asserted(word, "string").value);
  let map = root;
  for (const [index, key] of keys.entries()) {
    const step = map.entries.get(key);
    if (step === undefined) {
      return fallback;
    }
    if (index === keys.length - 1) {
      return step;
    }
    map = asserted(step, "map");
  }
  return fallback;
}

/** A Go type assertion, with the text of its panic. */
function asserted<K extends "map" | "string">(value: Value, kind: K): Extract<Value, { readonly kind: K }> {
  const type = kind === "map" ? `map[string]${ANY}` : "string";
  if (!isKind(value, kind) || typeOf(value) !== type) {
    const actual = value.kind === "nil" ? "nil" : typeOf(value);
    throw failure(`interface conversion: interface {} is ${actual}, not ${type}`);
  }
  return value;
}

function isKind<K extends Value["kind"]>(value: Value, kind: K): value is Extract<Value, { readonly kind: K }> {
  return value.kind === kind;
}
