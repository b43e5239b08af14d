import type { ApiRequest, Live } from "./api-client.ts";
import { type LoadKind, type LoadObject, modeLabel, settingOf } from "./load.ts";

/** A change that someone else makes, and how to tell that it was taken back. */
export interface DriftEdit {
  readonly sort: "edit" | "delete";
  readonly object: LoadObject;
  readonly request: ApiRequest;
  readonly isRestored: (live: Live) => boolean;
}

interface Change {
  readonly patch: unknown;
  /** JSON merge patch where left out. */
  readonly isStrategic?: boolean;
  /** A path into the live object, and what stands there when all is well. */
  readonly path: readonly (string | number)[];
  readonly desired: unknown;
}

const nameLabel = "app.kubernetes.io/name";

/** Changes `count` different objects, in random order and ways; one in four is deleted. */
export function pickEdits(
  objects: readonly LoadObject[],
  { count, random }: { readonly count: number; readonly random: () => number },
): readonly DriftEdit[] {
  const shuffled = objects
    .map((object) => ({ object, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ object }) => object);
  return shuffled.slice(0, count).map((object) => {
    // Edits of EnsureExists objects are none of the daemon's business; that they are deleted is.
    const isDelete = object.mode === "EnsureExists" || random() < 0.25;
    return isDelete ? deleteOf(object) : editOf(object, random);
  });
}

function deleteOf(object: LoadObject): DriftEdit {
  return {
    sort: "delete",
    object,
    request: { method: "DELETE", path: `${object.collection}/${object.name}` },
    isRestored: () => true,
  };
}

function editOf(object: LoadObject, random: () => number): DriftEdit {
  const changes = [...changesOfAnyKind(object), ...changesOf[object.kind](object)];
  const change = changes[Math.floor(random() * changes.length)] ?? changes[0];
  if (change === undefined) return deleteOf(object);
  const desired = JSON.stringify(change.desired);
  return {
    sort: "edit",
    object,
    request: {
      method: "PATCH",
      path: `${object.collection}/${object.name}`,
      body: change.patch,
      contentType: change.isStrategic ? "application/strategic-merge-patch+json" : "application/merge-patch+json",
    },
    isRestored: (live) => JSON.stringify(valueAt(live, change.path)) === desired,
  };
}

function changesOfAnyKind({ name, mode }: LoadObject): readonly Change[] {
  const label = { path: ["metadata", "labels", nameLabel], desired: name };
  return [
    { ...label, patch: { metadata: { labels: { [nameLabel]: "someone-else" } } } },
    { ...label, patch: { metadata: { labels: { [nameLabel]: null } } } },
    {
      patch: { metadata: { labels: { [modeLabel]: null } } },
      path: ["metadata", "labels", modeLabel],
      desired: mode,
    },
  ];
}

const changesOf: Readonly<Record<LoadKind, (object: LoadObject) => readonly Change[]>> = {
  ConfigMap: (object) => [
    { patch: { data: { setting: "someone else's" } }, path: ["data", "setting"], desired: settingOf(object) },
    { patch: { data: { setting: null } }, path: ["data", "setting"], desired: settingOf(object) },
  ],
  ServiceAccount: () => [],
  Service: ({ name }) => [
    {
      patch: { spec: { selector: { [nameLabel]: "someone-else" } } },
      path: ["spec", "selector", nameLabel],
      desired: name,
    },
    {
      patch: { spec: { ports: [{ port: 80, targetPort: 9999 }] } },
      isStrategic: true,
      path: ["spec", "ports", 0, "targetPort"],
      desired: 8080,
    },
  ],
  ClusterRole: () => [
    {
      patch: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["*"] }] },
      path: ["rules", 0, "verbs"],
      desired: ["get", "list", "watch"],
    },
    { patch: { rules: [] }, path: ["rules", 0, "verbs"], desired: ["get", "list", "watch"] },
  ],
  Deployment: ({ index }) => [
    {
      patch: { spec: { template: { spec: { containers: [{ name: "server", image: "registry.example/other:1" }] } } } },
      isStrategic: true,
      path: ["spec", "template", "spec", "containers", 0, "image"],
      desired: `registry.example/server:${index}`,
    },
    {
      patch: {
        spec: { template: { spec: { containers: [{ name: "server", resources: { limits: { cpu: "1" } } }] } } },
      },
      isStrategic: true,
      path: ["spec", "template", "spec", "containers", 0, "resources", "limits", "cpu"],
      desired: "100m",
    },
  ],
};

function valueAt(live: Live, path: readonly (string | number)[]): unknown {
  let value: unknown = live;
  for (const step of path) value = (value as Readonly<Record<string | number, unknown>> | undefined)?.[step];
  return value;
}
