const MODE = "addonmanager.kubernetes.io/mode";

/** A ConfigMap of the set. */
export function configMap(name: string, data: Readonly<Record<string, string>>, mode: string = "Reconcile"): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", labels: { [MODE]: mode } },
    data,
  });
}

/** A Secret of the set. */
export function secret(name: string, stringData: Readonly<Record<string, string>>): string {
  const metadata = { name, namespace: "default", labels: { [MODE]: "Reconcile" } };
  return JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata, stringData });
}

/** A Deployment of the set. Nothing ever runs on the test bed's plane: it stays in progress. */
export function deployment(name: string, image: string, replicas: number): string {
  const labels = { app: name };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default", labels: { ...labels, [MODE]: "Reconcile" } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
    },
  });
}

/** A ClusterRole of the set: its name may hold nearly anything. */
export function clusterRole(name: string, annotations: Readonly<Record<string, string>>): string {
  const metadata = { name, labels: { [MODE]: "Reconcile" }, annotations };
  return JSON.stringify({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata, rules: [] });
}

/** Several documents in one file. */
export function documents(...texts: readonly string[]): string {
  return texts.join("\n---\n");
}
