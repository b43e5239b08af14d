import { type Draft, ensureObject, objectAt, objectsAt, textAt, textsAt } from "../strategy/index.ts";
import type { Api } from "./api.ts";
import { forbidden } from "./api-error.ts";
import type { Cluster } from "./cluster.ts";

/** What the built-in mutating admission plugins do to a new object; nobody owns these fields. */
export function admitCreate(cluster: Cluster, api: Api, draft: Draft): void {
  switch (api.table) {
    case "persistentvolumeclaims":
      addFinalizer(draft, "kubernetes.io/pvc-protection");
      useDefaultStorageClass(cluster, draft);
      return;
    case "persistentvolumes":
      addFinalizer(draft, "kubernetes.io/pv-protection");
      return;
    case "pods":
      admitPod(cluster, api, draft);
      return;
    case "ingresses.networking.k8s.io":
      useDefaultIngressClass(cluster, draft);
      return;
    default:
  }
}

function addFinalizer(draft: Draft, finalizer: string): void {
  const metadata = ensureObject(draft, "metadata");
  const present = textsAt(metadata, "finalizers");
  if (!present.includes(finalizer)) metadata.finalizers = [...present, finalizer];
}

function isDefaultClass(object: Parameters<typeof objectAt>[0], annotation: string): boolean {
  return objectAt(objectAt(object, "metadata"), "annotations")?.[annotation] === "true";
}

function useDefaultStorageClass(cluster: Cluster, claim: Draft): void {
  const spec = ensureObject(claim, "spec");
  if (spec.storageClassName !== undefined && spec.storageClassName !== null) return;
  for (const candidate of cluster.store.values("storageclasses.storage.k8s.io")) {
    if (isDefaultClass(candidate, "storageclass.kubernetes.io/is-default-class")) {
      spec.storageClassName = textAt(objectAt(candidate, "metadata"), "name");
    }
  }
}

function useDefaultIngressClass(cluster: Cluster, ingress: Draft): void {
  const spec = ensureObject(ingress, "spec");
  const annotated = objectAt(objectAt(ingress, "metadata"), "annotations")?.["kubernetes.io/ingress.class"];
  if (textAt(spec, "ingressClassName") !== "" || annotated !== undefined) return;
  for (const candidate of cluster.store.values("ingressclasses.networking.k8s.io")) {
    if (isDefaultClass(candidate, "ingressclass.kubernetes.io/is-default-class")) {
      spec.ingressClassName = textAt(objectAt(candidate, "metadata"), "name");
    }
  }
}

const NOT_READY = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** ServiceAccount, Priority and DefaultTolerationSeconds, as far as they show. */
function admitPod(cluster: Cluster, api: Api, pod: Draft): void {
  const spec = ensureObject(pod, "spec");
  const metadata = ensureObject(pod, "metadata");
  const account = textAt(spec, "serviceAccountName") || "default";
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
  const namespace = textAt(metadata, "namespace");
  if (cluster.store.get("serviceaccounts", `${namespace}/${account}`) === undefined) {
    const why = `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`;
    throw forbidden(api, textAt(metadata, "name"), why);
  }
  const tolerations = objectsAt(spec, "tolerations");
  const added = NOT_READY.filter((key) => !tolerations.some((t) => t.key === key || t.key === undefined)).map(
    (key) => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    }),
  );
  if (added.length > 0) spec.tolerations = [...tolerations, ...added];
  const className = textAt(spec, "priorityClassName");
  const priorityClass = cluster.store.get("priorityclasses.scheduling.k8s.io", className);
  spec.priority = priorityClass?.value ?? 0;
  spec.preemptionPolicy ??= priorityClass?.preemptionPolicy ?? "PreemptLowerPriority";
}
