import { isKeelsonError, KeelsonError } from "../errors/index.ts";
import type { ApiResource, WriteResult } from "../kube/index.ts";
import {
  describeRef,
  dropUpdateEntry,
  entryOf,
  type FieldSet,
  type JsonPatch,
  type KubeObject,
  leakPatch,
  migrateApiVersion,
  ParentRepair,
  restoreOwnershipPatch,
  stringifyJson,
} from "../object/index.ts";
import type { Executed } from "./change-set.ts";
import { type Cluster, recordOf, targetOf } from "./cluster.ts";
import { bodyOf, type DesiredObject, desiredTree } from "./desired.ts";
import { observe } from "./observe.ts";
import type { Baseline, LiveRecord } from "./record.ts";
import { recreate } from "./recreate.ts";
import type { ApplyStep, CreateStep } from "./step.ts";
import { takeoverOf } from "./takeover.ts";

/** Guards a loop of "look, patch, try again" against objects that move faster than we do. */
const MAX_ATTEMPTS = 4;
/** What may be wrong with a patch of ours, beside that the object moved. */
const REFUSALS = ["Invalid", "Immutable", "BadRequest", "Forbidden"] as const;

/** The state of one object's apply as it goes through its repairs. */
interface Attempt {
  readonly cluster: Cluster;
  readonly desired: DesiredObject;
  readonly resource: ApiResource;
  readonly signal: AbortSignal;
  readonly tree: KubeObject;
  /** uid that the object must have; undefined where it may be created. */
  readonly uid: string | undefined;
  /** resourceVersion that the first write must find; undefined: any, and after the first write. */
  onlyAt: string | undefined;
  readonly remarks: string[];
  readonly warnings: Set<string>;
  /** Fields that a take-over dropped without folding them in: what of them nobody owns after the apply is removed. */
  readonly orphaned: FieldSet[];
}

/**
 * Brings one Reconcile object to its desired state: take-over where other managers' client-side applies still hold
 * fields, then a forced server-side apply, and the second repair where an apply alone is refused for ever
 * (observations, rows 11, 17, 18). Rejects with the API server's error, classified, where none of this helps.
 */
export async function applyObject(
  cluster: Cluster,
  step: ApplyStep | CreateStep,
  signal: AbortSignal,
): Promise<Executed> {
  const { desired } = step;
  const { resource } = desired;
  if (resource === undefined) throw new KeelsonError("NoMatch", `${describeRef(desired.ref)}: its kind is not served`);
  const uid = step.kind === "apply" ? step.live.uid : undefined;
  const tree = desiredTree(desired, cluster.identity);
  const attempt: Attempt = {
    cluster,
    desired,
    resource,
    signal,
    tree,
    uid,
    onlyAt: step.kind === "apply" && step.isBound === true ? step.live.resourceVersion : undefined,
    remarks: [],
    warnings: new Set(),
    orphaned: [],
  };
  if (step.kind === "apply" && step.live.needsTakeover) await takeOver(attempt);
  if (step.kind === "apply" && !step.live.isTrackingReliable) await migrateVersions(attempt);
  const result = await applyWithRepairs(attempt);
  return finish(attempt, step, result);
}

async function applyWithRepairs(attempt: Attempt): Promise<WriteResult> {
  const used = new Set<Repair>();
  for (;;) {
    try {
      return await sendApply(attempt);
    } catch (error) {
      const repair = isKeelsonError(error) ? repairFor(error, attempt) : undefined;
      if (!isKeelsonError(error) || repair === undefined || used.has(repair)) throw error;
      used.add(repair);
      if (repair === "migrate") await migrateVersions(attempt);
      else if (repair === "replace-parents") return await replaceParents(attempt, error);
      else if (repair === "recreate") return recreateInstead(attempt);
    }
  }
}

/** What helps where an apply is refused; each is tried once. */
type Repair = "migrate" | "recreate" | "replace-parents";

