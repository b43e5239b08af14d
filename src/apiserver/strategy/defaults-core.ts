import {
  copyJson,
  type Defaulter,
  type Draft,
  ensureObject,
  isUnset,
  numberAt,
  objectAt,
  objectsAt,
  setDefaults,
  textAt,
} from "./draft.ts";

/** `latest` or no tag at all is always pulled; a digest without a tag is not "latest". */
function pullPolicyOf(image: string): string {
  const [name = "", digest] = image.split("@", 2);
  const tag = /:([^:/]+)$/.exec(name)?.[1];
  return tag === "latest" || (tag === undefined && digest === undefined) ? "Always" : "IfNotPresent";
}

const VOLUME_SOURCE_KEYS = new Set(["name"]);

function defaultVolume(volume: Draft): void {
  const hasSource = Object.keys(volume).some((key) => !VOLUME_SOURCE_KEYS.has(key) && volume[key] !== null);
  if (!hasSource) volume.emptyDir = {};
  const image = objectAt(volume, "image");
  if (image !== undefined) setDefaults(image, { pullPolicy: pullPolicyOf(textAt(image, "reference")) });
}

function defaultContainer(container: Draft): void {
  setDefaults(container, {
    imagePullPolicy: pullPolicyOf(textAt(container, "image")),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });
}

function defaultService(service: Draft): void {
  const spec = ensureObject(service, "spec");
  setDefaults(spec, { sessionAffinity: "None", type: "ClusterIP" });
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  const clientIp = objectAt(objectAt(spec, "sessionAffinityConfig"), "clientIP");
  if (spec.sessionAffinity === "ClientIP" && isUnset(clientIp?.timeoutSeconds)) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  }
  for (const port of objectsAt(spec, "ports")) {
    setDefaults(port, { protocol: "TCP" });
    if (isUnset(port.targetPort) || port.targetPort === 0) port.targetPort = port.port;
  }
  const type = spec.type;
  const isExternal =
    type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && hasItems(spec.externalIPs));
  if (isExternal) setDefaults(spec, { externalTrafficPolicy: "Cluster" });
  if (type !== "ExternalName") setDefaults(spec, { internalTrafficPolicy: "Cluster" });
  if (type !== "LoadBalancer") return;
  setDefaults(spec, { allocateLoadBalancerNodePorts: true });
  for (const ingress of objectsAt(objectAt(objectAt(service, "status"), "loadBalancer"), "ingress")) {
    if (textAt(ingress, "ip") !== "") setDefaults(ingress, { ipMode: "VIP" });
  }
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Only a Pod, not a template, requests what it limits. */
function defaultPod(pod: Draft): void {
  const spec = ensureObject(pod, "spec");
  for (const container of [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")]) {
    const resources = objectAt(container, "resources");
    const limits = objectAt(resources, "limits");
    if (resources === undefined || limits === undefined) continue;
    setDefaults(ensureObject(resources, "requests"), limits);
  }
  setDefaults(spec, { enableServiceLinks: true });
  if (spec.hostNetwork === true) {
    for (const container of [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")]) {
      for (const port of objectsAt(container, "ports"))
        if (!numberAt(port, "hostPort")) port.hostPort = port.containerPort;
    }
  }
}

function defaultPodSpec(spec: Draft): void {
  if (isUnset(spec.serviceAccountName)) spec.serviceAccountName = spec.serviceAccount;
  if (isUnset(spec.serviceAccountName)) delete spec.serviceAccountName;
  else spec.serviceAccount = spec.serviceAccountName;
  setDefaults(spec, {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: "default-scheduler",
  });
}

const zeroDefaults =
  (defaults: Readonly<Record<string, number>>): Defaulter =>
  (target) => {
    for (const [key, value] of Object.entries(defaults)) if (!numberAt(target, key)) target[key] = value;
  };

const defaults =
  (values: Readonly<Record<string, unknown>>): Defaulter =>
  (target) =>
    setDefaults(target, values);

const phase =
  (value: string): Defaulter =>
  (target) =>
    setDefaults(ensureObject(target, "status"), { phase: value });

function defaultLimitRangeItem(item: Draft): void {
  if (item.type !== "Container") return;
  const limit = { ...objectAt(item, "max"), ...objectAt(item, "default") };
  const request = { ...objectAt(item, "min"), ...limit, ...objectAt(item, "defaultRequest") };
  if (Object.keys(limit).length > 0) item.default = limit;
  if (Object.keys(request).length > 0) item.defaultRequest = request;
}

function defaultReplicationController(controller: Draft): void {
  const spec = ensureObject(controller, "spec");
  const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
  if (labels === undefined) return;
  if (objectAt(spec, "selector") === undefined) spec.selector = { ...labels };
  const metadata = ensureObject(controller, "metadata");
  if (objectAt(metadata, "labels") === undefined) metadata.labels = { ...labels };
}

function defaultNamespace(namespace: Draft): void {
  const metadata = ensureObject(namespace, "metadata");
  const name = textAt(metadata, "name");
  if (name !== "") ensureObject(metadata, "labels")["kubernetes.io/metadata.name"] = name;
  setDefaults(ensureObject(namespace, "status"), { phase: "Active" });
}

function defaultNodeStatus(status: Draft): void {
  if (objectAt(status, "allocatable") === undefined && objectAt(status, "capacity") !== undefined) {
    status.allocatable = copyJson(status.capacity);
  }
}

/** Defaults of the core group by type name (kubernetes: pkg/apis/core/v1/defaults.go). */
export const CORE_DEFAULTS: Readonly<Record<string, Defaulter>> = {
  "core.v1.Volume": defaultVolume,
  "core.v1.Container": defaultContainer,
  "core.v1.EphemeralContainer": defaultContainer,
  "core.v1.Service": defaultService,
  "core.v1.Pod": defaultPod,
  "core.v1.PodSpec": defaultPodSpec,
  "core.v1.Probe": zeroDefaults({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  "core.v1.SecretVolumeSource": defaults({ defaultMode: 0o644 }),
  "core.v1.ConfigMapVolumeSource": defaults({ defaultMode: 0o644 }),
  "core.v1.DownwardAPIVolumeSource": defaults({ defaultMode: 0o644 }),
  "core.v1.ProjectedVolumeSource": defaults({ defaultMode: 0o644 }),
  "core.v1.ServiceAccountTokenProjection": defaults({ expirationSeconds: 3600 }),
  // The server stores an explicit empty type.
  "core.v1.HostPathVolumeSource": (source) => {
    if (source.type === undefined || source.type === null) source.type = "";
  },
  "core.v1.Secret": defaults({ type: "Opaque" }),
  "core.v1.PersistentVolume": (volume) => {
    phase("Pending")(volume);
    setDefaults(ensureObject(volume, "spec"), { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
  },
  "core.v1.PersistentVolumeClaim": phase("Pending"),
  "core.v1.PersistentVolumeClaimSpec": defaults({ volumeMode: "Filesystem" }),
  "core.v1.EndpointPort": defaults({ protocol: "TCP" }),
  "core.v1.HTTPGetAction": defaults({ path: "/", scheme: "HTTP" }),
  "core.v1.Namespace": defaultNamespace,
  "core.v1.NodeStatus": defaultNodeStatus,
  "core.v1.ObjectFieldSelector": defaults({ apiVersion: "v1" }),
  "core.v1.LimitRangeItem": defaultLimitRangeItem,
  "core.v1.ReplicationController": defaultReplicationController,
};
