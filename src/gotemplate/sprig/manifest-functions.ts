import { type GoFunction, NIL, stringOf, unbox, type Value } from "../go/values.ts";
import { toYaml } from "../yaml/to-yaml.ts";
import { encodeJson } from "./json.ts";
import { any, dict, fn, text } from "./signature.ts";

/** Functions that manifests use besides sprig's: Helm's `toYaml` and `include`, the operators' `getOr` and `isSet`. */
export const MANIFEST_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  /** What cannot be marshalled prints as nothing, as in Helm. */
  toYaml: fn([any], text, (value) => (canMarshal(value) ? toYaml(value) : "")),
  /** The entry, or the fallback where it is missing or empty text. */
  getOr: fn([dict, text, text], any, (map, key, fallback) => {
    const value = map.entries.get(key);
    return value === undefined || (value.kind === "string" && value.value === "") ? stringOf(fallback) : value;
  }),
  /** The entry, or false. */
  isSet: fn([dict, text], any, (map, key): Value => map.entries.get(key) ?? { kind: "bool", value: false }),
  include: {
    params: ["string", any.type],
    result: "string",
    call: ([name = NIL, data = NIL], scope) => stringOf(scope.render(text.take(unbox(name)), unbox(data))),
  },
};

function canMarshal(value: Value): boolean {
  try {
    return encodeJson(value) !== "";
  } catch {
    return false;
  }
}
