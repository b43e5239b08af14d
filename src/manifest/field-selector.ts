import { isJsonObject } from "../object/index.ts";

/** One step of a written path: a field, an index, every item, or the item with these values. */
export type Selector =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "every" }
  | { readonly kind: "item"; readonly keys: ReadonlyMap<string, string> };

const STEP =
  /\.?(?<name>[A-Za-z_$][\w$/-]*)|\[(?:(?<every>\*)|(?<index>\d+)|(?<quoted>"(?:[^"\\]|\\.)*")|(?<keys>[^\]"]*=(?:"[^"]*"|[^\]])*))\]/y;

/**
 * Reads a path as people and the API server write it: `spec.replicas`, `.spec.containers[name="a"].image`,
 * `spec.rules[0]`, `containers[*].resources`, `metadata.labels["a.b/c"]`. Undefined where it is none.
 */
export function parseFieldPath(text: string): readonly Selector[] | undefined {
  const steps: Selector[] = [];
  const pattern = new RegExp(STEP);
  while (pattern.lastIndex < text.length) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) return undefined;
    steps.push(stepOf(groups));
  }
  return steps.length === 0 ? undefined : steps;
}

function stepOf(groups: Readonly<Record<string, string | undefined>>): Selector {
  const { name, every, index, quoted, keys = "" } = groups;
  if (name !== undefined) return { kind: "field", name };
  if (every !== undefined) return { kind: "every" };
  if (index !== undefined) return { kind: "index", index: Number(index) };
  if (quoted !== undefined) return { kind: "field", name: String(JSON.parse(quoted)) };
  return { kind: "item", keys: new Map(keys.split(",").map(keyOf)) };
}

function keyOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return [
    text.slice(0, at).trim(),
    text
      .slice(at + 1)
      .trim()
      .replaceAll(/^"|"$/g, ""),
  ];
}

/** Whether an item of a list is meant. `[="a"]` means the scalar `a` of a set. */
export function selectsItem(selector: Selector, item: unknown, index: number): boolean {
  switch (selector.kind) {
    case "field":
      return false;
    case "index":
      return selector.index === index;
    case "every":
      return true;
    case "item":
      return [...selector.keys].every(([key, value]) =>
        key === "" ? String(item) === value : isJsonObject(item) && String(item[key]) === value,
      );
  }
}
