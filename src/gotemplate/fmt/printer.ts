import { compareStrings } from "../go/bytes.ts";
import {
  ANY,
  isUnsigned,
  itemsOf,
  type MapValue,
  type ObjectValue,
  type SliceValue,
  typeOf,
  type Value,
} from "../go/values.ts";
import { type Flags, NO_FLAGS, pad } from "./flags.ts";
import { formatFloatVerb } from "./floats.ts";
import { formatHexadecimal, formatInteger } from "./integers.ts";
import { formatString, plainString } from "./strings.ts";

/** An argument as a format verb prints it. */
export function formatArgument(value: Value, verb: string, flags: Flags): string {
  if (value.kind === "nil") {
    return verb === "T" || verb === "v" ? pad("<nil>", flags) : badVerb(value, verb, flags);
  }
  if (verb === "T") {
    return plainString(typeOf(value), flags);
  }
  const isComposite = value.kind === "slice" || value.kind === "map" || value.kind === "object";
  return verb === "w" && isComposite ? badErrorVerb(value, flags) : formatValue(value, verb, flags);
}

/** `%v` of a value: the default format. */
export function formatDefault(value: Value): string {
  return value.kind === "string" ? value.value : formatArgument(value, "v", NO_FLAGS);
}

function formatValue(value: Value, verb: string, flags: Flags): string {
  switch (value.kind) {
    case "nil":
      return flags.sharpV ? `${ANY}(nil)` : "<nil>";
    case "slice":
      return verb === "p" ? address(flags) : formatSlice(value, verb, flags);
    case "map":
      return verb === "p" ? address(flags) : formatMap(value, verb, flags);
    default:
      return formatScalar(value, verb, flags) ?? badVerb(value, verb, flags);
  }
}

function formatScalar(value: Value, verb: string, flags: Flags): string | undefined {
  switch (value.kind) {
    case "bool":
      return verb === "t" || verb === "v" ? pad(String(value.value), flags) : undefined;
    case "int":
      return flags.sharpV && verb === "v" && isUnsigned(value.type)
        ? formatHexadecimal(value.value, flags)
        : formatInteger(value.value, verb, flags);
    case "float64":
      return formatFloatVerb(value.value, verb, flags);
    case "complex128":
      return formatComplex(value.real, value.imaginary, { verb, flags });
    case "string":
      return formatString(value.value, verb, flags);
    case "object":
      return flags.sharpV ? formatStruct(value, verb, flags) : formatObject(value, verb, flags);
    default:
      return undefined;
  }
}

/** Verbs that take text get the String method's; the others print the struct. */
function formatObject(value: ObjectValue, verb: string, flags: Flags): string {
  return formatString(value.text, verb, flags) ?? formatStruct(value, verb, flags);
}

function formatStruct(value: ObjectValue, verb: string, flags: Flags): string {
  const isPointer = value.type.startsWith("*");
  const fields = value.fields.map(([name, field]) => {
    const text = formatValue(field, verb, flags);
    return flags.sharpV || flags.plusV ? `${name}:${text}` : text;
  });
  const type = flags.sharpV ? value.type.replace(/^\*/, "") : "";
  return `${isPointer ? "&" : ""}${type}{${fields.join(flags.sharpV ? ", " : " ")}}`;
}

function formatComplex(
  real: number,
  imaginary: number,
  form: { readonly verb: string; readonly flags: Flags },
): string | undefined {
  const realText = formatFloatVerb(real, form.verb, form.flags);
  const imaginaryText = formatFloatVerb(imaginary, form.verb, { ...form.flags, plus: true });
  return realText === undefined || imaginaryText === undefined ? undefined : `(${realText}${imaginaryText}i)`;
}

function formatSlice(slice: SliceValue, verb: string, flags: Flags): string {
  const items = itemsOf(slice).map((item) => formatValue(item, verb, flags));
  if (!flags.sharpV) {
    return `[${items.join(" ")}]`;
  }
  return slice.isNil ? `${typeOf(slice)}(nil)` : `${typeOf(slice)}{${items.join(", ")}}`;
}

function formatMap(map: MapValue, verb: string, flags: Flags): string {
  const entries = sortedEntries(map).map(
    ([key, item]) => `${formatValue({ kind: "string", value: key }, verb, flags)}:${formatValue(item, verb, flags)}`,
  );
  if (!flags.sharpV) {
    return `map[${entries.join(" ")}]`;
  }
  return map.isNil ? `${typeOf(map)}(nil)` : `${typeOf(map)}{${entries.join(", ")}}`;
}

/** A map's entries in the order of their keys, as Go prints and ranges over them. */
export function sortedEntries(map: MapValue): readonly (readonly [string, Value])[] {
  return [...map.entries].sort(([left], [right]) => compareStrings(left, right));
}

/** There are no addresses here; Go's differ from run to run, so nothing can depend on them. */
function address(flags: Flags): string {
  return pad(flags.sharp ? "c000000000" : "0xc000000000", flags);
}

/** `%w` is Errorf's: any other verb goes down to the items, this one is refused with the value as a whole, without its methods. */
function badErrorVerb(value: SliceValue | MapValue | ObjectValue, flags: Flags): string {
  const text = value.kind === "object" ? formatStruct(value, "v", flags) : formatValue(value, "v", flags);
  return `%!w(${typeOf(value)}=${text})`;
}

function badVerb(value: Value, verb: string, flags: Flags): string {
  if (value.kind === "nil") {
    return `%!${verb}(<nil>)`;
  }
  return `%!${verb}(${typeOf(value)}=${formatValue(value, "v", flags)})`;
}
