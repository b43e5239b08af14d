import { failure } from "../go/failure.ts";
import { boolOf, type GoFunction, intOf, NIL, type ObjectValue, stringOf, unbox, type Value } from "../go/values.ts";
import { satisfies } from "./semver-constraint.ts";
import { bool, fn, text, typed } from "./signature.ts";
import { compareVersions, parseVersion, type Version, versionText } from "./version.ts";

const VERSION_TYPE = "*semver.Version";

/** sprig's functions on semantic versions. */
export const SEMVER_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  semver: fn([text], typed(VERSION_TYPE), (str) => versionValue(parseVersion(str))),
  semverCompare: fn([text, text], bool, satisfies),
};

/** A version as templates see it: fields that are methods, as in `(semver "1.2.3").Major`. */
function versionValue(version: Version): ObjectValue {
  const methods = new Map<string, GoFunction>([
    ["Major", method("uint64", () => intOf(version.major, "uint64"))],
    ["Minor", method("uint64", () => intOf(version.minor, "uint64"))],
    ["Patch", method("uint64", () => intOf(version.patch, "uint64"))],
    ["Prerelease", method("string", () => stringOf(version.prerelease))],
    ["Metadata", method("string", () => stringOf(version.metadata))],
    ["Original", method("string", () => stringOf(version.original))],
    ["String", method("string", () => stringOf(versionText(version)))],
    ["Compare", comparison("int", version, (order) => intOf(order))],
    ["Equal", comparison("bool", version, (order) => boolOf(order === 0))],
    ["LessThan", comparison("bool", version, (order) => boolOf(order < 0))],
    ["LessThanEqual", comparison("bool", version, (order) => boolOf(order <= 0))],
    ["GreaterThan", comparison("bool", version, (order) => boolOf(order > 0))],
    ["GreaterThanEqual", comparison("bool", version, (order) => boolOf(order >= 0))],
  ]);
  return { kind: "object", type: VERSION_TYPE, text: versionText(version), fields: fieldsOf(version), methods };
}

function fieldsOf(version: Version): ObjectValue["fields"] {
  return [
    ["major", intOf(version.major, "uint64")],
    ["minor", intOf(version.minor, "uint64")],
    ["patch", intOf(version.patch, "uint64")],
    ["pre", stringOf(version.prerelease)],
    ["metadata", stringOf(version.metadata)],
    ["original", stringOf(version.original)],
  ];
}

function method(result: string, call: () => Value): GoFunction {
  return { params: [], result, call };
}

function comparison(result: string, version: Version, answer: (order: number) => Value): GoFunction {
  return {
    params: [VERSION_TYPE],
    result,
    call: ([ref = NIL]) => {
      const other = unbox(ref);
      if (other.kind !== "object") {
        throw failure("runtime error: invalid memory address or nil pointer dereference");
      }
      return answer(compareVersions(version, parseVersion(other.text)));
    },
  };
}
