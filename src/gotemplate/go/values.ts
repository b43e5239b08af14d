/**
 * Go's dynamic values, as far as a template can meet them.
 *
 * Go's text/template works on reflect.Value, where a value has a static type besides its dynamic one: an element of a
 * `map[string]interface {}` is an `interface {}` that holds a string. Error texts depend on that difference (`can't
 * evaluate field foo in type interface {}`), so a {@link Ref} may be boxed.
 */

/** A type as Go prints it: `int`, `[]interface {}`, `map[string]string`. Two types are the same if their texts are. */
export type GoType = string;

/** The empty interface's type, as Go prints it. */
export const ANY = "interface {}";

export interface BoolValue {
  readonly kind: "bool";
  readonly value: boolean;
}

export interface StringValue {
  readonly kind: "string";
  /** Text; a byte that is no UTF-8 is the lone surrogate U+DC00 + byte (see bytes.ts). */
  readonly value: string;
}

/** A signed or unsigned integer: `int`, `int64`, `uint8` (an indexed string's element), `uint64`. */
export interface IntValue {
  readonly kind: "int";
  readonly type: "int" | "int64" | "uint8" | "uint64";
  readonly value: bigint;
}

export interface FloatValue {
  readonly kind: "float64";
  readonly value: number;
}

export interface ComplexValue {
  readonly kind: "complex128";
  readonly real: number;
  readonly imaginary: number;
}

/** A slice: a window on a shared backing array, because `slice (slice .x 0 1) 0 3` may look beyond its length. */
export interface SliceValue {
  readonly kind: "slice";
  readonly element: GoType;
  readonly backing: readonly Value[];
  readonly start: number;
  readonly length: number;
  readonly isNil: boolean;
}

/** A map with string keys. Its entries change under `set` and `merge`, as Go's do; it is never the caller's data. */
export interface MapValue {
  readonly kind: "map";
  readonly element: GoType;
  readonly entries: Map<string, Value>;
  readonly isNil: boolean;
}

/** A value of a named Go type that is only known by its methods, such as `*semver.Version`. */
export interface ObjectValue {
  readonly kind: "object";
  readonly type: GoType;
  /** What its String method returns. */
  readonly text: string;
  /** The fields of the struct, for the verbs that do not take text. */
  readonly fields: readonly (readonly [name: string, value: Value])[];
  readonly methods: ReadonlyMap<string, GoFunction>;
}

/** Nil: reflect's invalid Value, or what an interface holds that holds nothing. */
export interface NilValue {
  readonly kind: "nil";
}

export type Value =
  | BoolValue
  | StringValue
  | IntValue
  | FloatValue
  | ComplexValue
  | SliceValue
  | MapValue
  | ObjectValue
  | NilValue;

/** A value whose static type is `interface {}`. */
export interface Boxed {
  readonly kind: "interface";
  readonly content: Value;
}

/** What reflect.Value is to Go's evaluator. */
export type Ref = Value | Boxed;

/** What a function may do besides computing: run another template of the set (`include`). */
export interface CallScope {
  readonly render: (name: string, data: Value) => string;
}

/** A function or method as the evaluator sees it: Go's signature, and its body. */
export interface GoFunction {
  /** The types of the fixed parameters. `reflect.Value` and `interface {}` take anything. */
  readonly params: readonly GoType[];
  /** The element type of the variadic last parameter, where there is one. */
  readonly rest?: GoType;
  readonly result: GoType;
  /**
   * Gets arguments that fit the signature; a KeelsonError it throws is what Go calls the function's error. Boxes reach
   * only parameters of type reflect.Value: `slice .x .n` fails in Go, because its indexes stay boxed.
   */
  readonly call: (args: readonly Ref[], scope: CallScope) => Value;
}

export const NIL: NilValue = { kind: "nil" };
const TRUE: BoolValue = { kind: "bool", value: true };
const FALSE: BoolValue = { kind: "bool", value: false };

export function boolOf(value: boolean): BoolValue {
  return value ? TRUE : FALSE;
}

export function stringOf(value: string): StringValue {
  return { kind: "string", value };
}

