import { isKeelsonError, KeelsonError } from "../errors/index.ts";
import type { KubeClient } from "../kube/index.ts";
import { type Digest, type KubeObject, parseRefKey } from "../object/index.ts";
import { type Bodies, groupBodies, packText, readBodies, unpackText, writeBodies } from "./pack.ts";
import {
  compareSets,
  manifestOfBody,
  type Revision,
  type RevisionObject,
  type RevisionSummary,
  type SetDifference,
} from "./revision.ts";
import { type IndexEntry, type PackRef, type RevisionIndex, readIndex, writeIndex } from "./revision-index.ts";
import {
  chunkName,
  chunkSecret,
  marksOf,
  packedValueOf,
  packOf,
  packSelector,
  type RevisionMarks,
  revisionName,
  revisionSecret,
  revisionSelector,
  SECRETS,
} from "./revision-secrets.ts";

/** Which set's revisions, and where they are. */
export interface RevisionStoreOptions {
  readonly client: KubeClient;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  /** Namespace of the Secrets; `kube-system` by default of the setting. */
  readonly namespace: string;
}

/** What a new revision is made from. */
export interface RevisionDraft {
  /** {@link setDigest} of `objects`. */
  readonly digest: Digest;
  readonly objects: readonly RevisionObject[];
  /** Why it came to be, given what differs from the revision before (undefined: there is none). */
  readonly cause: (difference: SetDifference, before: RevisionSummary | undefined) => string;
  /** Wall clock, milliseconds. */
  readonly now: number;
  readonly instance: string;
  /** Objects that could not be applied. */
  readonly failed: number;
  /** apiVersions and kinds of it that are not served. */
  readonly unserved?: readonly string[] | undefined;
  readonly rollbackTo?: number | undefined;
  readonly journal?: RevisionSummary["journal"] | undefined;
}

/** From so many packs on, a new revision writes its objects anew: a set that changes bit by bit for years stays whole. */
const MOST_PACKS = 100;
const MAX_ATTEMPTS = 4;
const NOTHING: RevisionIndex = { packs: [], entries: new Map() };

/**
 * The revisions of a set, as Secrets of the cluster: one for each revision, which lists its objects, and beside them packs
 * of object bodies. A body that the revision before has is not stored again.
 */
export class RevisionStore {
  readonly #client: KubeClient;
  readonly #set: string;
  readonly #namespace: string;

  constructor({ client, set, namespace }: RevisionStoreOptions) {
    this.#client = client;
    this.#set = set;
    this.#namespace = namespace;
  }

