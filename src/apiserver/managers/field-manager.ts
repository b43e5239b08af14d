import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  LAST_APPLIED_ANNOTATION,
  parseJson,
  stringifyJson,
} from "../../object/index.ts";
import {
  ApplyConflict,
  compareTyped,
  FieldSet,
  fieldElement,
  SchemaMismatch,
  type TypedObject,
  toFieldSet,
  Updater,
  type VersionedSet,
  type Versions,
  validateTyped,
} from "../merge/index.ts";
import {
  compareManagerIds,
  decodeManagedFields,
  encodeManagedFields,
  type FieldSetCache,
  isReset,
  type Managed,
  managerId,
  NOT_MANAGED,
} from "./managed-fields.ts";
import { metadataOf, metaMap, metaText, withMetadata } from "./metadata.ts";

/** Update entries beyond this number are folded into one, oldest first. */
const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = "ancient-changes";
const BEFORE_FIRST_APPLY = "before-first-apply";
/** The one manager whose applies keep kubectl's client-side annotation in step. */
const KUBECTL = "kubectl";
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Fields that identify the object or belong to the server: nobody owns them. */
const NEVER_OWNED: FieldSet = FieldSet.of(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", fieldElement(name)]),
);

/** What a field manager needs of one API: its kind at the request's version, and how versions convert. */
export interface ManagedApi {
  readonly apiVersion: string;
  readonly kind: string;
  readonly subresource: string;
  readonly versions: Versions;
  /** Shared by all requests of a server. */
  readonly fieldSets: FieldSetCache;
  /** The object in the request's version with its type. */
  typed(object: JsonObject): TypedObject;
  /** A new object with nothing set, in the form in which the server holds it. */
  empty(): JsonObject;
  /** Seconds since the epoch as RFC 3339. */
  now(): string;
}

/** Who writes: `manager` is the field manager's name. */
export interface Writer {
  readonly manager: string;
  readonly force?: boolean;
}

/**
 * Keeps `metadata.managedFields` as kube-apiserver's chain of field managers does: stripping, time, capping,
 * before-first-apply, kubectl's last-applied annotation.
 */
export class FieldManager {
  readonly #api: ManagedApi;
  readonly #updater: Updater;

  constructor(api: ManagedApi) {
    this.#api = api;
    this.#updater = new Updater(api.versions);
  }

  /**
   * The object `next` with the managedFields that writing it over `live` gives; for a create, `live` has no uid. Where
   * the fields cannot be tracked (an owner at a version that cannot be converted to), live's entries stay as they are.
   */
  update(live: JsonObject, next: JsonObject, writer: Writer): JsonObject {
    const sent = metadataOf(next).managedFields;
    const managed = this.#decodeLiveOrSent(live, sent);
    const bare = withMetadata(next, { managedFields: undefined });
    try {
      return this.#encode(bare, this.#updateTracked(live, bare, managed, writer.manager));
    } catch {
      return withMetadata(bare, { managedFields: metadataOf(live).managedFields });
    }
  }

  /** What applying `config` to `live` gives, with managedFields; not yet defaulted. Throws ApplyConflict or SchemaMismatch. */
  apply(
    live: JsonObject,
    config: JsonObject,
    writer: Writer,
  ): { readonly object: JsonObject; readonly changed: boolean } {
    const managed = decodeManagedFields(metadataOf(live).managedFields, this.#api.fieldSets) ?? NOT_MANAGED;
    const force = writer.force ?? false;
    const bareLive = withMetadata(live, { managedFields: undefined });
    let result: { object: JsonObject; changed: boolean; managed: Managed };
    try {
      result = this.#applyTracked(bareLive, config, managed, { ...writer, force });
    } catch (error) {
      if (writer.manager !== KUBECTL || !(error instanceof ApplyConflict)) throw error;
      this.#allowClientSideConflicts(error, bareLive);
      result = this.#applyTracked(bareLive, config, managed, { ...writer, force: true });
    }
    const object = writer.manager === KUBECTL ? syncLastApplied(result.object, config) : result.object;
    return { object: this.#encode(object, result.managed), changed: result.changed || object !== result.object };
  }

  #decodeLiveOrSent(live: JsonObject, sent: unknown): Managed {
    const ofLive = (): Managed =>
      decodeManagedFields(metadataOf(live).managedFields, this.#api.fieldSets) ?? NOT_MANAGED;
    // Through a subresource, managedFields cannot be written.
    if (this.#api.subresource !== "") return ofLive();
    if (isReset(sent)) return NOT_MANAGED;
    const managed = decodeManagedFields(sent, this.#api.fieldSets);
    return managed === undefined || managed.managers.size === 0 ? ofLive() : managed;
  }

  #updateTracked(live: JsonObject, next: JsonObject, managed: Managed, manager: string): Managed {
    // An object without owners that exists already is left untracked until somebody applies to it.
    if (managed.managers.size === 0 && metaText(live, "uid") !== "") return managed;
    return capUpdateManagers(this.#updateAs(live, next, managed, manager));
  }

  #updateAs(live: JsonObject, next: JsonObject, managed: Managed, manager: string): Managed {
    const { apiVersion, subresource } = this.#api;
    const self = "current-operation";
    const bareLive = withMetadata(live, { managedFields: undefined });
    const managers = new Map<string, VersionedSet>(
      this.#updater.update(this.#api.typed(bareLive), this.#api.typed(next), {
        version: apiVersion,
        managers: managed.managers,
        manager: self,
      }),
    );
    const times = new Map(managed.times);
    const own = stripped(managers.get(self));
    managers.delete(self);
    if (own !== undefined) {
      const id = managerId({ manager: manager || "unknown", operation: "Update", apiVersion, subresource });
      const previous = managers.get(id);
      managers.set(id, previous === undefined ? own : { ...own, set: own.set.union(previous.set) });
      times.set(id, this.#api.now());
    }
    return { managers, times };
  }

  #applyTracked(
    live: JsonObject,
    config: JsonObject,
    managed: Managed,
    writer: Writer & { readonly force: boolean },
  ): { object: JsonObject; changed: boolean; managed: Managed } {
    const { apiVersion, subresource } = this.#api;
    let known = managed;
    if (known.managers.size === 0) {
      // What was there before anybody applied is owned as one update.
      known = capUpdateManagers(this.#updateAs(this.#api.empty(), live, known, BEFORE_FIRST_APPLY));
    }
    const typedConfig = this.#api.typed(config);
    this.#validateConfig(typedConfig);
    const id = managerId({ manager: writer.manager, operation: "Apply", subresource });
    const applied = this.#updater.apply(this.#api.typed(live), typedConfig, {
      version: apiVersion,
      managers: known.managers,
      manager: id,
      force: writer.force,
    });
    const managers = new Map(applied.managers);
    const own = stripped(managers.get(id));
    if (own === undefined) managers.delete(id);
    else managers.set(id, own);
    const times = new Map(known.times);
    if (applied.object !== undefined) times.set(id, this.#api.now());
    return {
      object: applied.object ?? live,
      changed: applied.object !== undefined,
      managed: { managers, times },
    };
  }

  #validateConfig(config: TypedObject): void {
    try {
      validateTyped(config.value, config.type, { allowDuplicates: false });
    } catch (error) {
      if (!(error instanceof SchemaMismatch)) throw error;
      const who = `${metaText(config.value, "namespace")}/${metaText(config.value, "name")}`;
      const kind = describeKind(this.#api.apiVersion, this.#api.kind);
      const message = `failed to create typed patch object (${who}; ${kind}): ${error.message}`;
      throw new SchemaMismatch([{ path: "", message }]);
    }
  }

  /** Throws the conflicts that kubectl's client-side annotation does not explain. */
  #allowClientSideConflicts(error: ApplyConflict, live: JsonObject): void {
    const allowed = this.#ownedByLastApplied(live);
    if (allowed === undefined) throw error;
    const rest = error.conflicts.filter(({ path }) => !allowed.has(path));
    if (rest.length > 0) throw new ApplyConflict(rest);
  }

