import { KeelsonError } from "../errors/index.ts";
import type { WriteResult } from "../kube/index.ts";
import { describeRef, groupKindKey, type KubeObject } from "../object/index.ts";
import { type Cluster, targetOf } from "./cluster.ts";
import { bodyOf, type DesiredObject } from "./desired.ts";

/** Kinds whose deletion takes other objects or data with it: never re-created, whatever the annotation says. */
const NEVER_RECREATED: ReadonlySet<string> = new Set([
  "Namespace",
  "CustomResourceDefinition.apiextensions.k8s.io",
  "PersistentVolume",
  "PersistentVolumeClaim",
]);

const GONE_TIMEOUT_MS = 30_000;
const GONE_POLL_MS = 100;
const TRIAL = "-keelson-trial";

/**
 * Deletes and creates an object whose immutable field changed. The new one is tried first, under another name and as a
 * dry run: an object that would be refused must not cost the one that is there.
 */
export async function recreate(
  cluster: Cluster,
  desired: DesiredObject,
  work: { readonly tree: KubeObject; readonly signal: AbortSignal },
): Promise<WriteResult> {
  const { client, identity, clock } = cluster;
  const { resource, ref } = desired;
  const name = describeRef(ref);
  if (resource === undefined || NEVER_RECREATED.has(groupKindKey(ref))) {
    throw new KeelsonError("Refused", `${name}: a ${ref.kind} is never deleted and created; change it by hand`);
  }
  const { signal, tree } = work;
  const options = { fieldManager: identity.manager, signal } as const;
  const trial = { ...tree, metadata: { ...tree.metadata, name: trialName(ref.name) } };
  await client.create(resource, targetOf(ref), bodyOf(trial, undefined), { ...options, dryRun: true });
  const live = await client.get(resource, targetOf(ref), { signal });
  const { uid, resourceVersion } = live.metadata;
  await client.delete(resource, targetOf(ref), {
    signal,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  });
  const deadline = clock.monotonic() + GONE_TIMEOUT_MS;
  for (;;) {
    const result = await client.apply(resource, targetOf(ref), bodyOf(tree, undefined), options).catch(ignoreImmutable);
    // An apply on an object that still waits for its finalizers is lost with it (observations, row 27).
    if (result !== undefined && result.object.metadata.deletionTimestamp === undefined)
      return { ...result, created: true };
    if (clock.monotonic() > deadline) {
      throw new KeelsonError("Timeout", `${name}: deleted for re-creation, but its finalizers are still at work`);
    }
    await clock.sleep(GONE_POLL_MS, signal);
  }
}

/** A name of at most 63 characters: the shortest limit that a kind has. */
export function trialName(name: string): string {
  return `${name.slice(0, 63 - TRIAL.length).replace(/[^a-z0-9]+$/i, "")}${TRIAL}`;
}

/** While the old object is terminating its immutable fields still refuse the new one. */
function ignoreImmutable(error: unknown): undefined {
  if (error instanceof KeelsonError && error.code === "Immutable") return undefined;
  throw error;
}
