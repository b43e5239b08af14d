import type { KeelsonError } from "../errors/index.ts";
import { type ApiResource, Reflector, type ReflectorEvent, type Target } from "../kube/index.ts";
import { groupKindKey, type KubeObject, type ResourceVersion, refKey, trackingReliable } from "../object/index.ts";
import type { Cluster } from "./cluster.ts";
import type { DesiredObject } from "./desired.ts";
import { observe } from "./observe.ts";
import { type Baseline, equalsBaseline, isOlder, type LiveRecord } from "./record.ts";
import type { ScopedKind } from "./scope.ts";

/** What the cache tells its owner. Called synchronously. */
export interface LiveCacheListener {
  /** The record of a key was set, replaced or removed. `isInitial`: it came with a list. */
  onChange(key: string, isInitial: boolean): void;
  /** Records were dropped, since nobody watches their kinds any more. */
  onForgotten(): void;
  /** An object became ready, or is so no longer, or for another reason. Comes before `onChange`. */
  onReadiness(): void;
  /** Every watched kind has been listed, or cannot be. */
  onSynced(): void;
  /** A kind cannot be listed or watched; or can be again (`error` undefined). */
  onAvailability(resource: ApiResource, error: KeelsonError | undefined): void;
}

/** What an observation is compared with, looked up when the event arrives. */
export interface Expectation {
  readonly desired: DesiredObject | undefined;
  readonly baseline: Baseline | undefined;
}

/** An object to watch by its name. */
export interface NamedObject {
  readonly key: string;
  readonly resource: ApiResource;
  readonly ref: Target;
}

/** One running watch. */
interface Watch {
  readonly id: string;
  readonly scoped: ScopedKind;
  readonly stop: AbortController;
  /** The object of a watch by name. */
  readonly key: string | undefined;
  /** Looks again at what is served of the kind, and tries again at once where it could not be watched. */
  readonly refresh: () => Promise<void>;
  state: "listing" | "synced" | "unavailable";
}

/**
 * The live side: one record for each object that a selector of the set finds, or that was looked up by name. Fed by one
 * watch per kind and selector; holds no objects.
 */
export class LiveCache {
  readonly #cluster: Cluster;
  readonly #listener: LiveCacheListener;
  readonly #expect: (key: string) => Expectation;
  readonly #records: Map<string, LiveRecord> = new Map();
  /** Which watch a record came from; "" for one that was looked up. */
  readonly #sources: Map<string, string> = new Map();
  readonly #watches: Map<string, Watch> = new Map();
  /** resourceVersion at which a watch told that an object went: the answer to an earlier request of ours may come later. */
  readonly #gone: Map<string, ResourceVersion> = new Map();
  #wasSynced = false;

  constructor(cluster: Cluster, listener: LiveCacheListener, expect: (key: string) => Expectation) {
    this.#cluster = cluster;
    this.#listener = listener;
    this.#expect = expect;
  }

  /** By key. */
  get records(): ReadonlyMap<string, LiveRecord> {
    return this.#records;
  }

  /** Every watched kind has been listed or is known to be unavailable. */
  get isSynced(): boolean {
    for (const { state } of this.#watches.values()) if (state === "listing") return false;
    return true;
  }

  /** Whether a watch of this kind has not yet told everything: an absent record says nothing then. */
  isListing(resource: ApiResource): boolean {
    // Asked for every decision: in steady state no watch is listing, and no text is built.
    if (this.isSynced) return false;
    return this.#cluster.identity.selectors.some(
      (selector) => this.#watches.get(watchId({ resource, metadataOnly: false }, selector))?.state === "listing",
    );
  }

