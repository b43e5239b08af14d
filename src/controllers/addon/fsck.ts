import { isAborted, isKeelsonError, messageOf } from "../../errors/index.ts";
import type { Revision, RevisionStore } from "../../history/index.ts";
import type { ApiResource, KubeClient } from "../../kube/index.ts";
import {
  APPLIED_ANNOTATION,
  entryOf,
  type KubeObject,
  MODE_LABEL,
  migrateApiVersion,
  type ObjectRef,
  refKey,
  refOf,
  releasePatch,
  stringifyJson,
} from "../../object/index.ts";
import { type Looked, look, type PassOptions, type PassPorts } from "./pass.ts";
import type { FindingReport, FsckReport, ProblemReport } from "./reports.ts";

/** How a check works. */
export interface FsckOptions extends PassOptions {
  /** Mend what is safe to mend. */
  readonly isFixing: boolean;
  readonly history: Pick<RevisionStore, "list" | "load">;
}

/** A finding, and what mends it without touching a value that anybody asked for. */
interface Finding {
  readonly report: FindingReport;
  readonly mend?: (signal: AbortSignal) => Promise<void>;
}

/** Everything that a check compares. */
interface Compared {
  readonly client: KubeClient;
  readonly looked: Looked;
  /** Metadata of every object in the cluster that carries a mark of this set or its class, by key. */
  readonly marked: ReadonlyMap<string, Marked>;
}

interface Marked {
  readonly object: KubeObject;
  readonly resource: ApiResource;
}

/** Lists at once. */
const PARALLEL = 8;

/**
 * Compares the directory, the whole cluster (the metadata of every kind), the ownership and the last revision. Writes
 * only with `isFixing`, and then only marks and entries: no value of an object, and no object, is created or deleted.
 */
export async function fsckPass(ports: PassPorts, options: FsckOptions, signal: AbortSignal): Promise<FsckReport> {
  const { client } = ports;
  const looked = await look(ports, options, signal);
  const { marked, problems, kinds } = await marksOf(client, looked, signal);
  const compared: Compared = { client, looked, marked };
  const last = await lastRevision(options, signal);
  const findings = [...duplicates(looked), ...declaredFindings(compared), ...strayFindings(compared, options)];
  const withRevision = last === undefined ? findings : [...findings, ...unrecorded(looked, last)];
  const reports: FindingReport[] = [];
  for (const finding of withRevision) reports.push(options.isFixing ? await mended(finding, signal) : finding.report);
  const revision = last === undefined ? {} : { revision: last.revision };
  return {
    findings: reports,
    checked: { declared: looked.engine.desired.objects.size, live: marked.size, kinds, ...revision },
    problems,
  };
}

async function mended({ report, mend }: Finding, signal: AbortSignal): Promise<FindingReport> {
  if (mend === undefined) return report;
  try {
    await mend(signal);
    return { ...report, isFixed: true };
  } catch (error) {
    if (isAborted(error)) throw error;
    return { ...report, isFixed: false, error: messageOf(error) };
  }
}

async function lastRevision({ history }: FsckOptions, signal: AbortSignal): Promise<Revision | undefined> {
  try {
    const last = (await history.list(signal)).at(-1);
    return last === undefined ? undefined : await history.load(last.revision, signal);
  } catch (error) {
    // Who may not read Secrets, or whose newest revision is damaged, still learns the rest.
    if (isKeelsonError(error, "Forbidden", "Unreadable", "NotFound")) return undefined;
    throw error;
  }
}

async function marksOf(
  client: KubeClient,
  { names }: Looked,
  signal: AbortSignal,
): Promise<{
  readonly marked: ReadonlyMap<string, Marked>;
  readonly problems: ProblemReport[];
  readonly kinds: number;
}> {
  const marked = new Map<string, Marked>();
  const problems: ProblemReport[] = [];
  const kinds = await preferredKinds(client, signal);
  const list = async (resource: ApiResource): Promise<void> => {
    try {
      for await (const { objects } of client.list(resource, { metadataOnly: true, signal })) {
        for (const object of objects)
          if (isMarked(object, names.manager)) marked.set(refKey(refOf(object)), { object, resource });
      }
    } catch (error) {
      if (isAborted(error)) throw error;
      problems.push({ file: "", line: 0, message: `${resource.kind}: cannot be listed: ${messageOf(error)}` });
    }
  };
  for (let at = 0; at < kinds.length; at += PARALLEL) await Promise.all(kinds.slice(at, at + PARALLEL).map(list));
  return { marked, problems, kinds: kinds.length };
}

async function preferredKinds(client: KubeClient, signal: AbortSignal): Promise<readonly ApiResource[]> {
  const kinds = new Map<string, ApiResource>();
  for (const resource of await client.discovery.all(signal)) {
    const { group, kind, verbs } = resource;
    // Events come by the thousand and nobody declares them.
    if (!verbs.includes("list") || kind === "Event" || kinds.has(`${kind}.${group}`)) continue;
    kinds.set(`${kind}.${group}`, (await client.discovery.preferred(resource, signal)) ?? resource);
  }
  return [...kinds.values()];
}

function isMarked({ metadata }: KubeObject, manager: string): boolean {
  const { labels = {}, annotations = {}, managedFields = [] } = metadata;
  if (labels[MODE_LABEL] !== undefined || annotations[APPLIED_ANNOTATION] !== undefined) return true;
  return managedFields.some((entry) => entry.manager === manager && entry.operation === "Apply");
}

function duplicates({ engine }: Looked): readonly Finding[] {
  return engine.desired.remarks.flatMap(({ code, key, message, origin }) => {
    const object = engine.desired.objects.get(key)?.ref;
    if (code !== "DuplicateObject" || object === undefined) return [];
    const advice = "remove one of the two documents";
    return [{ report: { kind: "duplicate", object, message, advice, ...origin } as const }];
  });
}

