import { describeReason, type EngineStatus, type Plan, type Step } from "../../converge/index.ts";
import { isKeelsonError, KeelsonError, messageOf } from "../../errors/index.ts";
import { matchesPattern, type ObjectPattern, parseObjectPattern } from "../../history/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { describeRef, fieldPathsOf, type KubeObject, type ObjectRef, parseRefKey, refKey } from "../../object/index.ts";
import { readinessOf } from "../../readiness/index.ts";
import { type Looked, look, type PassOptions, type PassPorts } from "./pass.ts";
import { omittedReport } from "./pass-report.ts";
import { diffOfStep } from "./plan-diff.ts";
import type { ExplainReport, FieldChange, OwnerReport, Place } from "./reports.ts";

/**
 * Tells of one object which document declares it, what a pass would do about it and why, and who owns which field.
 * Writes nothing.
 *
 * @throws KeelsonError `NotFound` where neither directory nor cluster has it, `InvalidFlag` where several are meant
 */
export async function explainPass(
  ports: PassPorts,
  options: PassOptions & { readonly object: string },
  signal: AbortSignal,
): Promise<ExplainReport> {
  const looked = await look(ports, options, signal);
  const ref = await find(looked, options.object, { client: ports.client, signal });
  const live = await liveObject(ref, looked, { client: ports.client, signal });
  const { engine, names, addons } = looked;
  const key = refKey(ref);
  const desired = engine.desired.objects.get(key);
  const omitted = omittedReport(addons).find(({ object }) => isSame(object, ref));
  if (desired === undefined && live === undefined && omitted === undefined) {
    const message = `${options.object}: neither the directory nor the cluster has it`;
    throw new KeelsonError("NotFound", message, { disposition: "user" });
  }
  const plan = engine.plan();
  const { decision, diff } = await decisionOf(key, { plan, status: engine.status(plan), looked, ports, signal });
  const place = desired?.origin ?? placeOf(omitted);
  const owners = live === undefined ? [] : ownersOf(live, names.manager);
  const mode = desired !== undefined && desired.mode !== "Absent" ? desired.mode : omitted ? "omitted" : "undeclared";
  const { kind, message } = readinessOf(live);
  const { uid = "", resourceVersion = "" } = live?.metadata ?? {};
  return {
    object: ref,
    mode,
    ...place,
    decision,
    diff,
    ...(live === undefined ? {} : { live: { uid, resourceVersion, readiness: `${kind}: ${message}` } }),
    owners,
    shared: sharedOf(owners),
  };
}

function placeOf(place: Place | undefined): Place {
  return place?.file === undefined || place.line === undefined ? {} : { file: place.file, line: place.line };
}

interface Asking {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
}

/** Documents of the directory first, then what is known of the cluster, then what discovery can name. */
async function find(looked: Looked, text: string, { client, signal }: Asking): Promise<ObjectRef> {
  const pattern = parseObjectPattern(text);
  if (pattern === undefined) throw unreadable(text, "it is no object");
  const { engine, addons } = looked;
  const known = [
    [...engine.desired.objects.values()].map(({ ref }) => ref),
    omittedReport(addons).map(({ object }) => object),
    [...engine.records.keys()].map(parseRefKey),
  ];
  for (const refs of known) {
    const matching = refs.filter((ref) => matchesPattern(ref, pattern));
    if (matching.length > 1) throw unreadable(text, `it may be ${matching.map(describeRef).join(" or ")}`);
    const [ref] = matching;
    if (ref !== undefined) return ref;
  }
  return named(pattern, text, { client, signal });
}

async function named(pattern: ObjectPattern, text: string, { client, signal }: Asking): Promise<ObjectRef> {
  if (pattern.kind === undefined) throw unreadable(text, "its kind is needed where the directory does not have it");
  for (const { group, kind, namespaced } of await client.discovery.all(signal)) {
    const namespace = namespaced ? (pattern.namespace ?? client.defaultNamespace) : "";
    const ref = { group, kind, namespace, name: pattern.name };
    if (matchesPattern(ref, { ...pattern, namespace: undefined })) return ref;
  }
  throw unreadable(text, `the API server serves no kind ${pattern.kind}`);
}

