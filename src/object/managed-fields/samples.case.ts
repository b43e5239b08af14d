import type { JsonObject, KubeObject, ManagedFieldsEntry } from "../types.ts";
import type { FieldSet } from "./fields.ts";

/** Key names of the keyed lists of a Deployment and a Service, by the path of names; an empty row is a set. */
const KEYED: Readonly<Record<string, readonly string[]>> = {
  "metadata.finalizers": [],
  "spec.ports": ["port", "protocol"],
  "spec.template.spec.containers": ["name"],
  "spec.template.spec.containers.env": ["name"],
  "spec.template.spec.containers.ports": ["containerPort", "protocol"],
  "spec.template.spec.volumes": ["name"],
};

/** Maps that the API's schema makes atomic. */
const ATOMIC: ReadonlySet<string> = new Set(["spec.selector", "spec.template.spec.nodeSelector"]);

const IDENTITY: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata.name", "metadata.namespace"]);

/** The set that an apply of `object` makes its manager own, as the API server computes it for these kinds. */
export function appliedSet(object: KubeObject): FieldSet {
  return setOf(object, "");
}

function setOf(value: unknown, path: string): FieldSet {
  if (Array.isArray(value)) return setOfList(value, path);
  if (typeof value !== "object" || value === null || ATOMIC.has(path)) return {};
  const set: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const below = path === "" ? name : `${path}.${name}`;
    const child = setOf(field, below);
    const isNothing = below === "metadata" && Object.keys(child).length === 0;
    if (!IDENTITY.has(below) && !isNothing) set[`f:${name}`] = child;
  }
  return set;
}

function setOfList(list: readonly unknown[], path: string): FieldSet {
  const names = KEYED[path];
  if (names === undefined) return {};
  if (names.length === 0) return Object.fromEntries(list.map((item) => [`v:${JSON.stringify(item)}`, {}]));
  return Object.fromEntries(
    list.map((item) => {
      const fields: JsonObject = Object(item);
      const key = Object.fromEntries(names.map((name) => [name, fields[name] ?? "TCP"]));
      return [`k:${JSON.stringify(key)}`, { ".": {}, ...setOf(item, path) }];
    }),
  );
}

/** Our Apply entry for `object`. */
export function appliedEntry(object: KubeObject, manager = "keelson"): ManagedFieldsEntry {
  return {
    manager,
    operation: "Apply",
    apiVersion: object.apiVersion,
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: appliedSet(object),
  };
}

/** The object as the server has it after our apply: key defaults filled in, with our entry, and others' where given. */
export function liveOf(
  object: KubeObject,
  {
    entry = appliedEntry(object),
    others = [],
  }: { entry?: ManagedFieldsEntry; others?: readonly ManagedFieldsEntry[] } = {},
): KubeObject {
  const copy: KubeObject = structuredClone(object);
  fillProtocols(copy);
  const metadata = { ...copy.metadata, uid: "u-1", resourceVersion: "7", managedFields: [entry, ...others] };
  return { ...copy, metadata };
}

function fillProtocols(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if ("containerPort" in value || "port" in value) Object.assign(value, { protocol: "TCP", ...value });
  for (const child of Object.values(value)) fillProtocols(child);
}

/** The set after the field at a path of raw steps was lost: nodes that own nothing any more go too. */
export function withoutField(set: FieldSet, path: readonly string[]): FieldSet {
  const pruned = withValue(set, path, undefined);
  const parent = path.slice(0, -1);
  const node = parent.reduce<JsonObject>((fields, step) => Object(fields[step]), pruned);
  return parent.length > 0 && Object.keys(node).length === 0 ? withoutField(pruned, parent) : pruned;
}

/** An entry of another manager. */
export function foreignEntry(manager: string, fieldsV1: FieldSet, more: ManagedFieldsEntry = {}): ManagedFieldsEntry {
  return { manager, operation: "Update", apiVersion: "apps/v1", time: "2026-02-02T00:00:00Z", fieldsV1, ...more };
}

/** A Deployment as an add-on's manifest has it. */
export function deployment(): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "dns",
      namespace: "kube-system",
      labels: { "addonmanager.kubernetes.io/mode": "Reconcile", "k8s-app": "dns" },
      annotations: { "keelson.dev/applied": "v1:00" },
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: { "k8s-app": "dns" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels: { "k8s-app": "dns" } },
        spec: {
          nodeSelector: { "kubernetes.io/os": "linux" },
          tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
          containers: [
            {
              name: "dns",
              image: "registry.example/dns:v1",
              args: ["-conf", "/etc/dns"],
              env: [
                { name: "A", value: "1" },
                { name: "B", value: "2" },
              ],
              ports: [
                { containerPort: 53, protocol: "UDP", name: "dns" },
                { containerPort: 53, name: "dns-tcp" },
              ],
              resources: { limits: { memory: "170Mi" } },
            },
            { name: "metrics", image: "registry.example/metrics:v1" },
          ],
          volumes: [
            { name: "conf", configMap: { name: "dns" } },
            { name: "tmp", emptyDir: {} },
          ],
        },
      },
    },
  };
}

/** Every place of a value where a scalar is: names and indices down to it. */
export function scalarPlaces(
  value: unknown,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([name, child]) => scalarPlaces(child, [...path, name]));
}

/** A copy with the value at a place replaced; `undefined` removes a field. */
export function withValue<T>(object: T, path: readonly (string | number)[], value: unknown): T {
  const copy: T = structuredClone(object);
  const parent: Record<string | number, unknown> = path
    .slice(0, -1)
    .reduce<never>((node, step) => node[step], copy as never);
  const last = path.at(-1) ?? "";
  if (value === undefined && Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
