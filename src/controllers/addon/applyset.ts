import { createHash } from "node:crypto";
import { groupKindKey, type JsonObject, type KubeObject, type ObjectRef, PART_OF_LABEL } from "../../object/index.ts";
import { type SetNames, SYSTEM_NAMESPACE } from "./identity.ts";

// The format is kubectl's code (pkg/cmd/apply/applyset.go), which differs from the text of KEP-3659 in domain, in the
// form of the id and in where the tooling stands.

/** Label of a parent: its own id. */
export const APPLYSET_ID_LABEL = "applyset.kubernetes.io/id";
/** Annotation of a parent: `NAME/VERSION` of the one tool that may change it. */
export const TOOLING_ANNOTATION = "applyset.kubernetes.io/tooling";
const GROUP_KINDS_ANNOTATION = "applyset.kubernetes.io/contains-group-kinds";
/** The former one: plurals. */
const GROUP_RESOURCES_ANNOTATION = "applyset.kubernetes.io/contains-group-resources";
const NAMESPACES_ANNOTATION = "applyset.kubernetes.io/additional-namespaces";

/** Where members are looked for: sorted, each once. */
export interface ApplySetInventory {
  /** `Deployment.apps`, `ConfigMap`. */
  readonly groupKinds: readonly string[];
  /** Without the parent's own. */
  readonly namespaces: readonly string[];
}

/** What a parent says; undefined where it lacks it. */
export interface ApplySetParent {
  readonly id: string | undefined;
  readonly tooling: string | undefined;
  readonly groupKinds: readonly string[] | undefined;
  /** `deployments.apps`, `configmaps`. */
  readonly groupResources: readonly string[] | undefined;
  readonly namespaces: readonly string[];
}

/** Nothing yet. */
export const NO_INVENTORY: ApplySetInventory = { groupKinds: [], namespaces: [] };

/** The id of the ApplySet whose parent is this object. */
export function applySetId({ name, namespace, kind, group }: ObjectRef): string {
  const hash = createHash("sha256").update([name, namespace, kind, group].join("."));
  return `applyset-${hash.digest("base64url")}-v1`;
}

/** The parent of a set of ours. */
export function parentRefOf({ applySetConfigMap }: SetNames): ObjectRef {
  return { group: "", kind: "ConfigMap", namespace: SYSTEM_NAMESPACE, name: applySetConfigMap };
}

/** Reads a parent. */
export function parseParent({ metadata }: Pick<KubeObject, "metadata">): ApplySetParent {
  const { labels = {}, annotations = {} } = metadata;
  const listOf = (key: string): readonly string[] | undefined => {
    const text = annotations[key];
    return text === undefined ? undefined : sorted(text.split(",").map((each) => each.trim()));
  };
  return {
    id: labels[APPLYSET_ID_LABEL],
    tooling: annotations[TOOLING_ANNOTATION],
    groupKinds: listOf(GROUP_KINDS_ANNOTATION),
    groupResources: listOf(GROUP_RESOURCES_ANNOTATION),
    namespaces: listOf(NAMESPACES_ANNOTATION) ?? [],
  };
}

/** The tool of a `NAME/VERSION`: all before the last slash. */
export function toolNameOf(tooling: string): string {
  const slash = tooling.lastIndexOf("/");
  return slash < 0 ? tooling : tooling.slice(0, slash);
}

/** Why a parent is not the one of `id` that `tooling` may change; undefined where it is. */
export function faultOfParent(
  { id, tooling }: ApplySetParent,
  wanted: { readonly id: string; readonly tooling: string },
): string | undefined {
  if (tooling === undefined) return `it has no annotation ${TOOLING_ANNOTATION}`;
  if (toolNameOf(tooling) !== toolNameOf(wanted.tooling)) return `${tooling} keeps it`;
  if (id === undefined) return `it has no label ${APPLYSET_ID_LABEL}`;
  return id === wanted.id ? undefined : `its id ${id} is not that of its name, ${wanted.id}`;
}

/** Where these members are, for a parent in kube-system. */
export function inventoryOf(members: Iterable<ObjectRef>): ApplySetInventory {
  const groupKinds = new Set<string>();
  const namespaces = new Set<string>();
  for (const ref of members) {
    groupKinds.add(groupKindKey(ref));
    if (ref.namespace !== SYSTEM_NAMESPACE) namespaces.add(ref.namespace);
  }
  return { groupKinds: sorted(groupKinds), namespaces: sorted(namespaces) };
}

/** What either holds. */
export function unionOf(a: ApplySetInventory, b: ApplySetInventory): ApplySetInventory {
  return {
    groupKinds: sorted([...a.groupKinds, ...b.groupKinds]),
    namespaces: sorted([...a.namespaces, ...b.namespaces]),
  };
}

export function isSameInventory(a: ApplySetInventory, b: ApplySetInventory): boolean {
  return a.groupKinds.join() === b.groupKinds.join() && a.namespaces.join() === b.namespaces.join();
}

/** The parent of a set of ours, as it is applied. kubectl wants both lists, also where they are empty. */
export function parentTree(
  names: SetNames,
  { tooling, inventory }: { readonly tooling: string; readonly inventory: ApplySetInventory },
): JsonObject {
  const ref = parentRefOf(names);
  return {
    apiVersion: "v1",
    kind: ref.kind,
    metadata: {
      name: ref.name,
      namespace: ref.namespace,
      labels: { [APPLYSET_ID_LABEL]: applySetId(ref), [PART_OF_LABEL]: "keelson" },
      annotations: {
        [TOOLING_ANNOTATION]: tooling,
        [GROUP_KINDS_ANNOTATION]: inventory.groupKinds.join(","),
        [NAMESPACES_ANNOTATION]: inventory.namespaces.join(","),
      },
    },
  };
}

function sorted(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== "").sort();
}
