import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type { StoreSnapshot } from "../apiserver/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../object/index.ts";

/** What tells a snapshot file from other JSON; the number grows when its form changes. */
const FORMAT = "keelson.dev/cluster-snapshot-1";

/** `configmaps`, `deployments.apps`. */
const TABLE_NAME = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;

/** Writes a file as a whole: whoever waits for it never sees half of it. Throws `Unreadable`. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    // It may hold Secrets.
    await writeFile(partial, text, { mode: 0o600 });
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    throw new KeelsonError("Unreadable", `cannot write ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** Saves the state of a cluster to a file. */
export function saveSnapshot(path: string, { revision, tables }: StoreSnapshot): Promise<void> {
  return writeWhole(path, `${stringifyJson({ format: FORMAT, revision, tables })}\n`);
}

/** Reads what {@link saveSnapshot} wrote. Throws `Unreadable`, or `InvalidManifest` that says where the file is wrong. */
export async function readSnapshot(path: string): Promise<StoreSnapshot> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new KeelsonError("Unreadable", `cannot read the snapshot ${path}: ${messageOf(cause)}`, { cause });
  });
  return parseSnapshot(path, text);
}

/** The snapshot in `text`; `path` is for messages. */
export function parseSnapshot(path: string, text: string): StoreSnapshot {
  let document: unknown;
  try {
    document = parseJson(text);
  } catch (cause) {
    throw notSnapshot(path, `no JSON: ${messageOf(cause)}`, cause);
  }
  if (!isJsonObject(document) || document.format !== FORMAT) {
    throw notSnapshot(path, `"format" is not ${FORMAT}; keelson sandbox --save writes snapshots`);
  }
  const { revision, tables } = document;
  if (typeof revision !== "number" || !Number.isSafeInteger(revision) || revision < 1) {
    throw notSnapshot(path, '"revision" is no positive integer');
  }
  if (!isJsonObject(tables)) throw notSnapshot(path, '"tables" is no object');
  const checked = Object.entries(tables).map(([name, objects]) => [name, checkTable(path, name, objects)] as const);
  return { revision, tables: Object.fromEntries(checked) };
}

function checkTable(path: string, name: string, objects: unknown): readonly JsonObject[] {
  if (!TABLE_NAME.test(name)) throw notSnapshot(path, `tables: ${JSON.stringify(name)} names no resource`);
  if (!Array.isArray(objects)) throw notSnapshot(path, `tables.${name} is no list`);
  const seen = new Set<string>();
  return objects.map((object: unknown, index) => {
    const place = `tables.${name}[${index}]`;
    const key = objectKeyOf(object);
    if (!isJsonObject(object) || key === undefined) {
      throw notSnapshot(
        path,
        `${place} is no object with apiVersion, kind, metadata.name and metadata.resourceVersion`,
      );
    }
    if (seen.has(key)) throw notSnapshot(path, `${place} is there twice: ${key}`);
    seen.add(key);
    return object;
  });
}

function objectKeyOf(object: unknown): string | undefined {
  if (!isJsonObject(object) || !isJsonObject(object.metadata)) return undefined;
  const { name, namespace = "", resourceVersion } = object.metadata;
  const required = [object.apiVersion, object.kind, name, resourceVersion];
  if (!required.every((text) => typeof text === "string" && text !== "")) return undefined;
  return typeof namespace === "string" ? `${namespace}/${String(name)}` : undefined;
}

function notSnapshot(path: string, why: string, cause?: unknown): KeelsonError {
  return new KeelsonError("InvalidManifest", `${path} is no snapshot of a cluster: ${why}`, { cause });
}