  /** The fields that the last client-side apply set and that still hold its values. */
  #ownedByLastApplied(live: JsonObject): FieldSet | undefined {
    const text = metaMap(live, "annotations")[LAST_APPLIED_ANNOTATION];
    if (text === undefined || text === "") return undefined;
    try {
      const last = parseJson(text);
      if (!isJsonObject(last) || last.apiVersion !== this.#api.apiVersion) return undefined;
      const typed = this.#api.typed(last);
      validateTyped(typed.value, typed.type, { allowDuplicates: false });
      const compare = compareTyped(last, this.#api.typed(live).value, typed.type);
      const set = toFieldSet(last, typed.type);
      return set.difference(compare.modified).difference(compare.added).difference(compare.removed);
    } catch {
      return undefined;
    }
  }

  #encode(object: JsonObject, managed: Managed): JsonObject {
    return withMetadata(object, { managedFields: encodeManagedFields(managed, this.#api.fieldSets) });
  }
}

/** A kind as the server prints it; the core group is empty before the slash. */
export function describeKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${kind}`;
}

function stripped(owned: VersionedSet | undefined): VersionedSet | undefined {
  if (owned === undefined) return undefined;
  const set = owned.set.difference(NEVER_OWNED);
  return set.isEmpty ? undefined : { ...owned, set };
}

/** Folds the oldest update entries of a version into one, until no more than {@link MAX_UPDATE_MANAGERS} are left. */
function capUpdateManagers(managed: Managed): Managed {
  const updaters = [...managed.managers].filter(([, owned]) => !owned.applied).map(([id]) => id);
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managed;
  const timeOf = (id: string): string => managed.times.get(id) ?? "";
  updaters.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : compareManagerIds(a, b)));
  const managers = new Map<string, VersionedSet>(managed.managers);
  const times = new Map(managed.times);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const id of updaters) {
    if (count <= MAX_UPDATE_MANAGERS) break;
    const owned = managers.get(id);
    if (owned === undefined) continue;
    const first = firstOfVersion.get(owned.version);
    if (first === undefined) {
      firstOfVersion.set(owned.version, id);
      continue;
    }
    const bucket = managerId({ manager: ANCIENT, operation: "Update", apiVersion: owned.version });
    const base = managers.get(bucket) ?? managers.get(first);
    if (!managers.has(bucket)) managers.delete(first);
    managers.delete(id);
    managers.set(bucket, base === undefined ? owned : { ...owned, set: owned.set.union(base.set) });
    const time = managed.times.get(id);
    if (time !== undefined) times.set(bucket, time);
    count -= 1;
  }
  return { managers, times };
}

/** Keeps kubectl's client-side annotation equal to what kubectl applies, where the object has one. */
function syncLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = metaMap(object, "annotations");
  const present = annotations[LAST_APPLIED_ANNOTATION];
  if (present === undefined || present === "") return object;
  const { [LAST_APPLIED_ANNOTATION]: _, ...others } = metaMap(config, "annotations");
  const bare = withMetadata(config, { annotations: Object.keys(others).length === 0 ? undefined : others });
  const text = `${canonicalJson(bare)}\n`;
  const { [LAST_APPLIED_ANNOTATION]: __, ...rest } = annotations;
  const next = { ...annotations, [LAST_APPLIED_ANNOTATION]: text };
  return withMetadata(object, { annotations: stringifyJson(next).length > MAX_ANNOTATIONS_BYTES ? rest : next });
}
