import { itemsOf, type MapValue, type SliceValue, typeOf, type Value } from "../go/values.ts";

/** reflect.DeepEqual: same types, same contents; a nil list is not an empty one, and NaN is not itself. */
export function isDeepEqual(left: Value, right: Value): boolean {
  if (typeOf(left) !== typeOf(right)) {
    return false;
  }
  if (left.kind === "slice" && right.kind === "slice") {
    return areSlicesEqual(left, right);
  }
  if (left.kind === "map" && right.kind === "map") {
    return areMapsEqual(left, right);
  }
  if (left.kind === "complex128" && right.kind === "complex128") {
    return left.real === right.real && left.imaginary === right.imaginary;
  }
  if (left.kind === "object" && right.kind === "object") {
    return left.text === right.text;
  }
  return left.kind === "nil" || ("value" in left && "value" in right && left.value === right.value);
}

function areSlicesEqual(left: SliceValue, right: SliceValue): boolean {
  if (left.isNil !== right.isNil || left.length !== right.length) {
    return false;
  }
  const others = itemsOf(right);
  return itemsOf(left).every((item, index) => {
    const other = others[index];
    return other !== undefined && isDeepEqual(item, other);
  });
}

function areMapsEqual(left: MapValue, right: MapValue): boolean {
  if (left.isNil !== right.isNil || left.entries.size !== right.entries.size) {
    return false;
  }
  return [...left.entries].every(([key, item]) => {
    const other = right.entries.get(key);
    return other !== undefined && isDeepEqual(item, other);
  });
}
