import { type FieldPath, formatPath, type PathStep } from "../field-path.ts";
import { type FieldSet, isLeaf, listFieldsOf, subtree } from "./fields.ts";

/**
 * The fields that a set owns, as people write them, in its own order: leaves, and list items of which nothing but the item
 * itself is owned. Never values, but for keys of list items and members of sets.
 */
export function fieldPathsOf(fields: FieldSet): readonly string[] {
  const paths: string[] = [];
  if (!isLeaf(fields)) visit(fields, [], paths);
  return paths;
}

function visit(fields: FieldSet, path: FieldPath, paths: string[]): void {
  for (const [step, below] of children(fields)) {
    const here = [...path, step];
    if (isLeaf(below)) paths.push(formatPath(here));
    else visit(below, here, paths);
  }
}

function children(fields: FieldSet): readonly (readonly [PathStep, FieldSet])[] {
  const list = listFieldsOf(fields);
  switch (list.kind) {
    case "keyed":
      return list.items.map(({ key, fields: below }) => [{ key }, below]);
    case "set":
      return list.items.map(({ value }) => [{ value }, {}]);
    case "indexed":
      return list.items.map(({ index, fields: below }) => [index, below]);
    case "none":
      return Object.keys(fields)
        .filter((step) => step.startsWith("f:"))
        .map((step) => [step.slice(2), subtree(fields, step) ?? {}]);
  }
}
