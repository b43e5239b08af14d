import type { Clock } from "../../async/index.ts";
import { isKeelsonError } from "../../errors/index.ts";
import { type ApiResource, type KubeClient, Reflector, type ReflectorEvent } from "../../kube/index.ts";
import { isJsonObject, type KubeObject, PART_OF_LABEL } from "../../object/index.ts";
import { SYSTEM_NAMESPACE } from "./identity.ts";

/** Served by every API server: no discovery needed. */
export const CONFIG_MAPS: ApiResource = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  namespaced: true,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

/** A ConfigMap of ours: text by key. */
export interface OwnConfigMap {
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string | undefined;
  /** The field manager that wrote each key last, where managedFields tell. */
  readonly writers: ReadonlyMap<string, string>;
}

/** Reads a ConfigMap of kube-system; undefined where there is none. */
export async function readOwn(
  client: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<OwnConfigMap | undefined> {
  try {
    return parseOwn(await client.get(CONFIG_MAPS, { namespace: SYSTEM_NAMESPACE, name }, { signal }));
  } catch (error) {
    if (isKeelsonError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** Whose requests, and by which clock they are waited for. */
export interface OwnPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** Reads it every `everyMs` until `look` finds something in it; undefined where `withinMs` pass without that. */
export async function pollOwn<T>(
  { client, clock }: OwnPorts,
  poll: {
    readonly name: string;
    readonly look: (own: OwnConfigMap | undefined) => T | undefined;
    readonly everyMs: number;
    readonly withinMs: number;
  },
  signal: AbortSignal,
): Promise<T | undefined> {
  const deadline = clock.monotonic() + poll.withinMs;
  while (clock.monotonic() < deadline) {
    await clock.sleep(poll.everyMs, signal);
    const found = poll.look(await readOwn(client, poll.name, signal));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Watches a ConfigMap of kube-system until `signal` fires. */
export async function watchOwn(
  { client, clock }: OwnPorts,
  watch: {
    readonly name: string;
    readonly onEvent: (event: ReflectorEvent<OwnConfigMap>) => void;
    /** Without its data. Default false. */
    readonly metadataOnly?: boolean;
  },
  signal: AbortSignal,
): Promise<void> {
  const reflector = new Reflector<OwnConfigMap>({
    client,
    clock,
    resource: CONFIG_MAPS,
    namespace: SYSTEM_NAMESPACE,
    fieldSelector: `metadata.name=${watch.name}`,
    metadataOnly: watch.metadataOnly === true,
    project: parseOwn,
    onEvent: watch.onEvent,
  });
  await reflector.run(signal);
}

/** The texts of a ConfigMap; anything that is no text is left out. */
export function parseOwn(object: KubeObject): OwnConfigMap {
  const data: Record<string, string> = {};
  const raw = object.data;
  for (const [key, value] of Object.entries(isJsonObject(raw) ? raw : {}))
    if (typeof value === "string") data[key] = value;
  const { annotations = {}, resourceVersion } = object.metadata;
  return { data, annotations, resourceVersion, writers: writersOf(object) };
}

function writersOf({ metadata }: KubeObject): ReadonlyMap<string, string> {
  const writers = new Map<string, string>();
  const entries = (metadata.managedFields ?? []).toSorted((a, b) => (a.time ?? "").localeCompare(b.time ?? ""));
  for (const { manager = "", fieldsV1 } of entries) {
    const keys = fieldsV1?.["f:data"];
    for (const key of Object.keys(isJsonObject(keys) ? keys : {})) {
      if (key.startsWith("f:")) writers.set(key.slice(2), manager);
    }
  }
  return writers;
}

/** What a write puts into a ConfigMap of ours; keys and annotations that are left out are not touched. */
export interface OwnContent {
  readonly data?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/**
 * Writes parts of a ConfigMap of kube-system by a merge patch, creating it where it is absent. Not an apply: the parts
 * belong to different writers (daemon, command line, challenger). With `resourceVersion` it is a compare-and-swap.
 */
export async function writeOwn(
  client: KubeClient,
  name: string,
  write: OwnContent & { readonly manager: string; readonly signal: AbortSignal; readonly resourceVersion?: string },
): Promise<OwnConfigMap> {
  const { data, annotations, manager, signal, resourceVersion } = write;
  const target = { namespace: SYSTEM_NAMESPACE, name };
  const metadata = {
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const body = JSON.stringify({ metadata, ...(data === undefined ? {} : { data }) });
  const options = { fieldManager: manager, signal } as const;
  try {
    return parseOwn((await client.patch(CONFIG_MAPS, target, { type: "merge", body }, options)).object);
  } catch (error) {
    if (!isKeelsonError(error, "NotFound") || resourceVersion !== undefined) throw error;
    const created = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...target, labels: { [PART_OF_LABEL]: "keelson" }, annotations: withoutNulls(annotations) },
      data: withoutNulls(data),
    };
    return createOwn(client, JSON.stringify(created), { name, write });
  }
}

/** Creates the ConfigMap; where another writer was first, the patch goes onto theirs. */
async function createOwn(
  client: KubeClient,
  body: string,
  what: { readonly name: string; readonly write: Parameters<typeof writeOwn>[2] },
): Promise<OwnConfigMap> {
  const { manager, signal } = what.write;
  const target = { namespace: SYSTEM_NAMESPACE, name: what.name };
  try {
    return parseOwn((await client.create(CONFIG_MAPS, target, body, { fieldManager: manager, signal })).object);
  } catch (error) {
    if (!isKeelsonError(error, "AlreadyExists")) throw error;
    return writeOwn(client, what.name, what.write);
  }
}

function withoutNulls(entries: Readonly<Record<string, string | null>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== null));
}
