import { collectionOf, type Sequence, type Step } from "./sequence.ts";
import type { Json, Reply, Target } from "./target.ts";

/** What one server did in one step, without what must differ between two servers. */
export interface Observed {
  readonly status: number;
  readonly reason: string;
  /** The words of an apply conflict; those of other refusals may differ. */
  readonly message: string;
  readonly causes: readonly string[];
  /** The object, or undefined for a refusal. */
  readonly object: Json;
  /** Whether the resourceVersion moved. */
  readonly written: boolean;
}

/** Runs a sequence on one server, and observes each step. */
export async function runSequence(target: Target, sequence: Sequence): Promise<readonly Observed[]> {
  const out: Observed[] = [];
  const path = `${collectionOf(sequence.spec)}/${sequence.name}`;
  let live: Json | undefined;
  for (const step of sequence.steps) {
    const before = live?.metadata?.resourceVersion;
    const reply = await target.call(step.call(live));
    const isLive =
      reply.body?.kind === sequence.spec.kind && reply.body.metadata?.name === sequence.name && step.changes;
    const after = isLive ? reply : await target.call({ method: "GET", path });
    live = after.status < 300 ? after.body : undefined;
    out.push(observe(reply, live, before, sequence.name));
  }
  if (live !== undefined) {
    await target.call({
      method: "PATCH",
      path,
      body: { metadata: { finalizers: null } },
      contentType: "application/merge-patch+json",
    });
    await target.call({ method: "DELETE", path, body: { propagationPolicy: "Background" } });
  }
  return out;
}

function observe(reply: Reply, live: Json | undefined, before: string | undefined, name: string): Observed {
  const refused = reply.body?.kind === "Status" && reply.body.status === "Failure";
  const isConflict = refused && typeof reply.body.message === "string" && reply.body.message.startsWith("Apply failed");
  return {
    status: reply.status,
    reason: refused ? (reply.body.reason ?? "") : typeof reply.body === "string" ? reply.body : "",
    message: isConflict ? sortedLines(reply.body.message) : "",
    causes: refused
      ? (reply.body.details?.causes ?? []).map((cause: Json) => `${cause.reason} ${cause.field}`).sort()
      : [],
    object: {
      reply: refused || typeof reply.body === "string" ? undefined : normalized(reply.body, name),
      live: live === undefined ? undefined : normalized(live, name),
    },
    written: live !== undefined && live.metadata.resourceVersion !== before,
  };
}

/** Managers with equal names are listed in no order. */
function sortedLines(message: string): string {
  return message.split("\n").sort().join("\n");
}

const VOLATILE = new Set(["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "selfLink"]);

/** An object without identity, times and what was allocated. */
export function normalized(object: Json, name: string): Json {
  const uid = object?.metadata?.uid;
  const text = JSON.stringify(object, (key, value) =>
    VOLATILE.has(key) && typeof value === "string" ? `<${key}>` : value,
  );
  const copy = JSON.parse(uid === undefined ? text : text.replaceAll(uid, "<uid>"));
  if (copy.details?.uid !== undefined) copy.details.uid = "<uid>";
  const { metadata } = copy;
  if (Array.isArray(metadata?.managedFields))
    metadata.managedFields = metadata.managedFields.map(withoutTime).sort(byText);
  if (copy.kind === "Service") normalizeService(copy.spec ?? {});
  if (copy.kind === "Status") delete copy.details?.name;
  void name;
  return sortedKeys(copy);
}

function withoutTime(entry: Json): Json {
  const { time: _, ...rest } = entry;
  return sortedKeys(rest);
}

function byText(a: Json, b: Json): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

function normalizeService(spec: Json): void {
  if (spec.clusterIP !== undefined && spec.clusterIP !== "None") spec.clusterIP = "<ip>";
  if (spec.clusterIPs !== undefined)
    spec.clusterIPs = spec.clusterIPs.map((ip: string) => (ip === "None" ? ip : "<ip>"));
  for (const port of spec.ports ?? []) if (port.nodePort !== undefined) port.nodePort = "<port>";
}

function sortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedKeys(value[key])]),
  );
}

/** Where two servers differ in a sequence: the first step that does, and how. */
export interface Difference {
  readonly step: Step;
  readonly index: number;
  readonly paths: readonly string[];
}

/** Compares what two servers did; undefined where it was the same. */
export function firstDifference(
  sequence: Sequence,
  ours: readonly Observed[],
  theirs: readonly Observed[],
): Difference | undefined {
  for (const [index, step] of sequence.steps.entries()) {
    const { causes: _, ...left } = ours[index] as Observed;
    const { causes: __, ...right } = theirs[index] as Observed;
    const paths = differingPaths(left, right, "");
    if (paths.length > 0) return { step, index, paths };
  }
  return undefined;
}

function differingPaths(a: Json, b: Json, path: string): readonly string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  const areMaps = [a, b].every((value) => typeof value === "object" && value !== null && !Array.isArray(value));
  const areLists = Array.isArray(a) && Array.isArray(b) && a.length === b.length;
  if (Array.isArray(a) && Array.isArray(b) && path.endsWith("/managedFields"))
    return differingPaths(byManager(a), byManager(b), path);
  if (!areMaps && !areLists) return [`${path}: ${show(a)} | ${show(b)}`];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    differingPaths(a[key], b[key], `${path}/${key}`),
  );
}

function byManager(entries: Json): Json {
  return Object.fromEntries(
    entries.map((entry: Json) => [`${entry.manager} ${entry.operation} ${entry.subresource ?? ""}`, entry]),
  );
}

function show(value: Json): string {
  return (JSON.stringify(value) ?? "absent").slice(0, 300);
}