function repairFor(error: KeelsonError, attempt: Attempt): Repair | undefined {
  if (isUidMismatch(error)) throw replacedMeanwhile(attempt.desired, error);
  if (error.code === "TrackingUnreliable") return "migrate";
  if (error.code === "Immutable" && attempt.desired.mayRecreate) return "recreate";
  if (error.code === "Invalid" && attempt.uid !== undefined) return "replace-parents";
  return undefined;
}

function recreateInstead(attempt: Attempt): Promise<WriteResult> {
  attempt.remarks.push("deleted and created: an immutable field changed");
  return recreate(attempt.cluster, attempt.desired, { tree: attempt.tree, signal: attempt.signal });
}

/** Another object stands in the place of the one we know: its uid cannot be ours (observations, row 22). */
function isUidMismatch(error: KeelsonError): boolean {
  return error.causes.some((cause) => cause.field === "metadata.uid");
}

async function sendApply(attempt: Attempt): Promise<WriteResult> {
  const { cluster, resource, desired, tree, uid, onlyAt, signal } = attempt;
  const options = { fieldManager: cluster.identity.manager, force: true, signal } as const;
  const result = await cluster.client.apply(resource, targetOf(desired.ref), bodyOf(tree, uid, onlyAt), options);
  attempt.onlyAt = undefined;
  for (const warning of result.warnings) attempt.warnings.add(warning);
  return result;
}

/** Applied by us once, as the annotation tells, and now without our entry. */
function wasWiped(step: ApplyStep | CreateStep): boolean {
  return step.kind === "apply" && !step.live.hasApplyEntry && step.live.applied !== undefined;
}

/** After the answer: an object that was not in the cache may need its take-over only now that its managers are seen. */
async function finish(attempt: Attempt, step: ApplyStep | CreateStep, first: WriteResult): Promise<Executed> {
  const { cluster, desired } = attempt;
  let result = first;
  let live = await recordOf(cluster, result.object, desired);
  if (live.needsTakeover && !result.created) {
    await takeOver(attempt);
    result = await sendApply(attempt);
    live = await recordOf(cluster, result.object, desired);
  }
  if (wasWiped(step)) {
    const restored = await patchLive(attempt, (object) => restoreOwnershipPatch(object, cluster.identity.manager));
    if (restored !== undefined) {
      attempt.remarks.push("took our fields back from before-first-apply: somebody had wiped managedFields");
      live = await recordOf(cluster, restored, desired);
    }
  }
  for (const fields of attempt.orphaned) {
    const cleaned = await patchLive(attempt, (object) => leakPatch(object, fields, attempt.tree));
    if (cleaned !== undefined) live = await recordOf(cluster, cleaned, desired);
  }
  const isUnchanged = step.kind === "apply" && !result.created && live.resourceVersion === step.live.resourceVersion;
  const outcome = result.created ? "created" : isUnchanged && attempt.remarks.length === 0 ? "unchanged" : "configured";
  return { outcome, live, remarks: attempt.remarks, warnings: [...attempt.warnings] };
}

/**
 * Reads the object and sends the patch that `compute` makes from it, guarded by resourceVersion; again where the object
 * moved in between. Returns the patched object, or undefined where `compute` sees nothing to do or the object is gone.
 */
async function patchLive(
  attempt: Attempt,
  compute: (live: KubeObject) => JsonPatch | undefined,
): Promise<KubeObject | undefined> {
  const { cluster, resource, desired, signal } = attempt;
  const target = targetOf(desired.ref);
  for (let tries = 1; ; tries += 1) {
    try {
      const live = await cluster.client.get(resource, target, { signal });
      requireSame(attempt, live);
      const patch = compute(live);
      if (patch === undefined) return undefined;
      const body = stringifyJson(patch);
      const options = { fieldManager: cluster.identity.manager, signal } as const;
      const { object } = await cluster.client.patch(resource, target, { type: "json", body }, options);
      attempt.onlyAt = undefined;
      return object;
    } catch (error) {
      if (isKeelsonError(error, "NotFound")) return undefined;
      if (!isKeelsonError(error, "Conflict") || tries >= MAX_ATTEMPTS || attempt.onlyAt !== undefined) throw error;
    }
  }
}