  /** Starts watches that are new in `kinds` and stops those that are not in it; the rest goes on undisturbed. */
  watch(kinds: readonly ScopedKind[], signal: AbortSignal): void {
    const wanted = new Map<string, { readonly scoped: ScopedKind; readonly selector: string }>();
    for (const scoped of kinds) {
      for (const selector of this.#cluster.identity.selectors) {
        wanted.set(watchId(scoped, selector), { scoped, selector });
      }
    }
    for (const [id, watch] of this.#watches) {
      if (watch.key !== undefined || wanted.has(id)) continue;
      this.#stop(watch);
    }
    for (const [id, { scoped, selector }] of wanted) {
      if (this.#watches.has(id)) continue;
      this.#start(id, scoped, { labelSelector: selector, ...this.#placeOf(scoped.resource) }, signal);
    }
    this.#announce();
  }

  /**
   * Watches these objects by name, and no others: EnsureExists objects without our label, which no selector finds.
   */
  watchByName(objects: readonly NamedObject[], signal: AbortSignal): void {
    const wanted = new Map(objects.map((object) => [`${NAMED}${object.key}`, object]));
    for (const [id, watch] of this.#watches) if (watch.key !== undefined && !wanted.has(id)) this.#stop(watch);
    for (const [id, { key, resource, ref }] of wanted) {
      if (this.#watches.has(id)) continue;
      const selection = { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}`, key };
      this.#start(id, { resource, metadataOnly: true }, selection, signal);
    }
  }

  /** Definitions have changed: versions may have come or gone, and kinds may be back. */
  refresh(): void {
    for (const watch of this.#watches.values()) watch.refresh().catch(() => {});
  }

  /** Lists every kind once, without watching: the live side of a single pass. Kinds that cannot be listed are told. */
  async list(kinds: readonly ScopedKind[], signal: AbortSignal): Promise<void> {
    const { client, identity } = this.#cluster;
    const one = async (scoped: ScopedKind, labelSelector: string): Promise<void> => {
      const { resource, metadataOnly } = scoped;
      const servedVersions = await client.discovery.versions(resource, signal);
      try {
        for await (const page of client.list(resource, {
          labelSelector,
          metadataOnly,
          ...this.#placeOf(resource),
          signal,
        })) {
          for (const object of page.objects)
            this.put(this.#observe(object, { scoped, servedVersions, isSelected: true }));
        }
      } catch (error) {
        this.#listener.onAvailability(resource, error as KeelsonError);
      }
    };
    await Promise.all(kinds.flatMap((scoped) => identity.selectors.map((selector) => one(scoped, selector))));
    this.#announce();
  }

  /** Takes in an object's state from an answer to a request of ours, unless a watch already told a newer one. */
  put(record: LiveRecord): void {
    const known = this.#records.get(record.key);
    const newest = known?.resourceVersion ?? this.#gone.get(record.key);
    if (newest !== undefined && isOlder(record.resourceVersion, newest)) return;
    this.#records.set(
      record.key,
      known?.isSelected === true && !record.isSelected ? { ...record, isSelected: true } : record,
    );
    this.#listener.onChange(record.key, true);
  }

  /** See {@link Cluster.seen}. */
  seen(desired: DesiredObject, { uid, resourceVersion }: KubeObject["metadata"]): LiveRecord | undefined {
    const known = this.#records.get(desired.key);
    if (known === undefined || known.uid !== uid || known.resourceVersion !== resourceVersion) return undefined;
    const isOfDesired = known.holdsDesired && known.isSelected && this.#expect(desired.key).desired === desired;
    return isOfDesired ? known : undefined;
  }

  /** Forgets an object that a request of ours found to be gone, unless another one has taken its place. */
  drop(key: string, uid: string): void {
    if (this.#records.get(key)?.uid !== uid) return;
    this.#records.delete(key);
    this.#sources.delete(key);
    this.#listener.onChange(key, true);
  }

  /** Reduces an object that was read outside a watch. */
  observeRead(
    object: KubeObject,
    resource: ApiResource,
    options: { readonly servedVersions: readonly string[]; readonly metadataOnly: boolean },
  ): LiveRecord {
    const scoped = { resource, metadataOnly: options.metadataOnly };
    return this.#observe(object, { scoped, servedVersions: options.servedVersions, isSelected: false });
  }

  #placeOf(resource: ApiResource): { readonly namespace?: string } {
    const { namespace } = this.#cluster.identity;
    return namespace === undefined || !resource.namespaced ? {} : { namespace };
  }

  #start(
    id: string,
    scoped: ScopedKind,
    selected: { labelSelector?: string; fieldSelector?: string; namespace?: string; key?: string },
    signal: AbortSignal,
  ): void {
    const { client, clock } = this.#cluster;
    const { resource, metadataOnly } = scoped;
    const { key, ...selection } = selected;
    const isSelected = key === undefined;
    let servedVersions: readonly string[] = [resource.version];
    const heart = this.#cluster.watchdog?.heart("watches", groupKindKey(resource));
    const reflector = new Reflector<LiveRecord>({
      client,
      heart,
      clock,
      resource,
      metadataOnly,
      ...selection,
      project: (object) => this.#observe(object, { scoped, servedVersions, isSelected }),
      onEvent: (event) => this.#onEvent(watch, event),
    });
    const refresh = async (): Promise<void> => {
      if (watch.state === "unavailable") reflector.retryNow();
      servedVersions = await client.discovery.versions(resource, signal);
    };
    const watch: Watch = { id, scoped, stop: new AbortController(), key, refresh, state: "listing" };
    this.#watches.set(id, watch);
    const run = async (): Promise<void> => {
      heart?.expect("asking for versions", VERSIONS_WITHIN_MS);
      servedVersions = await client.discovery.versions(resource, signal);
      await reflector.run(AbortSignal.any([signal, watch.stop.signal]));
    };
    // A reflector ends only by abort, and discovery fails only where the reflector would: it is tried again there.
    run().catch(() => {
      if (!signal.aborted && !watch.stop.signal.aborted)
        reflector.run(AbortSignal.any([signal, watch.stop.signal])).catch(() => {});
    });
  }

  #stop(watch: Watch): void {
    watch.stop.abort();
    this.#watches.delete(watch.id);
    for (const [key, source] of this.#sources) {
      if (source !== watch.id) continue;
      this.#sources.delete(key);
      this.#records.delete(key);
    }
    this.#listener.onForgotten();
  }

  #observe(
    object: KubeObject,
    how: { readonly scoped: ScopedKind; readonly servedVersions: readonly string[]; readonly isSelected: boolean },
  ): LiveRecord {
    const { resource } = how.scoped;
    const { namespace = "", name = "" } = object.metadata;
    const key = refKey({ group: resource.group, kind: resource.kind, namespace, name });
    const { desired, baseline } = this.#expect(key);
    const known = this.#records.get(key);
    // The echo of our own apply, whose answer was looked at already.
    const isEcho = known !== undefined && isAnswered(known, object, baseline) && baseline?.digest === desired?.digest;
    if (isEcho && trackingReliable(object, how.servedVersions)) {
      return known.isSelected || !how.isSelected ? known : { ...known, isSelected: true };
    }
    return observe(object, {
      identity: this.#cluster.identity,
      desired,
      baseline,
      servedVersions: how.servedVersions,
      isSelected: how.isSelected,
      isPartial: how.scoped.metadataOnly,
    });
  }

  #onEvent(watch: Watch, event: ReflectorEvent<LiveRecord>): void {
    switch (event.kind) {
      case "upsert":
        this.#onUpsert(watch, event.record, event.initial);
        return;
      case "delete":
        this.#onDelete(watch, event.record.key, event.resourceVersion);
        return;
      case "synced":
        this.#onState(watch, "synced", undefined);
        return;
      case "unavailable":
        this.#onState(watch, "unavailable", event.error);
        return;
    }
  }

  #onUpsert(watch: Watch, record: LiveRecord, isInitial: boolean): void {
    const { key } = record;
    const { desired } = this.#expect(key);
    // Where a kind is watched in several versions, a desired object is told by the version that it is written in.
    if (desired?.resource !== undefined && desired.resource.version !== watch.scoped.resource.version) return;
    const known = this.#records.get(key);
    // A relist is the truth even where its numbers are lower: etcd may have been restored from a backup.
    if (!isInitial && known !== undefined && isOlder(record.resourceVersion, known.resourceVersion)) return;
    if (!record.isSelected && known?.isSelected === true) return;
    this.#records.set(key, record);
    if (known?.readiness !== record.readiness || known?.unready !== record.unready) this.#listener.onReadiness();
    this.#sources.set(key, watch.id);
    this.#listener.onChange(key, isInitial);
  }

  #onDelete(watch: Watch, key: string, resourceVersion: string): void {
    const known = this.#records.get(key);
    const source = this.#sources.get(key);
    if (known === undefined || (source !== undefined && source !== watch.id)) return;
    if (isOlder(resourceVersion, known.resourceVersion)) return;
    this.#records.delete(key);
    this.#sources.delete(key);
    this.#bury(key, resourceVersion);
    this.#listener.onChange(key, false);
  }

  #bury(key: string, resourceVersion: ResourceVersion): void {
    this.#gone.delete(key);
    this.#gone.set(key, resourceVersion);
    const [oldest] = this.#gone.keys();
    if (this.#gone.size > MAX_GONE && oldest !== undefined) this.#gone.delete(oldest);
  }

  #onState(watch: Watch, state: "synced" | "unavailable", error: KeelsonError | undefined): void {
    const before = watch.state;
    watch.state = state;
    if (state === "synced" && watch.key !== undefined) this.#dropUnseen(watch.key, watch.id);
    if (state === "unavailable" || before === "unavailable") {
      this.#listener.onAvailability(watch.scoped.resource, error);
    }
    this.#announce();
  }

  /** An object that was looked up may have gone before its watch began: then no event ever tells. */
  #dropUnseen(key: string, id: string): void {
    const known = this.#records.get(key);
    if (known === undefined || known.isSelected || this.#sources.get(key) === id) return;
    this.#records.delete(key);
    this.#sources.delete(key);
    this.#listener.onChange(key, false);
  }

  #announce(): void {
    const isSynced = this.isSynced;
    if (isSynced && !this.#wasSynced) this.#listener.onSynced();
    this.#wasSynced = isSynced;
  }
}

/** Whether a record is the state that our last apply left, and the object is still in it. */
function isAnswered(known: LiveRecord, { metadata }: KubeObject, baseline: Baseline | undefined): boolean {
  return (
    known.resourceVersion === metadata.resourceVersion &&
    known.uid === metadata.uid &&
    baseline?.resourceVersion === known.resourceVersion &&
    equalsBaseline(known, baseline)
  );
}

const NAMED = "name:";
/** Far longer than discovery is repeated until it times out. */
const VERSIONS_WITHIN_MS = 15 * 60_000;

/** Answers of ours come within moments; older graves are of no use. */
const MAX_GONE = 1_000;

function watchId({ resource, metadataOnly }: ScopedKind, selector: string): string {
  return `${groupKindKey(resource)}@${resource.version}${metadataOnly ? "/metadata" : ""}?${selector}`;
}
