import { type GroupVersionKind, groupKindKey } from "../object/index.ts";
import { malformed, ok, type Parsed } from "./settings-values.ts";

/** What the original prunes where nothing else is said. */
export const DEFAULT_PRUNE_LIST: readonly string[] = [
  "core/v1/ConfigMap",
  "core/v1/Endpoints",
  "core/v1/Namespace",
  "core/v1/PersistentVolumeClaim",
  "core/v1/PersistentVolume",
  "core/v1/Pod",
  "core/v1/ReplicationController",
  "core/v1/Secret",
  "core/v1/Service",
  "batch/v1/Job",
  "batch/v1/CronJob",
  "apps/v1/DaemonSet",
  "apps/v1/Deployment",
  "apps/v1/ReplicaSet",
  "apps/v1/StatefulSet",
  "networking.k8s.io/v1/Ingress",
];

const GROUP = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
const VERSION = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const KIND = /^[A-Za-z][A-Za-z0-9]*$/;

/** Blank-separated `group/version/Kind`, `core` for the empty group. The malformed entry is named. */
export function parsePruneList(text: string): Parsed<readonly GroupVersionKind[]> {
  const kinds: GroupVersionKind[] = [];
  for (const entry of text.split(/\s+/).filter((part) => part !== "")) {
    const kind = parseEntry(entry);
    if (kind === undefined) return malformed(`"${entry}" is not group/version/Kind`);
    kinds.push(kind);
  }
  return ok(kinds);
}

/** The default list, parsed. */
export function defaultPruneList(): readonly GroupVersionKind[] {
  return DEFAULT_PRUNE_LIST.flatMap((entry) => parseEntry(entry) ?? []);
}

/** Both lists as one, each group-kind once: an object's identity does not depend on its version. */
export function prunableKinds(settings: {
  readonly pruneList: readonly GroupVersionKind[];
  readonly extraPrune: readonly GroupVersionKind[];
}): readonly GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  for (const kind of [...settings.pruneList, ...settings.extraPrune]) {
    const key = groupKindKey(kind);
    if (!kinds.has(key)) kinds.set(key, kind);
  }
  return [...kinds.values()];
}

function parseEntry(entry: string): GroupVersionKind | undefined {
  const [group, version, kind, ...rest] = entry.split("/");
  if (group === undefined || version === undefined || kind === undefined || rest.length > 0) return undefined;
  if (!GROUP.test(group) || !VERSION.test(version) || !KIND.test(kind)) return undefined;
  return { group: group === "core" ? "" : group, version, kind };
}
