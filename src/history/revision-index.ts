import { KeelsonError } from "../errors/index.ts";
import { type Digest, isJsonObject } from "../object/index.ts";
import type { RevisionMode, SetMember } from "./revision.ts";

/** Where a body is: a pack, and how many pieces that has. */
export interface PackRef {
  readonly name: string;
  readonly chunks: number;
}

/** One object of a revision's index: everything but its body. */
export interface IndexEntry extends SetMember {
  readonly mode: RevisionMode;
  readonly digest: Digest;
  readonly file: string;
  readonly line: number;
  /** Place of its pack in {@link RevisionIndex.packs}. */
  readonly pack: number;
}

/** Which objects a revision has, and where their bodies are. */
export interface RevisionIndex {
  readonly packs: readonly PackRef[];
  /** By key of the object. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
}

/** Writes an index as lines: the packs, then one line of JSON for each object. */
export function writeIndex({ packs, entries }: RevisionIndex): string {
  const head = JSON.stringify({ packs: packs.map(({ name, chunks }) => [name, chunks]) });
  const lines = [head];
  entries.forEach(({ mode, digest, file, line, pack }, key) => {
    lines.push(JSON.stringify([key, mode === "Reconcile" ? "R" : "E", digest, pack, file, line]));
  });
  return `${lines.join("\n")}\n`;
}

/** The inverse of {@link writeIndex}. @throws KeelsonError Unreadable */
export function readIndex(text: string): RevisionIndex {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  try {
    return { packs: readPacks(JSON.parse(head)), entries: new Map(lines.map(readEntry)) };
  } catch (cause) {
    throw new KeelsonError("Unreadable", "the index of the revision is damaged", { cause });
  }
}

function readPacks(head: unknown): readonly PackRef[] {
  if (!isJsonObject(head) || !Array.isArray(head.packs)) throw damaged();
  return head.packs.map((pack: unknown) => {
    const [name, chunks] = Array.isArray(pack) ? pack : [];
    if (typeof name !== "string" || typeof chunks !== "number") throw damaged();
    return { name, chunks };
  });
}

function readEntry(line: string): readonly [string, IndexEntry] {
  const fields: unknown = JSON.parse(line);
  if (!Array.isArray(fields)) throw damaged();
  const [key, letter, digest, pack, file, at]: readonly unknown[] = fields;
  const isWhole = typeof key === "string" && typeof digest === "string" && typeof file === "string";
  if (!isWhole || typeof pack !== "number" || typeof at !== "number") throw damaged();
  return [key, { mode: letter === "E" ? "EnsureExists" : "Reconcile", digest, file, line: at, pack }];
}

function damaged(): KeelsonError {
  return new KeelsonError("Unreadable", "a line has another form");
}