function declaredFindings({ client, looked, marked }: Compared): readonly Finding[] {
  const { engine, names } = looked;
  return [...engine.desired.objects.values()].flatMap(({ key, ref, mode, origin, resource }): readonly Finding[] => {
    const live = engine.records.get(key);
    if (live === undefined) {
      if (resource === undefined) return [];
      const message = "declared, and not in the cluster";
      return [{ report: { kind: "missing", object: ref, message, advice: "the next pass creates it", ...origin } }];
    }
    const found = marked.get(key);
    const others = found === undefined ? [] : otherSets(found.object, names.manager);
    if (others.length > 0) {
      const message = `declared here, and applied by ${others.join(", ")} as well`;
      const advice = "declare it in one set only: each takes the other's changes back";
      return [{ report: { kind: "foreign", object: ref, message, advice, ...origin } }];
    }
    if (!live.isTrackingReliable) return [untracked(ref, origin, { client, resource, manager: names.manager })];
    if (mode !== "Reconcile" || live.isProven) return [];
    const message = "declared and in the cluster, and no entry of this set on its labels";
    return [{ report: { kind: "unproven", object: ref, message, advice: "the next pass takes it over", ...origin } }];
  });
}

/** Managers that are Keelson's, for other sets. */
function otherSets({ metadata }: KubeObject, manager: string): readonly string[] {
  const entries = metadata.managedFields ?? [];
  const names = entries.filter(({ operation }) => operation === "Apply").map((entry) => entry.manager ?? "");
  return names.filter((name) => name !== manager && (name === "keelson" || name.startsWith("keelson.")));
}

function untracked(
  object: ObjectRef,
  origin: { readonly file: string; readonly line: number },
  by: { readonly client: KubeClient; readonly resource: ApiResource | undefined; readonly manager: string },
): Finding {
  const message = "managedFields name a version that is no longer served: changes of others may go unseen";
  const report = { kind: "untracked", object, message, fix: "migrate the entries' version", ...origin } as const;
  const { resource } = by;
  if (resource === undefined) return { report };
  return {
    report,
    mend: (signal) => patchLive({ ...by, resource, object, signal }, (live) => migrateApiVersion(live)?.patch),
  };
}

interface Patching {
  readonly client: KubeClient;
  readonly resource: ApiResource;
  readonly manager: string;
  readonly object: ObjectRef;
  readonly signal: AbortSignal;
}

async function patchLive(
  { client, resource, manager, object, signal }: Patching,
  compute: (live: KubeObject) => ReturnType<typeof releasePatch>,
): Promise<void> {
  const patch = compute(await client.get(resource, object, { signal }));
  if (patch === undefined) return;
  const body = stringifyJson(patch);
  await client.patch(resource, object, { type: "json", body }, { fieldManager: manager, signal });
}

/** Objects with marks that nobody declares: those that a pass looks at are its business. */
function strayFindings({ client, looked, marked }: Compared, { prune }: FsckOptions): readonly Finding[] {
  const { engine, names, identity } = looked;
  const plan = engine.plan();
  const steps = new Set(plan.steps.map(({ key }) => key));
  const kept = new Set(plan.kept.map(({ live }) => live.key));
  return [...marked].flatMap(([key, { object, resource }]): readonly Finding[] => {
    const ref = refOf(object);
    if (engine.desired.objects.has(key) || engine.desired.mentioned.has(key) || steps.has(key)) return [];
    const isOurs = entryOf(object, names.manager, "Apply") !== undefined;
    const labels = object.metadata.labels ?? {};
    if (isOurs) {
      if (identity.classLabels(labels).length > 0 && (kept.has(key) || prune.allKinds)) {
        const message = "applied by this set and not declared any more; a pass keeps it";
        return [{ report: { kind: "leaked", object: ref, message, advice: "see keelson plan for the reason" } }];
      }
      const message = "applied by this set and not declared any more, and no pass looks at it";
      const advice = `delete it (kubectl delete ${describeForKubectl(ref)}), or let go of it with --fix`;
      const fix = "take this set's marks and entries off; the object stays";
      const work = { client, resource, manager: names.manager, object: ref };
      const mend = (signal: AbortSignal): Promise<void> =>
        patchLive({ ...work, signal }, (live) =>
          releasePatch(live, { manager: names.manager, classLabels: identity.releasedLabels }),
        );
      return [{ report: { kind: "leaked", object: ref, message, advice, fix }, mend }];
    }
    if (identity.classLabels(labels).length === 0 || otherSets(object, names.manager).length > 0) return [];
    if ((object.metadata.ownerReferences ?? []).some(({ controller }) => controller === true)) return [];
    const message = "carries the class label, and nothing proves that this set applied it: it is never pruned unasked";
    return [{ report: { kind: "foreign", object: ref, message, advice: "take the label off, or declare it" } }];
  });
}

function describeForKubectl({ kind, group, namespace, name }: ObjectRef): string {
  const at = namespace === "" ? "" : ` -n ${namespace}`;
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`} ${name}${at}`;
}

function unrecorded({ engine }: Looked, last: Revision): readonly Finding[] {
  const recorded = new Map(last.contents.map(({ ref, manifest }) => [refKey(ref), manifest.digest]));
  return [...engine.desired.objects.values()].flatMap(({ key, ref, digest, origin }): readonly Finding[] => {
    if (recorded.get(key) === digest) return [];
    const was = recorded.has(key) ? "has it otherwise" : "does not have it";
    const message = `revision ${last.revision}, the last one, ${was}`;
    const advice = "a running daemon records it as soon as it is applied";
    return [{ report: { kind: "unrecorded", object: ref, message, advice, ...origin } }];
  });
}
