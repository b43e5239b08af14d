import { failure, nilDereference } from "../go/failure.ts";
import {
  ANY,
  capacityOf,
  type GoFunction,
  isTrue,
  itemsOf,
  kindOf,
  NIL,
  nilSlice,
  type SliceValue,
  sliceOf,
  type Value,
} from "../go/values.ts";
import { toInteger } from "./casts.ts";
import { isDeepEqual } from "./equality.ts";
import { any, bool, fn, int, list, typed, variadic } from "./signature.ts";

const anyList = typed(`[]${ANY}`);
const chunks = typed(`[][]${ANY}`);

/** sprig's functions on lists. Where Go's panic, their text is that of the `must…` form's error. */
export const LIST_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  list: variadic({ params: [], rest: any, result: list }, (_, items) => items),
  tuple: variadic({ params: [], rest: any, result: list }, (_, items) => items),
  ...both(
    "append",
    fn([any, any], list, (items, item) => [...elements(items, "Cannot push on type"), item]),
  ),
  ...both(
    "push",
    fn([any, any], list, (items, item) => [...elements(items, "Cannot push on type"), item]),
  ),
  ...both(
    "prepend",
    fn([any, any], list, (items, item) => [item, ...elements(items, "Cannot prepend on type")]),
  ),
  ...both(
    "first",
    fn([any], any, (items) => elements(items, "Cannot find first on type")[0] ?? NIL),
  ),
  ...both(
    "last",
    fn([any], any, (items) => elements(items, "Cannot find last on type").at(-1) ?? NIL),
  ),
  ...both(
    "rest",
    fn([any], anyList, (items) => part(elements(items, "Cannot find rest on type"), 1, 0)),
  ),
  ...both(
    "initial",
    fn([any], anyList, (items) => part(elements(items, "Cannot find initial on type"), 0, 1)),
  ),
  ...both(
    "reverse",
    fn([any], list, (items) => elements(items, "Cannot find reverse on type").toReversed()),
  ),
  ...both(
    "compact",
    fn([any], list, (items) => elements(items, "Cannot compact on type").filter(isTrue)),
  ),
  ...both(
    "uniq",
    fn([any], list, (items) => uniq(elements(items, "Cannot find uniq on type"))),
  ),
  ...both(
    "without",
    variadic({ params: [any], rest: any, result: list }, ([items], omitted) =>
      elements(items, "Cannot find without on type").filter((item) => !includes(omitted, item)),
    ),
  ),
  ...both("has", fn([any, any], bool, has)),
  ...both(
    "slice",
    variadic({ params: [any], rest: any, result: any }, ([items], indexes) => sliced(items, indexes)),
  ),
  ...both("chunk", fn([int, any], chunks, chunked)),
  concat: variadic({ params: [], rest: any, result: any }, (_, lists) => concatenated(lists)),
};

function both(name: string, spec: GoFunction): Readonly<Record<string, GoFunction>> {
  return { [name]: spec, [`must${name[0]?.toUpperCase()}${name.slice(1)}`]: spec };
}

function sliceIn(value: Value, complaint: string): SliceValue {
  if (value.kind === "nil") {
    throw nilDereference();
  }
  if (value.kind !== "slice") {
    throw failure(`${complaint} ${kindOf(value)}`);
  }
  return value;
}

function elements(value: Value, complaint: string): readonly Value[] {
  return itemsOf(sliceIn(value, complaint));
}

/** A list without some of its elements; of an empty list Go makes a nil one. */
function part(items: readonly Value[], skipped: number, dropped: number): Value {
  return items.length === 0 ? nilSlice() : sliceOf(items.slice(skipped, items.length - dropped));
}

function uniq(items: readonly Value[]): readonly Value[] {
  const kept: Value[] = [];
  for (const item of items) {
    if (!includes(kept, item)) {
      kept.push(item);
    }
  }
  return kept;
}

function includes(items: readonly Value[], needle: Value): boolean {
  return items.some((item) => isDeepEqual(needle, item));
}

function has(needle: Value, haystack: Value): boolean {
  return haystack.kind !== "nil" && includes(elements(haystack, "Cannot find has on type"), needle);
}

function sliced(value: Value, indexes: readonly Value[]): Value {
  const slice = sliceIn(value, "list should be type of slice or array but");
  if (slice.length === 0) {
    return NIL;
  }
  const [from = 0n, to = BigInt(slice.length)] = indexes.map(toInteger);
  if (from < 0n || to < from || to > BigInt(capacityOf(slice))) {
    throw failure("reflect.Value.Slice: slice index out of bounds");
  }
  return { ...slice, start: slice.start + Number(from), length: Number(to - from), isNil: false };
}

/** Lists of `size` elements, the last one shorter; sizes below one end as they do in Go, mostly in a panic. */
function chunked(size: bigint, value: Value): Value {
  const items = elements(value, "Cannot chunk type");
  const length = Number(size);
  const count = Math.floor((items.length - 1) / length) + 1;
  if (length < 0 && count === 1 && items.length % length !== 0) {
    return sliceOf([sliceOf(items)], `[]${ANY}`);
  }
  if (!Number.isFinite(count) || count < 0 || (length < 0 && count > 0)) {
    throw failure("runtime error: makeslice: len out of range");
  }
  const parts = Array.from({ length: count }, (_, index) => sliceOf(items.slice(index * length, (index + 1) * length)));
  return sliceOf(parts, `[]${ANY}`);
}

function concatenated(lists: readonly Value[]): Value {
  const joined = lists.flatMap((value) => {
    if (value.kind === "nil") {
      throw nilDereference();
    }
    if (value.kind !== "slice") {
      throw failure(`Cannot concat type ${kindOf(value)} as list`);
    }
    return itemsOf(value);
  });
  return joined.length === 0 ? nilSlice() : sliceOf(joined);
}
