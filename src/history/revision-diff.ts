import {
  type FieldChange,
  fieldDiff,
  type KubeObject,
  maskSecret,
  type ObjectRef,
  parseJson,
  refKey,
} from "../object/index.ts";
import { compareSets, type Revision, type RevisionObject, type SetMember } from "./revision.ts";

/** One object that two revisions have differently. */
export interface RevisionChange {
  readonly action: "added" | "changed" | "removed";
  readonly ref: ObjectRef;
  /** Of the later revision; of the earlier one where the object was removed. */
  readonly file: string;
  readonly line: number;
  /** Field by field, from the first revision to the second; values of Secrets are masked. Empty where only the mode differs. */
  readonly fields: readonly FieldChange[];
}

/** What differs from `a` to `b`, by key of the object. Pure. */
export function diffRevisions(a: Revision, b: Revision): readonly RevisionChange[] {
  const [before, after] = [byKey(a), byKey(b)];
  const { added, changed, removed } = compareSets(membersOf(before), membersOf(after));
  const changes = [
    ...added.map((key) => changeOf("added", undefined, after.get(key))),
    ...changed.map((key) => changeOf("changed", before.get(key), after.get(key))),
    ...removed.map((key) => changeOf("removed", before.get(key), undefined)),
  ];
  return changes.flat().sort((one, other) => (refKey(one.ref) < refKey(other.ref) ? -1 : 1));
}

/** The object that a revision has, as a tree; values of a Secret are masked. */
export function contentOf(object: RevisionObject): KubeObject {
  return maskSecret(treeOf(object));
}

function treeOf({ manifest }: RevisionObject): KubeObject {
  return parseJson(manifest.body) as KubeObject;
}

function byKey({ contents }: Revision): ReadonlyMap<string, RevisionObject> {
  return new Map(contents.map((object) => [refKey(object.ref), object]));
}

function membersOf(objects: ReadonlyMap<string, RevisionObject>): ReadonlyMap<string, SetMember> {
  return new Map([...objects].map(([key, { mode, manifest }]) => [key, { mode, digest: manifest.digest }]));
}

function changeOf(
  action: RevisionChange["action"],
  before: RevisionObject | undefined,
  after: RevisionObject | undefined,
): readonly RevisionChange[] {
  const shown = after ?? before;
  if (shown === undefined) return [];
  const { file, line } = shown.manifest.origin;
  const trees = [before, after].map((object) => (object === undefined ? undefined : treeOf(object)));
  return [{ action, ref: shown.ref, file, line, fields: fieldDiff(trees[0], trees[1], { ignore: [] }) }];
}
