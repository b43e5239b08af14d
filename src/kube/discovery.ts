import { waitFor } from "../async/index.ts";
import { isKeelsonError } from "../errors/index.ts";
import { apiVersionOf, type GroupKind, type GroupVersionKind, groupKindKey } from "../object/index.ts";
import {
  aggregatedAccept,
  isAggregated,
  type ListedVersion,
  parseAggregated,
  parseGroupList,
  parseResourceList,
  type ServedVersion,
} from "./discovery-documents.ts";
import type { Discovery } from "./kube-client.ts";
import { parseAnswer } from "./object-of.ts";
import type { Requester } from "./requester.ts";
import type { ApiResource } from "./resource.ts";

/** What a server serves, at one moment. */
interface Snapshot {
  /** By group-kind; in the server's order of preference. */
  readonly byGroupKind: ReadonlyMap<string, readonly ApiResource[]>;
  readonly unavailableGroups: readonly string[];
}

/** One of the two roots, as last answered. */
interface RootAnswer {
  readonly etag: string | undefined;
  readonly versions: readonly ServedVersion[];
}

const roots = ["/api", "/apis"] as const;
type Root = (typeof roots)[number];

/** Discovery that asks once and remembers until told to forget. */
export class CachedDiscovery implements Discovery {
  readonly #requester: Requester;
  readonly #answers: Map<Root, RootAnswer> = new Map();
  #loaded: Snapshot | undefined;
  #loading: Promise<Snapshot> | undefined;
  /** Of groups that are unavailable now. */
  #unavailable: readonly string[] = [];

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  async find(gvk: GroupVersionKind, signal?: AbortSignal): Promise<ApiResource | undefined> {
    return (await this.#served(gvk, signal)).find((resource) => resource.version === gvk.version);
  }

  async preferred(gk: GroupKind, signal?: AbortSignal): Promise<ApiResource | undefined> {
    return (await this.#served(gk, signal))[0];
  }

  async versions(gk: GroupKind, signal?: AbortSignal): Promise<readonly string[]> {
    return (await this.#served(gk, signal)).map((resource) => resource.version);
  }

  async all(signal?: AbortSignal): Promise<readonly ApiResource[]> {
    return [...(await this.#snapshot(signal)).byGroupKind.values()].flat();
  }

  unavailableGroups(): readonly string[] {
    return this.#unavailable;
  }

  invalidate(): void {
    this.#loaded = undefined;
    // An answer under way may be older than what the caller has just heard of: whoever asks from now on asks anew.
    this.#loading = undefined;
  }

  async #served(gk: GroupKind, signal: AbortSignal | undefined): Promise<readonly ApiResource[]> {
    return (await this.#snapshot(signal)).byGroupKind.get(groupKindKey(gk)) ?? [];
  }

  #snapshot(signal: AbortSignal | undefined): Promise<Snapshot> {
    if (this.#loaded !== undefined) return Promise.resolve(this.#loaded);
    this.#loading ??= this.#load();
    // The load is everybody's: a caller that is stopped only stops waiting.
    return signal === undefined ? this.#loading : waitFor(this.#loading, signal);
  }

  #load(): Promise<Snapshot> {
    const loading = Promise.all(roots.map((root) => this.#loadRoot(root)))
      .then((served) => snapshotOf(served.flat()))
      .then(
        (snapshot) => {
          if (this.#loading !== loading) return snapshot;
          this.#loaded = snapshot;
          this.#unavailable = snapshot.unavailableGroups;
          this.#loading = undefined;
          return snapshot;
        },
        (error: unknown) => {
          if (this.#loading === loading) this.#loading = undefined;
          throw error;
        },
      );
    return loading;
  }

  async #loadRoot(root: Root): Promise<readonly ServedVersion[]> {
    const known = this.#answers.get(root);
    const answer = await this.#get(root, {
      accept: aggregatedAccept,
      ...(known?.etag !== undefined && { "if-none-match": known.etag }),
    });
    if (answer.status === 304 && known !== undefined) return known.versions;
    const document = parseAnswer(answer.text, root);
    const isWhole = isAggregated(answer.headers["content-type"]);
    const fresh = isWhole ? parseAggregated(document) : await this.#loadEach(parseGroupList(document));
    const versions = fresh.map((served) => keepKnown(served, known?.versions ?? []));
    this.#answers.set(root, { etag: isWhole ? answer.headers.etag : undefined, versions });
    return versions;
  }

  /** Servers before 1.26, and all behind proxies that strip the Accept header: one document per group-version. */
  async #loadEach(listed: readonly ListedVersion[]): Promise<readonly ServedVersion[]> {
    const served = listed.map(async (gv): Promise<readonly ServedVersion[]> => {
      const path = `${gv.group === "" ? "/api" : "/apis"}/${apiVersionOf(gv)}`;
      try {
        const { text } = await this.#get(path, {}, () => false);
        return [{ ...gv, resources: parseResourceList(parseAnswer(text, path), gv), isStale: false }];
      } catch (error) {
        // Removed since the list was read.
        if (isKeelsonError(error, "NotFound", "NoMatch")) return [];
        if (!isKeelsonError(error, "ServerError")) throw error;
        return [{ ...gv, resources: [], isStale: true }];
      }
    });
    return (await Promise.all(served)).flat();
  }

  /** One document; that of a single group-version is not tried again, since a dead aggregated API must not delay all. */
  #get(
    path: string,
    headers: Readonly<Record<string, string>>,
    isRepeatable = (): boolean => true,
  ): ReturnType<Requester["send"]> {
    return this.#requester.send({
      verb: "discovery",
      method: "GET",
      path,
      headers,
      object: path,
      isRepeatable,
    });
  }
}

/** A group-version whose server is down keeps the kinds that it had. */
function keepKnown(served: ServedVersion, known: readonly ServedVersion[]): ServedVersion {
  if (!served.isStale || served.resources.length > 0) return served;
  const before = known.find(({ group, version }) => group === served.group && version === served.version);
  return before === undefined ? served : { ...served, resources: before.resources };
}

function snapshotOf(served: readonly ServedVersion[]): Snapshot {
  const byGroupKind = new Map<string, ApiResource[]>();
  for (const resource of served.flatMap(({ resources }) => resources)) {
    const key = groupKindKey(resource);
    const versions = byGroupKind.get(key) ?? [];
    // Two resources of one kind in one version: the first listed is the kind's own.
    if (!versions.some(({ version }) => version === resource.version)) versions.push(resource);
    byGroupKind.set(key, versions);
  }
  const stale = served.filter(({ isStale }) => isStale).map(({ group }) => group);
  return { byGroupKind, unavailableGroups: [...new Set(stale)] };
}
