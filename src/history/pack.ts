import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { KeelsonError, messageOf } from "../errors/index.ts";
import type { Digest } from "../object/index.ts";

/**
 * Bytes of one Secret's value: in base64, with its metadata and managedFields, far below the API server's limit of 1 MiB
 * of values and etcd's of 1.5 MiB for a request.
 */
export const CHUNK_BYTES: number = 700 * 1024;

/** Text of one pack before it is compressed: what is held in memory at once when a revision is read or written. */
const PACK_CHARACTERS = 4 << 20;

/** Guards against a Secret that somebody else has put there. */
const MAX_TEXT_BYTES = 256 << 20;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Bodies by content digest. */
export type Bodies = ReadonlyMap<Digest, string>;

/** A compressed text, in pieces that each fit into a Secret. */
export interface Pack {
  /** First 20 hexadecimal digits of the SHA-256 of the text: equal content has an equal name. */
  readonly name: string;
  readonly chunks: readonly Buffer[];
}

/** Compresses a text, away from the event loop. */
export async function packText(text: string): Promise<Pack> {
  const compressed = await compress(text, { level: 6 });
  const chunks: Buffer[] = [];
  for (let at = 0; at < compressed.length; at += CHUNK_BYTES) chunks.push(compressed.subarray(at, at + CHUNK_BYTES));
  return { name: packName(text), chunks };
}

/** The inverse of {@link packText}. @throws KeelsonError Unreadable where pieces are damaged, or not of this pack */
export async function unpackText(pack: Pack): Promise<string> {
  const text = await decompress(Buffer.concat(pack.chunks), { maxOutputLength: MAX_TEXT_BYTES }).then(
    (bytes) => bytes.toString(),
    (cause: unknown) => {
      throw new KeelsonError("Unreadable", `${pack.name}: damaged: ${messageOf(cause)}`, { cause });
    },
  );
  if (packName(text) !== pack.name) throw new KeelsonError("Unreadable", `${pack.name}: its content is another one`);
  return text;
}

function packName(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}

/** Groups bodies so that each group is a pack of moderate size; in order of digests, so that equal sets give equal packs. */
export function groupBodies(bodies: Bodies): readonly Bodies[] {
  const groups: Map<Digest, string>[] = [];
  let room = 0;
  for (const [digest, body] of [...bodies].sort(([a], [b]) => (a < b ? -1 : 1))) {
    let group = groups.at(-1);
    if (group === undefined || room < body.length) {
      group = new Map();
      groups.push(group);
      room = PACK_CHARACTERS;
    }
    group.set(digest, body);
    room -= body.length;
  }
  return groups;
}

/** One line for each body: its digest, a blank, the body. Bodies are JSON on one line. */
export function writeBodies(bodies: Bodies): string {
  return [...bodies].map(([digest, body]) => `${digest} ${body}\n`).join("");
}

/** The inverse of {@link writeBodies}; only bodies that `isWanted`. */
export function readBodies(text: string, isWanted: (digest: Digest) => boolean): Bodies {
  const bodies = new Map<Digest, string>();
  for (const line of text.split("\n")) {
    const blank = line.indexOf(" ");
    const digest = line.slice(0, blank);
    if (blank > 0 && isWanted(digest)) bodies.set(digest, line.slice(blank + 1));
  }
  return bodies;
}