  /** All revisions, oldest first. One request for every 500; no object is read. Rejects with `Forbidden` without the right. */
  async list(signal: AbortSignal): Promise<readonly RevisionSummary[]> {
    return (await this.#marks(signal)).map(({ summary }) => summary);
  }

  /** A revision with its objects. Rejects with `NotFound`, naming those there are, or `Unreadable` where it is damaged. */
  async load(revision: number, signal: AbortSignal): Promise<Revision> {
    const { summary, index } = await this.#open(revision, signal);
    const wanted = new Map<number, Set<Digest>>();
    for (const { pack, digest } of index.entries.values()) {
      const digests = wanted.get(pack) ?? new Set();
      wanted.set(pack, digests.add(digest));
    }
    const bodies = new Map<Digest, string>();
    // One after the other: each is some megabytes of text, of which only the wanted part is kept.
    for (const [at, digests] of wanted) {
      const pack = index.packs[at];
      if (pack === undefined) continue;
      const text = await this.#readPack(pack, [], signal);
      for (const [digest, body] of readBodies(text, (each) => digests.has(each))) bodies.set(digest, body);
    }
    const contents = [...index.entries].map(([key, entry]) => this.#objectOf(key, entry, bodies));
    return { ...summary, contents };
  }

  /**
   * Stores a revision, unless the newest one has the same content. Answers what is the newest revision then, whether it is
   * new, and how many there are with it. Two writers at once give two revisions in a row, never one number twice.
   */
  async record(
    draft: RevisionDraft,
    signal: AbortSignal,
  ): Promise<{ readonly summary: RevisionSummary; readonly isNew: boolean; readonly total: number }> {
    const { digest } = draft;
    for (let attempt = 1; ; attempt += 1) {
      const known = await this.#marks(signal);
      const last = known.at(-1)?.summary;
      if (last?.digest === digest) return { summary: last, isNew: false, total: known.length };
      const alike = known.find(({ summary }) => summary.digest === digest)?.summary;
      try {
        const summary = await this.#write({ draft, last, alike }, signal);
        return { summary, isNew: true, total: known.length + 1 };
      } catch (error) {
        if (!isKeelsonError(error, "AlreadyExists") || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Deletes the oldest revisions beyond `limit`, but none of `keep`, and the packs that no revision needs any more. */
  async prune(limit: number, keep: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
    const known = await this.#marks(signal);
    const old = known.slice(0, Math.max(0, known.length - limit));
    const gone = old.filter(({ summary }) => !keep.has(summary.revision));
    for (const { summary } of gone) await this.#delete(revisionName(this.#set, summary.revision), signal);
    const needed = new Set(known.filter((each) => !gone.includes(each)).flatMap(({ packs }) => packs));
    for (const object of await this.#list(packSelector(this.#set), signal)) {
      const { name } = object.metadata;
      if (name !== undefined && !needed.has(packOf(object) ?? "")) await this.#delete(name, signal);
    }
  }

  async #write(
    what: {
      readonly draft: RevisionDraft;
      readonly last: RevisionSummary | undefined;
      /** An earlier revision of the same content, whose packs have everything. */
      readonly alike: RevisionSummary | undefined;
    },
    signal: AbortSignal,
  ): Promise<RevisionSummary> {
    const { draft, last, alike } = what;
    const before = last === undefined ? NOTHING : (await this.#open(last.revision, signal)).index;
    const sources = alike === undefined ? [before] : [before, (await this.#open(alike.revision, signal)).index];
    const places = await this.#store(draft.objects, sources, signal);
    const index = indexOf(draft.objects, places);
    const difference = compareSets(before.entries, index.entries);
    const { digest, now, instance, failed, rollbackTo, journal, unserved = [] } = draft;
    const summary: RevisionSummary = {
      revision: (last?.revision ?? 0) + 1,
      time: new Date(now).toISOString(),
      cause: draft.cause(difference, last),
      digest,
      objects: index.entries.size,
      added: difference.added.length,
      changed: difference.changed.length,
      removed: difference.removed.length,
      result: failed === 0 ? "applied" : "failed",
      failed,
      set: this.#set,
      instance,
      ...(rollbackTo === undefined ? {} : { rollbackTo }),
      ...(unserved.length === 0 ? {} : { unserved }),
      ...(journal === undefined ? {} : { journal }),
    };
    await this.#writeIndex(summary, index, signal);
    return summary;
  }

  /** Stores the bodies that no source has; where each body is. */
  async #store(
    objects: readonly RevisionObject[],
    sources: readonly RevisionIndex[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Digest, PackRef>> {
    const places = new Map<Digest, PackRef>();
    for (const { packs, entries } of sources) {
      if (packs.length >= MOST_PACKS) continue;
      for (const { digest, pack } of entries.values()) {
        const place = packs[pack];
        if (place !== undefined) places.set(digest, place);
      }
    }
    const fresh = new Map<Digest, string>();
    for (const { manifest } of objects) {
      if (!places.has(manifest.digest)) fresh.set(manifest.digest, manifest.body);
    }
    for (const bodies of groupBodies(fresh)) {
      const pack = await packText(writeBodies(bodies));
      for (const [chunk, value] of pack.chunks.entries()) {
        await this.#writeChunk(pack.name, { chunk, value }, signal);
      }
      for (const digest of bodies.keys()) places.set(digest, { name: pack.name, chunks: pack.chunks.length });
    }
    return places;
  }

  async #writeIndex(summary: RevisionSummary, index: RevisionIndex, signal: AbortSignal): Promise<void> {
    const pack = await packText(writeIndex(index));
    const [value = Buffer.alloc(0), ...rest] = pack.chunks;
    for (const [at, piece] of rest.entries())
      await this.#writeChunk(pack.name, { chunk: at + 1, value: piece }, signal);
    const packs = [...index.packs.map(({ name }) => name), ...(rest.length === 0 ? [] : [pack.name])];
    const name = revisionName(this.#set, summary.revision);
    const marks: RevisionMarks = { summary, index: { name: pack.name, chunks: pack.chunks.length }, packs };
    await this.#create(name, revisionSecret(this.#content(name, value), marks), signal);
  }

  async #open(
    revision: number,
    signal: AbortSignal,
  ): Promise<{ readonly summary: RevisionSummary; readonly index: RevisionIndex }> {
    const object = await this.#get(revisionName(this.#set, revision), signal);
    if (object === undefined) throw await this.#unknown(revision, signal);
    const marks = marksOf(object);
    if (marks === undefined) throw new KeelsonError("Unreadable", `revision ${revision}: its Secret was changed`);
    const text = await this.#readPack(marks.index, [packedValueOf(object)], signal);
    return { summary: marks.summary, index: readIndex(text) };
  }

  async #unknown(revision: number, signal: AbortSignal): Promise<KeelsonError> {
    const numbers = (await this.list(signal)).map((each) => each.revision);
    const there = numbers.length === 0 ? "there is none yet" : `there are ${numbers.join(", ")}`;
    return new KeelsonError("NotFound", `revision ${revision} is not there: ${there}`, { disposition: "user" });
  }

  /** Reads a pack; `first` are the pieces that are known already. */
  async #readPack({ name, chunks }: PackRef, first: readonly Buffer[], signal: AbortSignal): Promise<string> {
    const pieces = [...first];
    while (pieces.length < chunks) {
      const secret = chunkName(this.#set, name, pieces.length);
      const object = await this.#get(secret, signal);
      if (object === undefined) {
        throw new KeelsonError("Unreadable", `Secret ${this.#namespace}/${secret} of the revision is gone`);
      }
      pieces.push(packedValueOf(object));
    }
    return unpackText({ name, chunks: pieces });
  }

  #objectOf(key: string, { mode, digest, file, line }: IndexEntry, bodies: Bodies): RevisionObject {
    const body = bodies.get(digest);
    if (body === undefined) throw new KeelsonError("Unreadable", `the content of ${key} is not in its pack`);
    return { key, ref: parseRefKey(key), mode, manifest: manifestOfBody(body, { digest, origin: { file, line } }) };
  }

  /** The marks of all revisions, oldest first; those that somebody has damaged are left out. */
  async #marks(signal: AbortSignal): Promise<readonly RevisionMarks[]> {
    const objects = await this.#list(revisionSelector(this.#set), signal);
    const marks = objects.flatMap((object) => marksOf(object) ?? []);
    return marks.sort((a, b) => a.summary.revision - b.summary.revision);
  }

  async #list(labelSelector: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const objects: KubeObject[] = [];
    const selection = { namespace: this.#namespace, labelSelector, metadataOnly: true, signal };
    for await (const page of this.#client.list(SECRETS, selection)) objects.push(...page.objects);
    return objects;
  }

  async #get(name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(SECRETS, { namespace: this.#namespace, name }, { signal });
    } catch (error) {
      if (isKeelsonError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** That a piece is there already is fine: its name is made from its content. */
  async #writeChunk(
    pack: string,
    piece: { readonly chunk: number; readonly value: Buffer },
    signal: AbortSignal,
  ): Promise<void> {
    const name = chunkName(this.#set, pack, piece.chunk);
    try {
      await this.#create(name, chunkSecret(this.#content(name, piece.value), pack), signal);
    } catch (error) {
      if (!isKeelsonError(error, "AlreadyExists")) throw error;
    }
  }

  #content(name: string, value: Buffer): Parameters<typeof chunkSecret>[0] {
    return { name, namespace: this.#namespace, set: this.#set, value };
  }

  async #create(name: string, body: string, signal: AbortSignal): Promise<void> {
    const manager = this.#set === "" ? "keelson" : `keelson.${this.#set}`;
    const options = { fieldManager: `${manager}-history`, signal } as const;
    await this.#client.create(SECRETS, { namespace: this.#namespace, name }, body, options);
  }

  async #delete(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.delete(SECRETS, { namespace: this.#namespace, name }, { signal });
    } catch (error) {
      if (!isKeelsonError(error, "NotFound")) throw error;
    }
  }
}

function indexOf(objects: readonly RevisionObject[], places: ReadonlyMap<Digest, PackRef>): RevisionIndex {
  const packs: PackRef[] = [];
  const numbers = new Map<string, number>();
  const entries = new Map<string, IndexEntry>();
  for (const { key, mode, manifest } of objects.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const { digest, origin } = manifest;
    const place = places.get(digest);
    if (place === undefined) throw new KeelsonError("Internal", `${key}: its content was not stored`);
    const pack = numbers.get(place.name) ?? packs.push(place) - 1;
    numbers.set(place.name, pack);
    entries.set(key, { mode, digest, file: origin.file, line: origin.line, pack });
  }
  return { packs, entries };
}
