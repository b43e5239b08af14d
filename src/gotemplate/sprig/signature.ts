import {
  ANY,
  boolOf,
  floatOf,
  type GoFunction,
  type GoType,
  intOf,
  itemsOf,
  type MapValue,
  mapOf,
  NIL,
  type Ref,
  sliceOf,
  stringOf,
  unbox,
  type Value,
} from "../go/values.ts";

/** How a Go type travels into a function's body and back. The evaluator has checked the type before. */
export interface Codec<T> {
  readonly type: GoType;
  take(value: Value): T;
  give(value: T): Value;
}

type Natives<P extends readonly Codec<unknown>[]> = { [K in keyof P]: P[K] extends Codec<infer T> ? T : never };

export const text: Codec<string> = {
  type: "string",
  take: (value) => (value.kind === "string" ? value.value : ""),
  give: stringOf,
};

export const bool: Codec<boolean> = {
  type: "bool",
  take: (value) => value.kind === "bool" && value.value,
  give: boolOf,
};

/** Go's int; a bigint, because templates may overflow it. */
export const int: Codec<bigint> = { type: "int", take: integer, give: (value) => intOf(value) };

export const int64: Codec<bigint> = { type: "int64", take: integer, give: (value) => intOf(value, "int64") };

export const float: Codec<number> = {
  type: "float64",
  take: (value) => (value.kind === "float64" ? value.value : 0),
  give: floatOf,
};

/** Anything, as `interface {}`. */
export const any: Codec<Value> = { type: ANY, take: (value) => value, give: (value) => value };

export const dict: Codec<MapValue> = {
  type: `map[string]${ANY}`,
  take: (value) => (value.kind === "map" ? value : mapOf(new Map())),
  give: (value) => value,
};

export const list: Codec<readonly Value[]> = listOf(ANY);
export const strings: Codec<readonly string[]> = {
  type: "[]string",
  take: (value) => (value.kind === "slice" ? itemsOf(value).map(text.take) : []),
  give: (value) => sliceOf(value.map(stringOf), "string"),
};
export const ints: Codec<readonly bigint[]> = {
  type: "[]int",
  take: (value) => (value.kind === "slice" ? itemsOf(value).map(integer) : []),
  give: (value) =>
    sliceOf(
      value.map((item) => intOf(item)),
      "int",
    ),
};

/** A result whose Go value the body makes itself, such as a nil slice. */
export function typed(type: GoType): Codec<Value> {
  return { type, take: (value) => value, give: (value) => value };
}

function listOf(element: GoType): Codec<readonly Value[]> {
  return {
    type: `[]${element}`,
    take: (value) => (value.kind === "slice" ? itemsOf(value) : []),
    give: (value) => sliceOf(value, element),
  };
}

function integer(value: Value): bigint {
  return value.kind === "int" ? value.value : 0n;
}

/** A function with a fixed number of parameters. */
export function fn<const P extends readonly Codec<unknown>[], R>(
  params: P,
  result: Codec<R>,
  body: (...args: Natives<P>) => R,
): GoFunction {
  return {
    params: params.map((codec) => codec.type),
    result: result.type,
    call: (args) => result.give(body(...takeAll(params, args))),
  };
}

/** A function whose last parameter is variadic; the body gets the fixed arguments, then the others as one list. */
export function variadic<const P extends readonly Codec<unknown>[], T, R>(
  signature: { readonly params: P; readonly rest: Codec<T>; readonly result: Codec<R> },
  body: (fixed: Natives<P>, rest: readonly T[]) => R,
): GoFunction {
  const { params, rest, result } = signature;
  return {
    params: params.map((codec) => codec.type),
    rest: rest.type,
    result: result.type,
    call: (args) =>
      result.give(
        body(
          takeAll(params, args),
          args.slice(params.length).map((value) => rest.take(unbox(value))),
        ),
      ),
  };
}

function takeAll<P extends readonly Codec<unknown>[]>(params: P, args: readonly Ref[]): Natives<P> {
  // The one place where the compiler cannot follow: each element has the type of the codec that took it.
  return params.map((codec, index) => codec.take(unbox(args[index] ?? NIL))) as Natives<P>;
}
