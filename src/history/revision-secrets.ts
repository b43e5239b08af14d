import { KeelsonError } from "../errors/index.ts";
import type { ApiResource } from "../kube/index.ts";
import { isJsonObject, type KubeObject, PART_OF_LABEL } from "../object/index.ts";
import type { RevisionSummary } from "./revision.ts";
import type { PackRef } from "./revision-index.ts";

/** Served by every API server: no discovery needed. */
export const SECRETS: ApiResource = {
  group: "",
  version: "v1",
  kind: "Secret",
  resource: "secrets",
  namespaced: true,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

const TYPE = "keelson.dev/revision";
/** The set's name; "" for the only set. */
const SET_LABEL = "keelson.dev/set";
/** The revision's number, on the Secret that is its index. */
const REVISION_LABEL = "keelson.dev/revision";
/** The name of the pack, on each of its pieces. */
const PACK_LABEL = "keelson.dev/pack";
/** The summary as JSON: a list of metadata is a history. */
const SUMMARY_ANNOTATION = "keelson.dev/revision";

/** Names of the packs that a revision's objects are in, and its index where that has more than one piece. */
const PACKS_ANNOTATION = "keelson.dev/packs";
/** Pieces of the index, the first of which is the Secret's own value. */
const INDEX_ANNOTATION = "keelson.dev/index";

const VALUE = "gzip";

/** Selects the indexes of a set's revisions. */
export function revisionSelector(set: string): string {
  return `${PART_OF_LABEL}=keelson,${SET_LABEL}=${set},${REVISION_LABEL}`;
}

/** Selects the pieces of a set's packs. */
export function packSelector(set: string): string {
  return `${PART_OF_LABEL}=keelson,${SET_LABEL}=${set},${PACK_LABEL}`;
}

/** Name of a revision's Secret. A dot cannot be in a set's name, so that no two sets meet. */
export function revisionName(set: string, revision: number): string {
  return `${prefix("keelson-revision", set)}.${revision}`;
}

/** Name of one piece of a pack. */
export function chunkName(set: string, pack: string, chunk: number): string {
  return `${prefix("keelson-objects", set)}.${pack}.${chunk}`;
}

function prefix(name: string, set: string): string {
  return set === "" ? name : `${name}-${set}`;
}

/** What a Secret of ours is made from. */
export interface SecretContent {
  readonly name: string;
  readonly namespace: string;
  readonly set: string;
  readonly value: Buffer;
}

/** What a revision's Secret says beside its value. */
export interface RevisionMarks {
  readonly summary: RevisionSummary;
  readonly index: PackRef;
  /** Names of all packs that it needs. */
  readonly packs: readonly string[];
}

/** The Secret that is a revision's index. Immutable: what happened does not change. */
export function revisionSecret(content: SecretContent, { summary, index, packs }: RevisionMarks): string {
  const labels = { [REVISION_LABEL]: String(summary.revision) };
  return secret(content, labels, {
    [SUMMARY_ANNOTATION]: JSON.stringify(summary),
    [INDEX_ANNOTATION]: `${index.name} ${index.chunks}`,
    [PACKS_ANNOTATION]: packs.join(" "),
  });
}

/** What {@link revisionSecret} wrote; undefined where somebody has damaged it. */
export function marksOf(object: KubeObject): RevisionMarks | undefined {
  const summary = summaryOf(object);
  const { [INDEX_ANNOTATION]: index = "", [PACKS_ANNOTATION]: packs = "" } = object.metadata.annotations ?? {};
  const [name = "", chunks = ""] = index.split(" ");
  if (summary === undefined || name === "" || !/^[1-9]\d{0,3}$/.test(chunks)) return undefined;
  return { summary, index: { name, chunks: Number(chunks) }, packs: packs.split(" ").filter((each) => each !== "") };
}

/** The Secret that holds one piece of a pack. */
export function chunkSecret(content: SecretContent, pack: string): string {
  return secret(content, { [PACK_LABEL]: pack }, {});
}

function secret(
  { name, namespace, set, value }: SecretContent,
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    type: TYPE,
    immutable: true,
    metadata: { name, namespace, labels: { [PART_OF_LABEL]: "keelson", [SET_LABEL]: set, ...labels }, annotations },
    data: { [VALUE]: value.toString("base64") },
  });
}

/** The value of a Secret of ours. @throws KeelsonError Unreadable */
export function packedValueOf(object: KubeObject): Buffer {
  const value = isJsonObject(object.data) ? object.data[VALUE] : undefined;
  if (typeof value === "string") return Buffer.from(value, "base64");
  throw new KeelsonError("Unreadable", `Secret ${object.metadata.name ?? ""}: it has no "${VALUE}": not of a revision`);
}

/** The pack that a Secret is a piece of. */
export function packOf(object: KubeObject): string | undefined {
  return object.metadata.labels?.[PACK_LABEL];
}

function summaryOf(object: KubeObject): RevisionSummary | undefined {
  const text = object.metadata.annotations?.[SUMMARY_ANNOTATION];
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isSummary(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const NUMBERS = ["revision", "objects", "added", "changed", "removed", "failed"] as const;
const TEXTS = ["time", "cause", "digest", "result", "set", "instance"] as const;

function isSummary(value: unknown): value is RevisionSummary {
  if (!isJsonObject(value)) return false;
  return (
    NUMBERS.every((name) => Number.isInteger(value[name])) && TEXTS.every((name) => typeof value[name] === "string")
  );
}
