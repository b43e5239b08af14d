// Objects for the tests of the API client.

type Fields = Record<string, unknown>;

export function configMap(name: string, fields: Fields = { data: { a: "1" } }): Fields {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, ...fields };
}

export function service(name: string, spec: Fields): Fields {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { ports: [{ name: "http", port: 80 }], ...spec },
  };
}

export function deployment(name: string, container: Fields = {}, spec: Fields = {}): Fields {
  const containers = [{ name: "c", image: "i", ...container }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers } },
      ...spec,
    },
  };
}

/** A version of a CRD; `spec` are the properties of the objects' `spec`. */
export interface CrdVersion {
  readonly name: string;
  readonly storage: boolean;
  readonly spec: Fields;
}

/** A cluster-scoped kind of the group test.dev; `name` is its singular. */
export function crd(name: string, versions: readonly CrdVersion[]): Fields {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.test.dev` },
    spec: {
      group: "test.dev",
      scope: "Cluster",
      names: { plural: `${name}s`, kind: `${name[0]?.toUpperCase()}${name.slice(1)}` },
      versions: versions.map(({ name: version, storage, spec }) => ({
        name: version,
        served: true,
        storage,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: spec } } } },
      })),
    },
  };
}