/** Every patch here is guarded by the version that was read: where that is the planned one, so is the write. */
function requireSame({ uid, onlyAt, desired }: Attempt, { metadata }: KubeObject): void {
  if (uid !== undefined && metadata.uid !== uid) throw replacedMeanwhile(desired);
  if (onlyAt === undefined || metadata.resourceVersion === onlyAt) return;
  throw new KeelsonError("Conflict", `${describeRef(desired.ref)}: it moved since the plan was made`);
}

function replacedMeanwhile({ ref }: DesiredObject, cause?: KeelsonError): KeelsonError {
  return new KeelsonError("Conflict", `${describeRef(ref)}: it was deleted and created again meanwhile`, { cause });
}

async function takeOver(attempt: Attempt): Promise<void> {
  const { identity } = attempt.cluster;
  const patched = await patchLive(attempt, (live) => {
    const migration = takeoverOf(live, identity);
    if (migration !== undefined) attempt.orphaned.push(migration.orphaned);
    return migration?.patch;
  });
  if (patched !== undefined) attempt.remarks.push("took over the fields of its former client-side apply");
}

async function migrateVersions(attempt: Attempt): Promise<void> {
  const patched = await patchLive(attempt, (live) => migrateApiVersion(live)?.patch);
  if (patched !== undefined) attempt.remarks.push("migrated managedFields from a version that is gone");
}

/**
 * Row 11: puts the enclosing list item or struct in place as a whole, then applies, and drops the Update entry that this
 * leaves. Where the server refuses the patch, nothing was written, and a wider one is tried; where it refuses the apply, one
 * for what it refuses for the same reason as before. Rejects with a refusal of an apply where none helps: what is wrong
 * with our own patches is nobody's concern.
 */
async function replaceParents(attempt: Attempt, first: KeelsonError): Promise<WriteResult> {
  const repair = new ParentRepair(attempt.tree, first.causes);
  for (let refusal = first; ; ) {
    const patched = await replaceOnce(attempt, repair);
    if (patched === undefined) throw refusal;
    attempt.remarks.push(`replaced what an apply alone cannot repair: ${repair.paths}`);
    try {
      return await applyAfter(attempt, patched);
    } catch (error) {
      if (!isKeelsonError(error, "Invalid")) throw error;
      refusal = error;
      repair.applyRefused(error.causes);
    }
  }
}

/** Sends one patch after the other until one is accepted; undefined where none is. */
async function replaceOnce(attempt: Attempt, repair: ParentRepair): Promise<KubeObject | undefined> {
  for (;;) {
    try {
      return await patchLive(attempt, (live) => repair.next(live));
    } catch (error) {
      if (!isKeelsonError(error, ...REFUSALS)) throw error;
      if (error.code !== "Invalid") return undefined;
      repair.patchRefused(error.causes);
    }
  }
}

async function applyAfter(attempt: Attempt, patched: KubeObject): Promise<WriteResult> {
  const { manager } = attempt.cluster.identity;
  const result = await sendApply(attempt);
  if (entryOf(patched, manager, "Update") === undefined) return result;
  const cleaned = await patchLive(attempt, (live) => dropUpdateEntry(live, manager)?.patch);
  return cleaned === undefined ? result : { ...result, object: cleaned };
}

/** The record of what an apply would leave, by a dry run: the slow self-check compares it with the baseline. */
export async function dryRunRecord(
  cluster: Cluster,
  known: { readonly desired: DesiredObject; readonly baseline: Baseline },
  signal: AbortSignal,
): Promise<LiveRecord> {
  const { client, identity } = cluster;
  const { desired, baseline } = known;
  const { resource, ref } = desired;
  if (resource === undefined) throw new KeelsonError("NoMatch", `${describeRef(ref)}: its kind is not served`);
  const body = bodyOf(desiredTree(desired, identity), undefined);
  const options = { fieldManager: identity.manager, dryRun: true, signal } as const;
  const { object } = await client.apply(resource, targetOf(ref), body, options);
  const servedVersions = await client.discovery.versions(ref, signal);
  return observe(object, { identity, desired, baseline, servedVersions, isSelected: true });
}
