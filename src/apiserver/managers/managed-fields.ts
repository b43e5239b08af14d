import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { FieldSet, type Managers, type VersionedSet } from "../merge/index.ts";

/** The owners of an object's fields with the time of each one's last change. */
export interface Managed {
  readonly managers: Managers;
  /** By manager identifier; RFC 3339, seconds. */
  readonly times: ReadonlyMap<string, string>;
}

/** How many field sets a generation of {@link FieldSetCache} holds. */
const GENERATION = 500;

/**
 * Field sets by the very JSON that they were read from or written to: stored entries that are in use are not parsed
 * again. A set is several times larger than its JSON, so only the last ones are kept: those of two generations.
 */
export class FieldSetCache {
  #young: WeakMap<JsonObject, FieldSet> = new WeakMap();
  #old: WeakMap<JsonObject, FieldSet> = new WeakMap();
  #count = 0;

  get(json: JsonObject): FieldSet | undefined {
    const young = this.#young.get(json);
    if (young !== undefined) return young;
    const old = this.#old.get(json);
    if (old !== undefined) this.set(json, old);
    return old;
  }

  set(json: JsonObject, set: FieldSet): void {
    if (this.#young.has(json)) return;
    if (this.#count >= GENERATION) {
      this.#old = this.#young;
      this.#young = new WeakMap();
      this.#count = 0;
    }
    this.#young.set(json, set);
    this.#count += 1;
  }
}

/** No owners. */
export const NOT_MANAGED: Managed = { managers: new Map(), times: new Map() };

/** What tells one managedFields entry from another; the version counts only for updates. */
export interface ManagerKey {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/** The identifier of a manager, as JSON: unique, and readable back by {@link parseManagerId}. */
export function managerId(key: ManagerKey): string {
  return JSON.stringify([
    key.manager,
    key.operation,
    key.operation === "Apply" ? "" : (key.apiVersion ?? ""),
    key.subresource ?? "",
  ]);
}

/** The inverse of {@link managerId}. */
export function parseManagerId(id: string): ManagerKey {
  const [manager, operation, apiVersion, subresource]: readonly string[] = JSON.parse(id);
  return {
    manager: manager ?? "",
    operation: operation === "Apply" ? "Apply" : "Update",
    apiVersion: apiVersion ?? "",
    subresource: subresource ?? "",
  };
}

/** Reads `metadata.managedFields`; undefined where an entry is malformed. */
export function decodeManagedFields(entries: unknown, known: FieldSetCache): Managed | undefined {
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  if (!Array.isArray(entries)) return { managers, times };
  for (const entry of entries) {
    const key = isJsonObject(entry) ? keyOfEntry(entry) : undefined;
    const set = isJsonObject(entry) ? setOfEntry(entry, known) : undefined;
    if (key === undefined || set === undefined) return undefined;
    const id = managerId(key);
    managers.set(id, { set, version: key.apiVersion ?? "", applied: key.operation === "Apply" });
    if (typeof entry.time === "string") times.set(id, entry.time);
  }
  return { managers, times };
}

function keyOfEntry(entry: JsonObject): ManagerKey | undefined {
  const { manager = "", operation, apiVersion, fieldsType, subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (typeof apiVersion !== "string" || apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
  if (typeof manager !== "string" || typeof subresource !== "string") return undefined;
  return { manager, operation, apiVersion, subresource };
}

function setOfEntry(entry: JsonObject, known: FieldSetCache): FieldSet | undefined {
  if (!isJsonObject(entry.fieldsV1)) return FieldSet.fromJson(entry.fieldsV1 ?? {});
  const set = known.get(entry.fieldsV1) ?? FieldSet.fromJson(entry.fieldsV1);
  if (set !== undefined) known.set(entry.fieldsV1, set);
  return set;
}

/** Writes `metadata.managedFields`, sorted as the API server does; undefined where nobody owns anything. */
export function encodeManagedFields(managed: Managed, known: FieldSetCache): readonly JsonObject[] | undefined {
  if (managed.managers.size === 0) return undefined;
  const entries = [...managed.managers].map(([id, owned]) => {
    const { manager, operation, subresource } = parseManagerId(id);
    const time = managed.times.get(id);
    const fieldsV1 = owned.set.toJson();
    known.set(fieldsV1, owned.set);
    return {
      ...(manager === "" ? {} : { manager }),
      operation: owned.applied ? "Apply" : operation,
      apiVersion: owned.version,
      ...(time === undefined ? {} : { time }),
      fieldsType: "FieldsV1",
      fieldsV1,
      ...(subresource ? { subresource } : {}),
    };
  });
  return entries.sort(
    (a, b) =>
      compareText(a.operation, b.operation) ||
      compareText(a.time ?? "", b.time ?? "") ||
      compareText(a.manager ?? "", b.manager ?? "") ||
      compareText(a.apiVersion, b.apiVersion) ||
      compareText(a.subresource ?? "", b.subresource ?? ""),
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether a client asks to forget all owners: an empty list, or one empty entry. */
export function isReset(entries: unknown): boolean {
  if (!Array.isArray(entries)) return false;
  return (
    entries.length === 0 || (entries.length === 1 && isJsonObject(entries[0]) && Object.keys(entries[0]).length === 0)
  );
}

/** The server orders managers by its own identifier's JSON: manager, operation, apiVersion, subresource in that order. */
export function compareManagerIds(a: string, b: string): number {
  const [left, right] = [goIdentifier(a), goIdentifier(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function goIdentifier(id: string): string {
  const { manager, operation, apiVersion, subresource } = parseManagerId(id);
  return JSON.stringify({
    manager: manager || undefined,
    operation,
    apiVersion: apiVersion || undefined,
    subresource: subresource || undefined,
  });
}
