import type { DesiredSet } from "./desired.ts";
import type { NamedObject } from "./live-cache.ts";
import type { LiveRecord } from "./record.ts";

/** The EnsureExists objects that no selector finds: they are there without our label, and are watched by name. */
export function unselectedOf(records: ReadonlyMap<string, LiveRecord>, desired: DesiredSet): readonly NamedObject[] {
  const named: NamedObject[] = [];
  for (const { key, mode, resource, ref } of desired.objects.values()) {
    const isUnselected = mode === "EnsureExists" && records.get(key)?.isSelected === false;
    if (isUnselected && resource !== undefined) named.push({ key, resource, ref });
  }
  return named;
}
