import { isJsonObject, type JsonObject } from "../object/index.ts";
import { lineAt, type ValueDocument } from "./yaml/index.ts";

/** One object of a document: the document itself, or an item of a List. */
export interface FlatItem {
  readonly value: unknown;
  /** 1-based line of the file on which it starts. */
  readonly line: number;
  /** Where it is in its document: [] for the document itself, `["items", 0]` for the first item. */
  readonly path: readonly (string | number)[];
}

/**
 * The objects of a document: `kind: List` and typed lists (`ConfigMapList`) are replaced by their items, at any depth.
 * An item of a typed list that names no kind has the list's, as for kubectl.
 */
export function flatten(document: ValueDocument): readonly FlatItem[] {
  const items: FlatItem[] = [];
  collect(document, { value: document.value, line: lineAt(document, document.start), path: [] }, items);
  return items;
}

function collect(document: ValueDocument, item: FlatItem, into: FlatItem[]): void {
  const { value } = item;
  if (!isJsonObject(value) || !isList(value)) {
    into.push(item);
    return;
  }
  for (const [index, child] of listItems(value).entries()) {
    const offset = typeof child === "object" && child !== null ? document.positions.items.get(child) : undefined;
    const line = offset === undefined ? item.line : lineAt(document, offset);
    collect(document, { value: withKind(child, value), line, path: [...item.path, "items", index] }, into);
  }
}

function isList(value: JsonObject): boolean {
  return (
    typeof value.kind === "string" &&
    value.kind.endsWith("List") &&
    (Array.isArray(value.items) || value.items === null)
  );
}

function listItems(list: JsonObject): readonly unknown[] {
  return Array.isArray(list.items) ? list.items : [];
}

function withKind(item: unknown, list: JsonObject): unknown {
  const kind = String(list.kind).slice(0, -"List".length);
  if (!isJsonObject(item) || kind === "" || item.kind !== undefined) return item;
  return { apiVersion: list.apiVersion, kind, ...item };
}
