import { equalJson, fieldOf } from "../json-value.ts";
import { type KeyedItem, keyText } from "./fields.ts";

/** A keyed list's key names and the items of it that a field set names. */
export interface KeyedList {
  readonly names: readonly string[];
  readonly items: readonly KeyedItem[];
}

/**
 * The owned item that each item of a list stands for, one to one: items that spell out all keys first, then those that
 * leave a key to the schema's default, where exactly one owned item is left that fits. Undefined for an item that has
 * none or could be several. Without the one-to-one rule, ports `53/UDP` and `53` both match `53/UDP`, and a foreign
 * rename of the other port goes unseen.
 */
export function alignItems(items: readonly unknown[], owned: KeyedList): readonly (KeyedItem | undefined)[] {
  const free = new Map(owned.items.map((item) => [item.text, item]));
  const exact = items.map((item) => takeExact(free, owned.names, item));
  return items.map((item, at) => exact[at] ?? takeOnlyFit(free, owned.names, item));
}

/** As {@link alignItems}, all or nothing. */
export function assignItems(items: readonly unknown[], owned: KeyedList): readonly KeyedItem[] | undefined {
  const assigned = alignItems(items, owned).filter((item) => item !== undefined);
  return assigned.length === items.length ? assigned : undefined;
}

function takeExact(free: Map<string, KeyedItem>, names: readonly string[], item: unknown): KeyedItem | undefined {
  const text = keyText(names, item);
  const found = free.get(text);
  if (found !== undefined) free.delete(text);
  return found;
}

function takeOnlyFit(free: Map<string, KeyedItem>, names: readonly string[], item: unknown): KeyedItem | undefined {
  const spelled = names.filter((name) => fieldOf(item, name) !== undefined);
  if (spelled.length === names.length) return undefined;
  const fits = [...free.values()].filter((candidate) =>
    spelled.every((name) => equalJson(fieldOf(item, name), fieldOf(candidate.key, name))),
  );
  const only = fits.length === 1 ? fits[0] : undefined;
  if (only !== undefined) free.delete(only.text);
  return only;
}
