import { dump } from "js-yaml";
import type { DesiredObject, LiveRecord } from "../../converge/index.ts";
import { isKeelsonError, KeelsonError, messageOf } from "../../errors/index.ts";
import type { FieldView, ManifestView, ObjectDetail, ObjectRow, Pause, TimelineEntry } from "../../http/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import {
  fieldOwners,
  type KubeObject,
  maskSecret,
  type OwnedField,
  parseJson,
  parseRefKey,
} from "../../object/index.ts";
import { shortText, valueText } from "./texts.ts";

const MAX_VALUE = 2_000;
const MAX_MANIFEST = 60_000;

/** What is known of an object from memory. */
export interface KnownObject {
  readonly row: ObjectRow;
  readonly desired: DesiredObject | undefined;
  readonly record: LiveRecord | undefined;
  readonly timeline: readonly TimelineEntry[];
  readonly pause: Pause | undefined;
}

/** Reads the live object (one request) and puts it beside what is known of it. */
export async function readDetail(
  known: KnownObject,
  from: { readonly client: KubeClient; readonly manager: string; readonly signal: AbortSignal },
): Promise<ObjectDetail> {
  const { row, desired, timeline, pause } = known;
  const live = await readLive(known, from.client, from.signal);
  const object = live.kind === "present" ? live.object : undefined;
  const { fields, more } = object === undefined ? { fields: [], more: 0 } : fieldOwners(object);
  const { uid, creationTimestamp } = object?.metadata ?? {};
  const apiVersion = object?.apiVersion ?? desired?.apiVersion;
  return {
    row,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(uid === undefined ? {} : { uid }),
    ...(creationTimestamp === undefined ? {} : { created: creationTimestamp }),
    live: live.kind,
    ...(live.kind === "present" ? {} : { liveMessage: shortText(live.message) }),
    fields: fields.map((field) => fieldView(field, from.manager)),
    moreFields: more,
    ...(desired === undefined ? {} : { manifest: manifestOf(desired) }),
    timeline,
    ...(pause === undefined ? {} : { pause }),
  };
}

type Live =
  | { readonly kind: "present"; readonly object: KubeObject }
  | { readonly kind: "absent" | "unknown"; readonly message: string };

async function readLive({ row, desired }: KnownObject, client: KubeClient, signal: AbortSignal): Promise<Live> {
  const ref = parseRefKey(row.key);
  try {
    const resource = desired?.resource ?? (await client.discovery.preferred(ref, signal));
    if (resource === undefined) return { kind: "unknown", message: `the API server does not serve ${ref.kind}` };
    return { kind: "present", object: await client.get(resource, ref, { signal, once: true }) };
  } catch (error) {
    if (isKeelsonError(error, "NotFound")) return { kind: "absent", message: "There is no object of this name." };
    if (error instanceof KeelsonError && error.code !== "Aborted")
      return { kind: "unknown", message: messageOf(error) };
    throw error;
  }
}

function fieldView({ path, value, owners }: OwnedField, manager: string): FieldView {
  const views = owners.map(({ manager: name, operation, subresource, time }) => ({
    manager: shortText(name, 128),
    operation,
    ...(subresource === "" ? {} : { subresource }),
    ...(time === undefined ? {} : { time }),
    isUs: name === manager && operation === "Apply",
  }));
  return {
    path: shortText(path),
    value: valueText(value, MAX_VALUE),
    owners: views.toSorted((a, b) => Number(b.isUs) - Number(a.isUs)),
    isOurs: views.some(({ isUs }) => isUs),
  };
}

/** The document as it is applied, Secrets masked: comments and order of the file are not kept. */
function manifestOf({ manifest, origin }: DesiredObject): ManifestView {
  const object = maskSecret(parseJson(manifest.body) as KubeObject);
  return {
    file: origin.file,
    line: origin.line,
    text: shortText(dump(plain(object), { lineWidth: 120 }), MAX_MANIFEST),
  };
}

/** js-yaml writes no big integers; numbers beyond 2^53 come out as they are written. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, plain(child)]));
}