/** A Go int, wrapped around at 64 bits. */
export function intOf(value: bigint | number, type: IntValue["type"] = "int"): IntValue {
  const wide = typeof value === "bigint" ? value : BigInt(value);
  return { kind: "int", type, value: isUnsigned(type) ? BigInt.asUintN(64, wide) : BigInt.asIntN(64, wide) };
}

export function floatOf(value: number): FloatValue {
  return { kind: "float64", value };
}

export function sliceOf(items: readonly Value[], element: GoType = ANY): SliceValue {
  return { kind: "slice", element, backing: items, start: 0, length: items.length, isNil: false };
}

/** Go's nil slice: prints as `[]`, marshals as `null`. */
export function nilSlice(element: GoType = ANY): SliceValue {
  return { kind: "slice", element, backing: [], start: 0, length: 0, isNil: true };
}

export function mapOf(entries: Map<string, Value>, element: GoType = ANY): MapValue {
  return { kind: "map", element, entries, isNil: false };
}

/** The elements that a slice shows. */
export function itemsOf(slice: SliceValue): readonly Value[] {
  return slice.start === 0 && slice.length === slice.backing.length
    ? slice.backing
    : slice.backing.slice(slice.start, slice.start + slice.length);
}

/** How far a slice may be re-sliced. */
export function capacityOf(slice: SliceValue): number {
  return slice.backing.length - slice.start;
}

export function isUnsigned(type: IntValue["type"]): boolean {
  return type === "uint8" || type === "uint64";
}

export function box(content: Value): Boxed {
  return { kind: "interface", content };
}

export function unbox(ref: Ref): Value {
  return ref.kind === "interface" ? ref.content : ref;
}

/** An element as reflect hands it out: boxed where the container's element type is an interface. */
export function elementRef(value: Value, element: GoType): Ref {
  return element === ANY ? box(value) : value;
}

/** The type's text; `<nil>` for an invalid value, which Go has no type for. */
export function typeOf(ref: Ref): GoType {
  switch (ref.kind) {
    case "interface":
      return ANY;
    case "bool":
    case "string":
    case "float64":
    case "complex128":
      return ref.kind;
    case "int":
      return ref.type;
    case "slice":
      return `[]${ref.element}`;
    case "map":
      return `map[string]${ref.element}`;
    case "object":
      return ref.type;
    case "nil":
      return "<nil>";
  }
}

/** reflect's name of the value's kind: what sprig's kindOf prints and its error texts name. */
export function kindOf(value: Value): string {
  switch (value.kind) {
    case "int":
      return value.type;
    case "object":
      return value.type.startsWith("*") ? "ptr" : "struct";
    case "nil":
      return "invalid";
    default:
      return value.kind;
  }
}

/** Whether a Go type has a nil: decides between a zero value and an error where nil is given. */
export function canBeNil(type: GoType): boolean {
  return type === ANY || type === REFLECT_VALUE || type.startsWith("[]") || type.startsWith("map[") || type[0] === "*";
}

/** The parameter type of Go's builtins that look at values by reflection. */
export const REFLECT_VALUE = "reflect.Value";

/** The zero value of a type, as an untyped reference. */
export function zeroOf(type: GoType): Ref {
  if (type.startsWith("[]")) {
    return nilSlice(type.slice(2));
  }
  if (type.startsWith("map[string]")) {
    return { kind: "map", element: type.slice("map[string]".length), entries: new Map(), isNil: true };
  }
  if (type === "string") {
    return stringOf("");
  }
  return type === ANY ? box(NIL) : NIL;
}

/** Go's truth: whether a value is not its type's zero (empty, 0, false, nil). */
export function isTrue(value: Value): boolean {
  switch (value.kind) {
    case "nil":
      return false;
    case "bool":
      return value.value;
    case "string":
      return value.value !== "";
    case "int":
      return value.value !== 0n;
    case "float64":
      return value.value !== 0;
    case "complex128":
      return value.real !== 0 || value.imaginary !== 0;
    case "slice":
      return value.length > 0;
    case "map":
      return value.entries.size > 0;
    case "object":
      return true;
  }
}
