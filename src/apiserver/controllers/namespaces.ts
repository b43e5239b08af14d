import type { JsonObject } from "../../object/index.ts";
import { metaText } from "../managers/index.ts";
import type { Cluster } from "../rest/index.ts";
import { copyObject, ensureObject, objectAt } from "../strategy/index.ts";
import { deleteInBackground, ensureExists } from "./objects.ts";

const MANAGER = "kube-controller-manager";
/** The namespaces of every cluster. */
const USUAL = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Creates what every API server creates when it starts: the usual namespaces and the Service of the API itself. */
export function bootstrap(cluster: Cluster): void {
  const namespaces = cluster.apis.find("", "v1", "namespaces");
  const services = cluster.apis.find("", "v1", "services");
  if (namespaces === undefined || services === undefined) return;
  for (const name of USUAL) ensureExists(cluster, namespaces, { metadata: { name } }, "kube-apiserver");
  const spec = { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: 6443 }] };
  const metadata = {
    name: "kubernetes",
    namespace: "default",
    labels: { component: "apiserver", provider: "kubernetes" },
  };
  ensureExists(cluster, services, { metadata, spec }, "kube-apiserver");
}

/** Every namespace that lives has a default ServiceAccount. */
export function ensureServiceAccount(cluster: Cluster, namespace: JsonObject): void {
  const api = cluster.apis.find("", "v1", "serviceaccounts");
  if (api === undefined || objectAt(namespace, "status")?.phase === "Terminating") return;
  ensureExists(cluster, api, { metadata: { name: "default", namespace: metaText(namespace, "name") } }, MANAGER);
}

/** Empties a namespace that is being deleted, and lets go of it once nothing is left. Returns whether it is gone. */
export function finishNamespace(cluster: Cluster, namespace: JsonObject): boolean {
  const name = metaText(namespace, "name");
  let left = 0;
  for (const api of cluster.apis.perTable()) {
    if (!api.namespaced || !api.verbs.includes("delete")) continue;
    for (const [key, stored] of cluster.store.list(api.table, name)) {
      if (metaText(stored, "deletionTimestamp") === "") deleteInBackground(cluster, api, stored, MANAGER);
      if (cluster.store.get(api.table, key) !== undefined) left += 1;
    }
  }
  if (left > 0) return false;
  const current = cluster.store.get("namespaces", name);
  if (current === undefined) return true;
  const draft = copyObject(current);
  delete ensureObject(draft, "spec").finalizers;
  const held = metadataFinalizers(current);
  if (held > 0) cluster.store.put("namespaces", name, draft);
  else cluster.store.delete("namespaces", name);
  return held === 0;
}

function metadataFinalizers(object: JsonObject): number {
  const finalizers = objectAt(object, "metadata")?.finalizers;
  return Array.isArray(finalizers) ? finalizers.length : 0;
}
