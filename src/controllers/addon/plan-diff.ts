import {
  bodyOf,
  type DesiredObject,
  desiredTree,
  refOfStep,
  type SetIdentity,
  type Step,
} from "../../converge/index.ts";
import { isKeelsonError } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import {
  fieldDiff,
  type KubeObject,
  maskSecretPair,
  type ObjectRef,
  replaceParentPatches,
} from "../../object/index.ts";
import type { FieldChange, TakesReport } from "./reports.ts";

/** Where a diff is looked up. */
export interface DiffContext {
  readonly client: KubeClient;
  readonly identity: SetIdentity;
  readonly signal: AbortSignal;
  /** The whole plan: what is in a namespace that it creates cannot be tried yet. */
  readonly steps: readonly Step[];
}

/** What a step changes, field by field, and what a delete takes with it. */
export interface StepDiff {
  readonly diff: readonly FieldChange[];
  readonly takes: readonly TakesReport[];
  /** What the step does beyond a plain request. */
  readonly remark?: string;
}

const NOTHING: StepDiff = { diff: [], takes: [] };

/**
 * Computes a step's field diff from the API server's own dry run, so that defaults, webhooks and conversions are in it.
 * Secret values are masked. Rejects with the server's error where it refuses the object.
 */
export async function diffOfStep(step: Step, context: DiffContext): Promise<StepDiff> {
  switch (step.kind) {
    case "create":
    case "apply":
      return diffOfApply(step.desired, context);
    case "ensure":
      return diffOfCreate(step.desired, context);
    case "delete":
      return { diff: [], takes: await takenBy(step.live.ref, context) };
    default:
      return NOTHING;
  }
}

async function diffOfApply(desired: DesiredObject, context: DiffContext): Promise<StepDiff> {
  const { client, identity, signal } = context;
  const { resource, ref } = desired;
  if (resource === undefined) return NOTHING;
  const target = { namespace: ref.namespace, name: ref.name };
  const tree = desiredTree(desired, identity);
  const before = await client.get(resource, target, { signal }).catch(absent);
  const options = { fieldManager: identity.manager, dryRun: true, signal } as const;
  try {
    const { object } = await client.apply(resource, target, bodyOf(tree, undefined), options);
    return { diff: changesOf(before, object), takes: [] };
  } catch (error) {
    if (isBeforeItsTime(error, desired, context)) return { diff: changesOf(before, tree), takes: [] };
    const remark = before === undefined ? undefined : repairOf(error, desired, { live: before, tree });
    // What becomes of the other fields cannot be tried without the repair.
    if (remark !== undefined) return { ...NOTHING, remark };
    throw error;
  }
}

/** The second step that an apply takes by itself where the server refuses the first; undefined where there is none. */
function repairOf(
  error: unknown,
  desired: DesiredObject,
  object: { readonly live: KubeObject; readonly tree: KubeObject },
): string | undefined {
  if (isKeelsonError(error, "Immutable") && desired.mayRecreate)
    return `an immutable field changes: it is deleted and created (${error.message})`;
  if (isKeelsonError(error, "TrackingUnreliable")) return "managedFields name a version that is gone: migrated first";
  if (!isKeelsonError(error, "Invalid")) return undefined;
  return replaceParentPatches(object.live, object.tree, error.causes).length === 0
    ? undefined
    : `a part that an apply alone cannot change is replaced (${error.message})`;
}

async function diffOfCreate(desired: DesiredObject, context: DiffContext): Promise<StepDiff> {
  const { client, identity, signal } = context;
  const { resource, ref } = desired;
  if (resource === undefined) return NOTHING;
  const tree = desiredTree(desired, identity);
  const options = { fieldManager: identity.manager, dryRun: true, signal } as const;
  try {
    const { object } = await client.create(resource, ref, bodyOf(tree, undefined), options);
    return { diff: changesOf(undefined, object), takes: [] };
  } catch (error) {
    if (isKeelsonError(error, "AlreadyExists")) return NOTHING;
    if (isBeforeItsTime(error, desired, context)) return { diff: changesOf(undefined, tree), takes: [] };
    throw error;
  }
}

function changesOf(before: KubeObject | undefined, after: KubeObject): readonly FieldChange[] {
  const masked = maskSecretPair(before, before === undefined ? withoutBookkeeping(after) : after);
  return fieldDiff(masked.before, masked.after).map(({ path, before: was, after: will }) => ({
    path,
    ...(was === undefined ? {} : { before: was }),
    ...(will === undefined ? {} : { after: will }),
  }));
}

/** A new object is shown as a whole: what the server would note down about this very try is no part of it. */
function withoutBookkeeping(object: KubeObject): KubeObject {
  const {
    managedFields: _1,
    uid: _2,
    creationTimestamp: _3,
    resourceVersion: _4,
    generation: _5,
    ...metadata
  } = object.metadata;
  return { ...object, metadata };
}

/** In a namespace that the same plan creates, a dry run has nowhere to go: the manifest itself is shown. */
function isBeforeItsTime(error: unknown, { ref }: DesiredObject, { steps }: DiffContext): boolean {
  if (isKeelsonError(error, "NoMatch")) return true;
  if (!isKeelsonError(error, "NamespaceNotFound")) return false;
  return steps.some((step) => {
    const { kind, name } = refOfStep(step);
    return "desired" in step && kind === "Namespace" && name === ref.namespace;
  });
}

function absent(error: unknown): undefined {
  if (isKeelsonError(error, "NotFound", "NamespaceNotFound", "NoMatch")) return undefined;
  throw error;
}

/** Kinds that every Namespace has some of by itself. */
const OF_EVERY_NAMESPACE: ReadonlySet<string> = new Set(["Event", "EndpointSlice", "Lease"]);

/** What goes with a deleted Namespace (its objects) or CustomResourceDefinition (its custom resources), counted by kind. */
async function takenBy(ref: ObjectRef, context: DiffContext): Promise<readonly TakesReport[]> {
  const { client, signal } = context;
  const resources = await client.discovery.all(signal);
  const listable = resources.filter(({ verbs }) => verbs.includes("list"));
  if (ref.kind === "Namespace" && ref.group === "") {
    const seen = new Set<string>();
    const kinds = listable.filter(({ namespaced, kind, group }) => {
      const isFirst = !seen.has(`${kind}.${group}`);
      seen.add(`${kind}.${group}`);
      return namespaced && isFirst && !OF_EVERY_NAMESPACE.has(kind);
    });
    return count(kinds, ref.name, context);
  }
  if (ref.kind !== "CustomResourceDefinition") return [];
  const dot = ref.name.indexOf(".");
  const [plural, group] = [ref.name.slice(0, dot), ref.name.slice(dot + 1)];
  const kind = listable.find((each) => each.group === group && each.resource === plural);
  return kind === undefined ? [] : count([kind], "", context);
}

async function count(
  kinds: Awaited<ReturnType<KubeClient["discovery"]["all"]>>,
  namespace: string,
  { client, signal }: DiffContext,
): Promise<readonly TakesReport[]> {
  const counts = await Promise.all(
    kinds.map(async (resource) => {
      let total = 0;
      try {
        for await (const page of client.list(resource, { namespace, metadataOnly: true, signal }))
          total += page.objects.length;
      } catch (error) {
        if (!isKeelsonError(error) || error.code === "Aborted") throw error;
      }
      return { kind: resource.kind, count: total };
    }),
  );
  return counts.filter((each) => each.count > 0);
}
