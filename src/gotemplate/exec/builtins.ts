import { sprint, sprintf, sprintln } from "../fmt/printf.ts";
import { byteLength, byteSlice, toBytes } from "../go/bytes.ts";
import { failure } from "../go/failure.ts";
import {
  ANY,
  boolOf,
  capacityOf,
  type GoFunction,
  type GoType,
  intOf,
  isTrue,
  NIL,
  REFLECT_VALUE,
  type Ref,
  type SliceValue,
  type StringValue,
  stringOf,
  typeOf,
  unbox,
  type Value,
  zeroOf,
} from "../go/values.ts";
import { isEqualToAny, isLess } from "./compare.ts";
import { escapeHtml, escapeJs, escapeQuery } from "./escape.ts";

/** The functions that every template has, as Go's package text/template defines them. */
export const BUILTINS: ReadonlyMap<string, GoFunction> = new Map(
  Object.entries({
    // `and`, `or` and `call` are special cases of the evaluator; only their signatures are used.
    and: reflected((args) => args.at(-1) ?? NIL),
    or: reflected((args) => args.at(-1) ?? NIL),
    call: reflected((args) => callValue("", args)),
    index: reflected(([item = NIL, ...indexes]) => indexed(item, indexes)),
    slice: {
      params: [REFLECT_VALUE],
      rest: REFLECT_VALUE,
      result: REFLECT_VALUE,
      call: ([item = NIL, ...indexes]) => sliced(unbox(item), indexes),
    },
    len: { params: [REFLECT_VALUE], result: "int", call: ([item = NIL]) => intOf(lengthOf(item)) },
    not: fixed(1, ([value = NIL]) => boolOf(!isTrue(value))),
    eq: reflected(([first = NIL, ...others]) => boolOf(isEqualToAny(first, others))),
    ne: fixed(2, ([left = NIL, right = NIL]) => boolOf(!isEqualToAny(left, [right]))),
    lt: fixed(2, ([left = NIL, right = NIL]) => boolOf(isLess(left, right))),
    le: fixed(2, ([left = NIL, right = NIL]) => boolOf(isLess(left, right) || isEqualToAny(left, [right]))),
    gt: fixed(2, ([left = NIL, right = NIL]) => boolOf(!(isLess(left, right) || isEqualToAny(left, [right])))),
    ge: fixed(2, ([left = NIL, right = NIL]) => boolOf(!isLess(left, right))),
    print: printing((args) => sprint(args)),
    println: printing((args) => sprintln(args)),
    printf: {
      params: ["string"],
      rest: ANY,
      result: "string",
      call: ([format = NIL, ...args]) => stringOf(sprintf(textOf(format), args.map(unbox))),
    },
    html: printing((args) => escapeHtml(shown(args))),
    js: printing((args) => escapeJs(shown(args))),
    urlquery: printing((args) => escapeQuery(shown(args))),
  } satisfies Record<string, GoFunction>),
);

/** One argument or more of any type, opened where they are boxed. */
function reflected(call: (args: readonly Value[]) => Value): GoFunction {
  return {
    params: [REFLECT_VALUE],
    rest: REFLECT_VALUE,
    result: REFLECT_VALUE,
    call: (args) => call(args.map(unbox)),
  };
}

function fixed(count: number, call: (args: readonly Value[]) => Value): GoFunction {
  const params = Array<string>(count).fill(REFLECT_VALUE);
  return { params, result: "bool", call: (args) => call(args.map(unbox)) };
}

function printing(print: (args: readonly Value[]) => string): GoFunction {
  return { params: [], rest: ANY, result: "string", call: (args) => stringOf(print(args.map(unbox))) };
}

function textOf(value: Ref): string {
  return value.kind === "string" ? value.value : "";
}

/** Arguments as an action would print them: nil is `<no value>` there, and `<nil>` in print. */
function shown(args: readonly Value[]): string {
  return sprint(args.map((arg) => (arg.kind === "nil" ? stringOf("<no value>") : arg)));
}

/** The builtin `call`: no function can be in a template's data, so that it always fails, with Go's text. */
export function callValue(name: string, args: readonly Value[]): Value {
  const [callee = NIL] = args;
  if (callee.kind === "nil") {
    throw failure("call of nil");
  }
  throw failure(`non-function ${name} of type ${typeOf(callee)}`);
}