function unreadable(text: string, why: string): KeelsonError {
  const message = `--explain="${text}": ${why}; accepted: KIND/NAMESPACE/NAME, KIND/NAME or NAME`;
  return new KeelsonError("InvalidFlag", message, { object: "--explain" });
}

async function liveObject(ref: ObjectRef, looked: Looked, { client, signal }: Asking): Promise<KubeObject | undefined> {
  const desired = looked.engine.desired.objects.get(refKey(ref));
  const resource = desired === undefined ? await client.discovery.preferred(ref, signal) : desired.resource;
  if (resource === undefined) return undefined;
  try {
    return await client.get(resource, ref, { signal });
  } catch (error) {
    if (isKeelsonError(error, "NotFound", "NamespaceNotFound", "NoMatch")) return undefined;
    throw error;
  }
}

interface Deciding {
  readonly plan: Plan;
  readonly status: EngineStatus;
  readonly looked: Looked;
  readonly ports: PassPorts;
  readonly signal: AbortSignal;
}

async function decisionOf(
  key: string,
  { plan, looked, ports, signal }: Deciding,
): Promise<{ readonly decision: string; readonly diff: readonly FieldChange[] }> {
  const step = plan.steps.find((each) => each.key === key);
  if (step !== undefined) return stepOf(step, { plan, looked, ports, signal });
  const kept = plan.kept.find(({ live }) => live.key === key);
  const blocked = plan.blocked.get(key);
  const decision =
    kept === undefined ? (blocked === undefined ? idle(key, looked) : `wait: ${blocked}`) : `kept: ${kept.reason}`;
  return { decision, diff: [] };
}

async function stepOf(
  step: Step,
  { plan, looked, ports, signal }: Omit<Deciding, "status">,
): Promise<{ readonly decision: string; readonly diff: readonly FieldChange[] }> {
  const decision = `${step.kind === "relabel" ? "ensure" : step.kind}: ${describeReason(step.reason)}`;
  const context = { client: ports.client, identity: looked.identity, signal, steps: plan.steps };
  try {
    const { diff, remark } = await diffOfStep(step, context);
    return { decision: remark === undefined ? decision : `${decision}; ${remark}`, diff };
  } catch (error) {
    if (!isKeelsonError(error) || error.code === "Aborted") throw error;
    return { decision: `${decision}; the API server refuses it: ${messageOf(error)}`, diff: [] };
  }
}

function idle(key: string, { engine, addons }: Looked): string {
  const desired = engine.desired.objects.get(key);
  if (desired?.mode === "EnsureExists") return "nothing: it is there, and that is all that its mode asks for";
  if (desired !== undefined) return "nothing: it is as declared";
  if (omittedReport(addons).some(({ object }) => isSame(object, parseRefKey(key))))
    return "nothing: no label of its document selects it";
  return "nothing: it is not declared, and nothing proves that it is this set's";
}

/** The namespace of a document may be left to the context. */
function isSame(written: ObjectRef, ref: ObjectRef): boolean {
  const { group, kind, name, namespace } = written;
  return (
    group === ref.group && kind === ref.kind && name === ref.name && (namespace === "" || namespace === ref.namespace)
  );
}

function ownersOf(live: KubeObject, manager: string): readonly OwnerReport[] {
  const owners = (live.metadata.managedFields ?? []).map((entry): OwnerReport => {
    const { manager: name = "", operation = "Update", subresource = "", time, fieldsV1 = {} } = entry;
    const isOurs = name === manager && operation === "Apply" && subresource === "";
    const at = time === undefined ? {} : { time };
    return { manager: name, operation, subresource, ...at, isOurs, fields: fieldPathsOf(fieldsV1) };
  });
  return owners.sort((a, b) => Number(b.isOurs) - Number(a.isOurs));
}

function sharedOf(owners: readonly OwnerReport[]): ExplainReport["shared"] {
  const ours = owners.find(({ isOurs }) => isOurs);
  const others = owners
    .filter(({ isOurs }) => !isOurs)
    .map(({ manager, fields }) => ({ manager, has: new Set(fields) }));
  return (ours?.fields ?? []).flatMap((field) => {
    const managers = others.filter(({ has }) => has.has(field)).map(({ manager }) => manager);
    return managers.length === 0 ? [] : [{ field, managers }];
  });
}
