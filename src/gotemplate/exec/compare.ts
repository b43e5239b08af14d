import { sprintf } from "../fmt/printf.ts";
import { compareStrings } from "../go/bytes.ts";
import { failure } from "../go/failure.ts";
import { isUnsigned, stringOf, typeOf, type Value } from "../go/values.ts";

type BasicKind = "bool" | "complex" | "int" | "uint" | "float" | "string" | "invalid";

/** Go's `eq`: equal to any of the others. Integers compare whatever their sign; other mixtures are errors. */
export function isEqualToAny(first: Value, others: readonly Value[]): boolean {
  if (others.length === 0) {
    throw failure("missing argument for comparison");
  }
  return others.some((other) => isEqual(first, other));
}

function isEqual(left: Value, right: Value): boolean {
  if (left.kind === "int" && right.kind === "int") {
    return left.value === right.value;
  }
  const kind = basicKind(left);
  if (kind !== basicKind(right)) {
    if (left.kind === "nil" || right.kind === "nil") {
      return false;
    }
    throw incompatible(left, right);
  }
  return kind === "invalid" ? isSameReference(left, right) : hasSameContent(left, right);
}

function hasSameContent(left: Value, right: Value): boolean {
  if (left.kind === "complex128" && right.kind === "complex128") {
    return left.real === right.real && left.imaginary === right.imaginary;
  }
  return "value" in left && "value" in right && left.value === right.value;
}

/** Values that Go cannot compare are equal only in being nil. */
function isSameReference(left: Value, right: Value): boolean {
  const canCompare = left.kind === right.kind || left.kind === "nil" || right.kind === "nil";
  if (!canCompare) {
    throw failure(
      `non-comparable types ${sprintf("%s: %v", [left, stringOf(typeOf(left))])}, ` +
        sprintf("%s: %v", [stringOf(typeOf(right)), right]),
    );
  }
  if (isNilValue(left) || isNilValue(right)) {
    return isNilValue(left) === isNilValue(right);
  }
  if (right.kind === "object") {
    return left === right;
  }
  throw failure(`non-comparable type ${sprintf("%s: %v", [right, stringOf(typeOf(right))])}`);
}

function isNilValue(value: Value): boolean {
  return value.kind === "nil" || ((value.kind === "map" || value.kind === "slice") && value.isNil);
}

/** Go's `lt`: integers whatever their sign, floats, strings by bytes; nothing else has an order. */
export function isLess(left: Value, right: Value): boolean {
  const leftKind = orderedKind(left);
  const rightKind = orderedKind(right);
  if (left.kind === "int" && right.kind === "int") {
    return left.value < right.value;
  }
  if (leftKind !== rightKind) {
    throw incompatible(left, right);
  }
  if (left.kind === "float64" && right.kind === "float64") {
    return left.value < right.value;
  }
  if (left.kind === "string" && right.kind === "string") {
    return compareStrings(left.value, right.value) < 0;
  }
  throw failure("invalid type for comparison");
}

function orderedKind(value: Value): BasicKind {
  const kind = basicKind(value);
  if (kind === "invalid") {
    throw failure("invalid type for comparison");
  }
  return kind;
}

function basicKind(value: Value): BasicKind {
  switch (value.kind) {
    case "bool":
    case "string":
      return value.kind;
    case "int":
      return isUnsigned(value.type) ? "uint" : "int";
    case "float64":
      return "float";
    case "complex128":
      return "complex";
    default:
      return "invalid";
  }
}

function incompatible(left: Value, right: Value): Error {
  return failure(`incompatible types for comparison: ${typeOf(left)} and ${typeOf(right)}`);
}
