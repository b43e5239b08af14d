import { isJsonObject } from "../json.ts";
import { guardedPatch, type JsonPatch } from "../json-patch.ts";
import type { KubeObject, ManagedFieldsEntry } from "../types.ts";
import { entryOf, isEntryOf } from "./entry.ts";
import type { FieldSet } from "./fields.ts";

/** The server's name for the owner of what was there before fields were tracked, or since all entries were wiped. */
const BEFORE_FIRST_APPLY = "before-first-apply";

/** What of `fields` is not in `taken`. A node of its own (`.`) stays as long as something below it does. */
export function withoutFields(fields: FieldSet, taken: FieldSet): FieldSet {
  const rest: Record<string, unknown> = {};
  for (const [step, child] of Object.entries(fields)) {
    const other = taken[step];
    if (!isJsonObject(child) || !isJsonObject(other)) rest[step] = child;
    else {
      const below = withoutFields(child, other);
      if (Object.keys(below).some((each) => each !== ".")) rest[step] = below;
    }
  }
  return rest;
}

/**
 * After somebody wiped all managedFields, an apply leaves `before-first-apply` as the owner of everything that was there,
 * our fields too: what we drop later would stay for ever. This patch takes our fields out of that entry. Undefined where
 * there is nothing to do.
 */
export function restoreOwnershipPatch(live: KubeObject, manager: string): JsonPatch | undefined {
  const ours = entryOf(live, manager, "Apply")?.fieldsV1;
  const entries = live.metadata.managedFields ?? [];
  if (ours === undefined || !entries.some((entry) => isEntryOf(entry, BEFORE_FIRST_APPLY, "Update"))) return undefined;
  const restored = entries.flatMap((entry): readonly ManagedFieldsEntry[] => {
    if (!isEntryOf(entry, BEFORE_FIRST_APPLY, "Update")) return [entry];
    const fieldsV1 = withoutFields(entry.fieldsV1 ?? {}, ours);
    return Object.keys(fieldsV1).length === 0 ? [] : [{ ...entry, fieldsV1 }];
  });
  return guardedPatch(live, [{ op: "replace", path: "/metadata/managedFields", value: restored }]);
}
