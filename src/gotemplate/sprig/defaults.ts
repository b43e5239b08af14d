import { failure } from "../go/failure.ts";
import { type GoFunction, isTrue, kindOf, NIL, typeOf, type Value } from "../go/values.ts";
import { isDeepEqual } from "./equality.ts";
import { any, bool, fn, text, typed, variadic } from "./signature.ts";

/** sprig's functions about presence and types. Empty is what Go's truth calls false. */
export const DEFAULT_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  default: variadic({ params: [any], rest: any, result: any }, ([fallback], given) => {
    const [first = NIL] = given;
    return isTrue(first) ? first : fallback;
  }),
  empty: fn([any], bool, (value) => !isTrue(value)),
  coalesce: variadic({ params: [], rest: any, result: any }, (_, values) => values.find(isTrue) ?? NIL),
  all: variadic({ params: [], rest: any, result: bool }, (_, values) => values.every(isTrue)),
  any: variadic({ params: [], rest: any, result: bool }, (_, values) => values.some(isTrue)),
  ternary: fn([any, any, bool], any, (yes, no, condition) => (condition ? yes : no)),
  fail: fn([text], typed("string"), (message): Value => {
    throw failure(message);
  }),
  typeOf: fn([any], text, typeOf),
  typeIs: fn([text, any], bool, (type, value) => type === typeOf(value)),
  typeIsLike: fn([text, any], bool, (type, value) => type === typeOf(value) || `*${type}` === typeOf(value)),
  kindOf: fn([any], text, kindOf),
  kindIs: fn([text, any], bool, (kind, value) => kind === kindOf(value)),
  deepEqual: fn([any, any], bool, isDeepEqual),
};
