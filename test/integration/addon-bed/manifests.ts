import type { KubeObject } from "../../../src/object/index.ts";

export const MODE = "addonmanager.kubernetes.io/mode";
export const CLUSTER_SERVICE = "kubernetes.io/cluster-service";

type Fields = Readonly<Record<string, unknown>>;

/** An object in namespace default, unless `metadata` says otherwise. */
export function object(apiVersion: string, kind: string, name: string, fields: Fields = {}): KubeObject {
  const { metadata = {}, ...rest } = fields;
  return { apiVersion, kind, metadata: { name, namespace: "default", ...(metadata as object) }, ...rest };
}

/** A cluster-scoped object. */
export function clusterObject(apiVersion: string, kind: string, name: string, fields: Fields = {}): KubeObject {
  const made = object(apiVersion, kind, name, fields);
  const { namespace: _none, ...metadata } = made.metadata;
  return { ...made, metadata };
}

/** The object with the label of a mode; others by `labels`. */
export function labelled(of: KubeObject, labels: Readonly<Record<string, string>>): KubeObject {
  return { ...of, metadata: { ...of.metadata, labels: { ...of.metadata.labels, ...labels } } };
}

export const reconciled = (of: KubeObject): KubeObject => labelled(of, { [MODE]: "Reconcile" });
export const ensured = (of: KubeObject): KubeObject => labelled(of, { [MODE]: "EnsureExists" });

export function annotated(of: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  return { ...of, metadata: { ...of.metadata, annotations: { ...of.metadata.annotations, ...annotations } } };
}

export function configMap(name: string, data: Readonly<Record<string, string>> = { a: "1" }): KubeObject {
  return object("v1", "ConfigMap", name, { data });
}

export function service(name: string, spec: Fields = {}): KubeObject {
  return object("v1", "Service", name, {
    spec: { selector: { app: name }, ports: [{ name: "http", port: 80 }], ...spec },
  });
}

/** A Deployment without replicas: nothing would run its Pods. */
export function deployment(
  name: string,
  container: Fields = {},
  parts: { spec?: Fields; pod?: Fields } = {},
): KubeObject {
  const containers = [{ name: "c", image: "registry.example/app:1", ...container }];
  return object("apps/v1", "Deployment", name, {
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers, ...parts.pod } },
      ...parts.spec,
    },
  });
}

export const namespace = (name: string): KubeObject => clusterObject("v1", "Namespace", name);

/** A namespaced kind of the group example.dev; each version's `spec` are its properties. */
export function crd(
  singular: string,
  versions: Readonly<Record<string, Fields>>,
  parts: { served?: readonly string[]; storage?: string } = {},
): KubeObject {
  const names = Object.keys(versions);
  const { served = names, storage = names.at(-1) } = parts;
  return clusterObject("apiextensions.k8s.io/v1", "CustomResourceDefinition", `${singular}s.example.dev`, {
    spec: {
      group: "example.dev",
      scope: "Namespaced",
      names: { plural: `${singular}s`, singular, kind: kindOf(singular), listKind: `${kindOf(singular)}List` },
      versions: names.map((name) => ({
        name,
        served: served.includes(name),
        storage: name === storage,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: versions[name] } } },
        },
      })),
    },
  });
}

export function kindOf(singular: string): string {
  return `${singular.slice(0, 1).toUpperCase()}${singular.slice(1)}`;
}

/** The text of a file with these objects. */
export function file(...objects: readonly KubeObject[]): string {
  return objects.map((each) => JSON.stringify(each, undefined, 2)).join("\n---\n");
}

/** Where the API server has an object of a well-known kind. */
export function pathOf(of: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeObject["metadata"];
}): string {
  const { name = "", namespace: ns } = of.metadata;
  return `${collectionOf(of.apiVersion, of.kind, ns)}/${name}`;
}

export function collectionOf(apiVersion: string, kind: string, ns: string | undefined): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  return `${root}${ns === undefined ? "" : `/namespaces/${ns}`}/${plural}`;
}

const PLURALS: Readonly<Record<string, string>> = {
  Endpoints: "endpoints",
  NetworkPolicy: "networkpolicies",
  Ingress: "ingresses",
  PriorityClass: "priorityclasses",
  StorageClass: "storageclasses",
};
