import type { ApiResource } from "../kube/index.ts";
import { type GroupKind, groupKindKey } from "../object/index.ts";
import type { DesiredObject } from "./desired.ts";

/** What {@link Presence} asks. */
export interface PresenceOptions {
  /** Kinds whose objects are only ever read by name. */
  readonly unwatched: readonly GroupKind[];
  /** What no watch told of counts as absent. */
  readonly isEager: boolean;
  /** Whether a kind cannot be listed or watched. */
  readonly isUnavailable: (groupKind: string) => boolean;
  /** Whether the first list of a kind is still under way. */
  readonly isListing: (resource: ApiResource) => boolean;
  readonly isProbing: (key: string) => boolean;
}

/**
 * Of which desired objects it is known whether they are there: told by a watch, or looked up. That there is no record of
 * any other says nothing.
 */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #known: Set<string> = new Set();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  add(key: string): void {
    this.#known.add(key);
  }

  has(key: string): boolean {
    return this.#known.has(key);
  }

  /** Whether only a request of ours tells if an object is there. */
  mustLookUp({ key, resource, mode }: DesiredObject): boolean {
    const { isEager, isUnavailable, isListing, isProbing } = this.#options;
    if (resource === undefined || isListing(resource) || isProbing(key)) return false;
    if (isUnavailable(groupKindKey(resource)) || this.#isUnwatched(resource)) return true;
    if (this.#known.has(key)) return false;
    if (!isEager || mode !== "Reconcile") return true;
    this.#known.add(key);
    return false;
  }

  #isUnwatched({ group, kind }: GroupKind): boolean {
    return this.#options.unwatched.some((other) => other.kind === kind && other.group === group);
  }
}
