import { isJsonObject } from "../../object/index.ts";
import { equalValues } from "../merge/index.ts";
import { copyJson } from "../strategy/index.ts";

/** A JSON patch that cannot be applied; `malformed` tells a patch that is none at all. */
export class JsonPatchError extends Error {
  readonly malformed: boolean;

  constructor(message: string, malformed = false) {
    super(message);
    this.name = "JsonPatchError";
    this.malformed = malformed;
  }
}

interface Operation {
  readonly op: string;
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: unknown;
}

/** Applies a JSON patch (RFC 6902) to a copy of `document`. Throws {@link JsonPatchError}. */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw new JsonPatchError("json: cannot unmarshal object into Go value of type jsonpatch.Patch", true);
  let result = copyJson(document);
  for (const operation of patch.map(parseOperation)) result = applyOperation(result, operation);
  return result;
}

function parseOperation(value: unknown): Operation {
  if (!isJsonObject(value) || typeof value.op !== "string" || typeof value.path !== "string") {
    throw new JsonPatchError("Unexpected kind: unknown", false);
  }
  return {
    op: value.op,
    path: parsePointer(value.path),
    from: parsePointer(typeof value.from === "string" ? value.from : ""),
    value: Object.hasOwn(value, "value") ? value.value : undefined,
  };
}

function parsePointer(text: string): readonly string[] {
  if (text === "") return [];
  return text
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function applyOperation(document: unknown, operation: Operation): unknown {
  const { op, path, from, value } = operation;
  switch (op) {
    case "add":
      return insert(document, path, copyJson(value ?? null));
    case "remove":
      return remove(document, path);
    case "replace":
      // A missing key of a present map is simply set: the server's library does not check.
      return assign(document, path, copyJson(value ?? null));
    case "move": {
      const moved = read(document, from, "move");
      return insert(remove(document, from), path, moved);
    }
    case "copy":
      return insert(document, path, copyJson(read(document, from, "copy")));
    case "test":
      if (!equalValues(tryRead(document, path) ?? null, value ?? null))
        throw new JsonPatchError(`testing value ${describe(path)} failed: test failed`);
      return document;
    default:
      throw new JsonPatchError(`Unexpected kind: ${op}`);
  }
}

function describe(path: readonly string[]): string {
  return path.map((part) => `/${part}`).join("");
}

function tryRead(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const part of path) {
    if (Array.isArray(value)) value = value[indexOf(part, value.length - 1)];
    else if (isJsonObject(value) && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value;
}

function read(document: unknown, path: readonly string[], op: string): unknown {
  const value = tryRead(document, path);
  if (value === undefined)
    throw new JsonPatchError(`${op} operation does not apply: doc is missing key: ${describe(path)}: missing value`);
  return value;
}

function indexOf(part: string, last: number): number {
  const index = part === "-" ? last : Number(part);
  if (!Number.isInteger(index) || index < 0 || index > last)
    throw new JsonPatchError(`Unable to access invalid index: ${part}: invalid index referenced`);
  return index;
}

interface Container {
  readonly parent: unknown[] | { [key: string]: unknown };
  readonly last: string;
}

function containerOf(document: unknown, path: readonly string[], op: string): Container {
  const parent = tryRead(document, path.slice(0, -1));
  const last = path.at(-1) ?? "";
  if (Array.isArray(parent)) return { parent, last };
  if (isMutable(parent)) return { parent, last };
  throw new JsonPatchError(`${op} operation does not apply: doc is missing path: ${describe(path)}: missing value`);
}

function isMutable(value: unknown): value is { [key: string]: unknown } {
  return isJsonObject(value);
}

function insert(document: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value;
  const { parent, last } = containerOf(document, path, "add");
  if (Array.isArray(parent)) parent.splice(indexOf(last, parent.length), 0, value);
  else parent[last] = value;
  return document;
}

function assign(document: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value;
  const { parent, last } = containerOf(document, path, "replace");
  if (Array.isArray(parent)) parent[indexOf(last, parent.length - 1)] = value;
  else parent[last] = value;
  return document;
}

function remove(document: unknown, path: readonly string[]): unknown {
  const { parent, last } = containerOf(document, path, "remove");
  if (Array.isArray(parent)) parent.splice(indexOf(last, parent.length - 1), 1);
  else if (Object.hasOwn(parent, last)) delete parent[last];
  else
    throw new JsonPatchError(`remove operation does not apply: doc is missing key: ${describe(path)}: missing value`);
  return document;
}