function indexed(item: Value, indexes: readonly Value[]): Value {
  if (item.kind === "nil") {
    throw failure("index of untyped nil");
  }
  return indexes.reduce<Value>(element, item);
}

function element(item: Value, index: Value): Value {
  switch (item.kind) {
    case "nil":
      throw failure("index of nil pointer");
    case "string": {
      const at = indexWithin(index, byteLength(item.value));
      return intOf(byteAt(item, at), "uint8");
    }
    case "slice": {
      const at = indexWithin(index, item.length);
      return at < item.length ? (item.backing[item.start + at] ?? NIL) : outOfRange("slice");
    }
    case "map":
      return item.entries.get(keyOf(index)) ?? unbox(zeroOf(item.element));
    default:
      throw failure(`can't index item of type ${pointedType(item)}`);
  }
}

function byteAt(item: StringValue, at: number): number {
  return toBytes(item.value)[at] ?? outOfRange("string");
}

/** reflect's own panic: the index check of `index` lets the length itself through. */
function outOfRange(kind: "slice" | "string"): never {
  throw failure(`reflect: ${kind} index out of range`);
}

function keyOf(index: Value): string {
  if (index.kind === "nil") {
    throw failure("value is nil; should be of type string");
  }
  if (index.kind !== "string") {
    throw failure(`value has type ${typeOf(index)}; should be string`);
  }
  return index.value;
}

function indexWithin(index: Ref, limit: number): number {
  if (index.kind === "nil") {
    throw failure("cannot index slice/array with nil");
  }
  if (index.kind !== "int") {
    throw failure(`cannot index slice/array with type ${typeOf(index)}`);
  }
  if (index.value < 0n || index.value > BigInt(limit)) {
    throw failure(`index out of range: ${index.value}`);
  }
  return Number(index.value);
}

/** The indexes are not opened: one that comes from a list or map is of type `interface {}`, and no index. */
function sliced(item: Value, indexes: readonly Ref[]): Value {
  if (item.kind === "nil") {
    throw failure("slice of untyped nil");
  }
  if (indexes.length > 3) {
    throw failure(`too many slice indexes: ${indexes.length}`);
  }
  if (item.kind === "string") {
    return slicedString(item, indexes);
  }
  if (item.kind === "slice") {
    return slicedSlice(item, indexes);
  }
  throw failure(`can't slice item of type ${pointedType(item)}`);
}

function slicedString(item: StringValue, indexes: readonly Ref[]): Value {
  if (indexes.length === 3) {
    throw failure("cannot 3-index slice a string");
  }
  const length = byteLength(item.value);
  const [from = 0, to = length] = indexes.map((index) => indexWithin(index, length));
  checkOrder(from, to);
  return stringOf(byteSlice(item.value, from, to));
}

function slicedSlice(item: SliceValue, indexes: readonly Ref[]): Value {
  const capacity = capacityOf(item);
  const [from = 0, to = item.length, limit = capacity] = indexes.map((index) => indexWithin(index, capacity));
  checkOrder(from, to);
  if (indexes.length === 3) {
    checkOrder(to, limit);
  }
  // A third index takes the rest of the array away from the new slice.
  const backing = limit === capacity ? item.backing : item.backing.slice(0, item.start + limit);
  return { ...item, backing, start: item.start + from, length: to - from };
}

function checkOrder(from: number, to: number): void {
  if (from > to) {
    throw failure(`invalid slice index: ${from} > ${to}`);
  }
}

function lengthOf(ref: Ref): number {
  const item = unbox(ref);
  switch (item.kind) {
    case "string":
      return byteLength(item.value);
    case "slice":
      return item.length;
    case "map":
      return item.entries.size;
    case "nil":
      throw failure(
        ref.kind === "interface" ? "len of nil pointer" : "reflect: call of reflect.Value.Type on zero Value",
      );
    default:
      throw failure(`len of type ${pointedType(item)}`);
  }
}

/** Go follows a pointer before it complains. */
function pointedType(value: Value): GoType {
  return typeOf(value).replace(/^\*/, "");
}
