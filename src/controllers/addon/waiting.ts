import { compareSets, type Revision, type SetMember } from "../../history/index.ts";
import type { ManifestObject } from "../../manifest/index.ts";
import { groupVersionKindOf, refKey } from "../../object/index.ts";
import type { DesiredAddons } from "./desired.ts";
import type { WaitingObject, WaitingReport } from "./reports.ts";

/** Objects that are listed one by one; the numbers count all. */
const SHOWN = 100;

interface Member extends SetMember {
  readonly manifest: ManifestObject;
}

/**
 * What the directory holds otherwise than a revision that is held. Compared as it is written, without asking the cluster:
 * a namespace that is left out differs from one that is named. Pure.
 */
export function waitingReport(addons: DesiredAddons, revision: Revision): WaitingReport {
  const before = membersOf(revision.contents);
  const after = membersOf(addons.input.declared);
  const { added, changed, removed } = compareSets(before, after);
  const objects = [
    ...added.map((key) => waitingObject("added", after.get(key))),
    ...changed.map((key) => waitingObject("changed", after.get(key))),
    ...removed.map((key) => waitingObject("removed", before.get(key))),
  ];
  return {
    added: added.length,
    changed: changed.length,
    removed: removed.length,
    objects: objects.flat().slice(0, SHOWN),
  };
}

function membersOf(
  declared: readonly { readonly manifest: ManifestObject; readonly mode: string }[],
): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  for (const { manifest, mode } of declared) {
    const key = refKey(refAsWritten(manifest));
    if (!members.has(key)) members.set(key, { mode, digest: manifest.digest, manifest });
  }
  return members;
}

function refAsWritten(manifest: ManifestObject): WaitingObject["object"] {
  const { group, kind } = groupVersionKindOf(manifest);
  return { group, kind, namespace: manifest.namespace ?? "", name: manifest.name };
}

function waitingObject(action: WaitingObject["action"], member: Member | undefined): readonly WaitingObject[] {
  if (member === undefined) return [];
  return [{ action, object: refAsWritten(member.manifest), ...member.manifest.origin }];
}
