// Reads the struct definitions of Go files of Kubernetes' API packages, as far as encoding depends on them: which fields
// are pointers, which have `omitempty` or `omitzero`, and their protobuf numbers. OpenAPI tells none of it.
import { readFileSync } from "node:fs";

const STRUCT = /^type (\w+) struct \{/;
const FIELD = /^\s+(?:(\w+)\s+)?([*\w.[\]]+)\s+`(.*)`/;
const NUMBER = /protobuf:"\w+,(\d+),/;

/**
 * @param {readonly string[]} files
 * @returns {Map<string, Map<string, { pointer: boolean, omitEmpty: boolean, omitZero: boolean, number: string }>>} fields by
 *   struct name; an embedded struct is listed under the key `<Embedded type>`.
 */
export function readGoStructs(files) {
  const structs = new Map();
  for (const file of files) {
    let current;
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const start = STRUCT.exec(line);
      if (start !== null) {
        current = new Map();
        structs.set(start[1], current);
        continue;
      }
      if (line.startsWith("}")) current = undefined;
      if (current === undefined || /^\s*\/\//.test(line)) continue;
      const field = readField(line);
      if (field !== undefined) current.set(field.key, field.tag);
    }
  }
  return structs;
}

function readField(line) {
  const found = FIELD.exec(line);
  const json = /json:"([^"]*)"/.exec(found?.[3] ?? "");
  if (found === null || json === null) return undefined;
  const [, , type, tags] = found;
  const [name, ...options] = json[1].split(",");
  const number = NUMBER.exec(tags)?.[1] ?? "";
  const isEmbedded = name === "" || options.includes("inline");
  const tag = {
    pointer: type.startsWith("*"),
    omitEmpty: options.includes("omitempty"),
    omitZero: options.includes("omitzero"),
    number,
  };
  return { key: isEmbedded ? `<${type.replace(/^\*/, "").split(".").at(-1)}>` : name, tag };
}
