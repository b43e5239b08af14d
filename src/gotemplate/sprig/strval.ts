import { formatDefault } from "../fmt/printer.ts";
import { itemsOf, type Value } from "../go/values.ts";

/** sprig's strval: a string as it is, anything else as `%v` prints it. */
export function strval(value: Value): string {
  return formatDefault(value);
}

/** sprig's strslice: a list's elements as strings, without nils; anything else as the only element. */
export function strslice(value: Value): readonly string[] {
  if (value.kind === "slice") {
    return itemsOf(value)
      .filter((item) => item.kind !== "nil")
      .map(strval);
  }
  return value.kind === "nil" ? [] : [strval(value)];
}
