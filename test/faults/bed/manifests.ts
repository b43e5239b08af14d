/** One object, loosely. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly [field: string]: unknown;
}

const MODE = "addonmanager.kubernetes.io/mode";

type Fields = Readonly<Record<string, unknown>>;

/** An object of any kind; namespaced ones name their namespace in `metadata`. */
export function manifest(apiVersion: string, kind: string, metadata: Manifest["metadata"], fields: Fields): Manifest {
  return { apiVersion, kind, metadata, ...fields };
}

function withMode(of: Manifest, mode: string): Manifest {
  const labels = { ...(of.metadata.labels as Fields | undefined), [MODE]: mode };
  return { ...of, metadata: { ...of.metadata, labels } };
}

export const reconciled = (of: Manifest): Manifest => withMode(of, "Reconcile");
export const ensured = (of: Manifest): Manifest => withMode(of, "EnsureExists");

/** A Reconcile ConfigMap with one key, `a`, in namespace default unless another is named. */
export function configMap(name: string, value = "1", namespace = "default"): Manifest {
  return reconciled(manifest("v1", "ConfigMap", { name, namespace }, { data: { a: value } }));
}

/** A Reconcile Secret with one key, `a`. */
export function secret(name: string, value = "1", namespace = "default"): Manifest {
  return reconciled(manifest("v1", "Secret", { name, namespace }, { stringData: { a: value } }));
}

export function configMapPath(name: string, namespace = "default"): string {
  return `/api/v1/namespaces/${namespace}/configmaps/${name}`;
}

/** `count` ConfigMaps `PREFIX-1`…, one file's worth. */
export function numbered(prefix: string, count: number, namespace = "default"): readonly Manifest[] {
  return Array.from({ length: count }, (_, index) => configMap(`${prefix}-${index + 1}`, "1", namespace));
}

/** A definition of a namespaced kind of the group faults.dev with any content. */
export function crd(singular: string, names: Fields = {}): Manifest {
  const kind = `${singular.slice(0, 1).toUpperCase()}${singular.slice(1)}`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return manifest(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    { name: `${singular}s.faults.dev` },
    {
      spec: {
        group: "faults.dev",
        scope: "Namespaced",
        names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List`, ...names },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    },
  );
}

/** An object of such a kind. */
export function custom(singular: string, name: string): Manifest {
  const kind = `${singular.slice(0, 1).toUpperCase()}${singular.slice(1)}`;
  return reconciled(manifest("faults.dev/v1", kind, { name, namespace: "default" }, { spec: { a: "1" } }));
}

/** The text of a file with these objects, one document each. */
export function file(...objects: readonly Manifest[]): string {
  return objects.map((each) => `${JSON.stringify(each)}\n`).join("---\n");
}
