import type { JsonObject } from "../../object/index.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../strategy/index.ts";
import {
  autoscalerTargets,
  capacity,
  externalIp,
  ingressHosts,
  jobDuration,
  jobStatus,
  podReady,
  quotaText,
  servicePorts,
} from "./cells.ts";
import {
  AGE,
  type Cell,
  type Column,
  CREATED,
  column,
  count,
  labelsText,
  meta,
  NAME,
  number,
  orNone,
  orUnset,
  selectorText,
  spec,
  status,
  wide,
} from "./column.ts";
import { ageOf } from "./duration.ts";

const containersOf = (template: JsonObject | undefined): readonly JsonObject[] =>
  objectsAt(objectAt(template, "spec"), "containers");
const templateColumns = (template: (object: JsonObject) => JsonObject | undefined): readonly Column[] => [
  wide("Containers", (object) =>
    containersOf(template(object))
      .map((container) => textAt(container, "name"))
      .join(","),
  ),
  wide("Images", (object) =>
    containersOf(template(object))
      .map((container) => textAt(container, "image"))
      .join(","),
  ),
];
const workloadColumns: readonly Column[] = [
  ...templateColumns((object) => objectAt(spec(object), "template")),
  wide("Selector", (object) => selectorText(objectAt(spec(object), "selector"))),
];

const ACCESS: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

const subjects =
  (kind: string, name: (subject: JsonObject) => string): Cell =>
  (object) =>
    objectsAt(object, "subjects")
      .filter((subject) => subject.kind === kind)
      .map(name)
      .join(", ");

const bindingColumns: readonly Column[] = [
  NAME,
  column(
    "Role",
    (object) => `${textAt(objectAt(object, "roleRef"), "kind")}/${textAt(objectAt(object, "roleRef"), "name")}`,
  ),
  AGE,
  wide(
    "Users",
    subjects("User", (one) => textAt(one, "name")),
  ),
  wide(
    "Groups",
    subjects("Group", (one) => textAt(one, "name")),
  ),
  wide(
    "ServiceAccounts",
    subjects("ServiceAccount", (one) => `${textAt(one, "namespace")}/${textAt(one, "name")}`),
  ),
];

const replicaColumns: readonly Column[] = [
  NAME,
  column("Desired", (object) => number(spec(object), "replicas"), "integer"),
  column("Current", (object) => number(status(object), "replicas"), "integer"),
  column("Ready", (object) => number(status(object), "readyReplicas"), "integer"),
  AGE,
  ...workloadColumns,
];

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: [
    NAME,
    column("Ready", podReady),
    column(
      "Status",
      (object) =>
        textAt(status(object), "reason") ||
        (meta(object).deletionTimestamp === undefined ? textAt(status(object), "phase") : "Terminating"),
    ),
    column("Restarts", (object) =>
      String(objectsAt(status(object), "containerStatuses").reduce((sum, one) => sum + number(one, "restartCount"), 0)),
    ),
    AGE,
    wide("IP", (object) => orNone(textAt(status(object), "podIP"))),
    wide("Node", (object) => orNone(textAt(spec(object), "nodeName"))),
    wide("Nominated Node", (object) => orNone(textAt(status(object), "nominatedNodeName"))),
    wide("Readiness Gates", () => "<none>"),
  ],
  services: [
    NAME,
    column("Type", (object) => textAt(spec(object), "type")),
    column("Cluster-IP", (object) => orNone(textAt(spec(object), "clusterIP"))),
    column("External-IP", externalIp),
    column("Port(s)", servicePorts),
    AGE,
    wide("Selector", (object) => labelsText(objectAt(spec(object), "selector"))),
  ],
  configmaps: [NAME, column("Data", (object) => count(object.data) + count(object.binaryData)), AGE],
  secrets: [
    NAME,
    column("Type", (object) => textAt(object, "type")),
    column("Data", (object) => count(object.data)),
    AGE,
  ],
  serviceaccounts: [NAME, column("Secrets", (object) => count(object.secrets)), AGE],
  namespaces: [NAME, column("Status", (object) => textAt(status(object), "phase")), AGE],
  endpoints: [
    NAME,
    column("Endpoints", (object) =>
      orNone(
        objectsAt(object, "subsets")
          .flatMap((subset) =>
            objectsAt(subset, "addresses").flatMap((address) =>
              objectsAt(subset, "ports").map((port) => `${textAt(address, "ip")}:${number(port, "port")}`),
            ),
          )
          .slice(0, 3)
          .join(","),
      ),
    ),
    AGE,
  ],
  nodes: [
    NAME,
    column("Status", (object) =>
      objectsAt(status(object), "conditions").some((one) => one.type === "Ready" && one.status === "True")
        ? "Ready"
        : "NotReady",
    ),
    column("Roles", () => "<none>"),
    AGE,
    column("Version", (object) => textAt(objectAt(status(object), "nodeInfo"), "kubeletVersion")),
  ],
  events: [
    column("Last Seen", (object, now) =>
      ageOf(object.lastTimestamp ?? object.eventTime ?? meta(object).creationTimestamp, now),
    ),
    column("Type", (object) => textAt(object, "type")),
    column("Reason", (object) => textAt(object, "reason")),
    column(
      "Object",
      (object) =>
        `${textAt(objectAt(object, "involvedObject"), "kind").toLowerCase()}/${textAt(objectAt(object, "involvedObject"), "name")}`,
    ),
    column("Message", (object) => textAt(object, "message").trim()),
  ],
  persistentvolumeclaims: [
    NAME,
    column("Status", (object) =>
      meta(object).deletionTimestamp === undefined ? textAt(status(object), "phase") : "Terminating",
    ),
    column("Volume", (object) => textAt(spec(object), "volumeName")),
    column("Capacity", capacity),
    column("Access Modes", (object) =>
      textsAt(status(object), "accessModes")
        .map((mode) => ACCESS[mode] ?? mode)
        .join(","),
    ),
    column("StorageClass", (object) => textAt(spec(object), "storageClassName")),
    column("VolumeAttributesClass", (object) => orUnset(textAt(spec(object), "volumeAttributesClassName"))),
    AGE,
    wide("VolumeMode", (object) => textAt(spec(object), "volumeMode")),
  ],
  resourcequotas: [
    NAME,
    column("Request", (object) => quotaText(object, false)),
    column("Limit", (object) => quotaText(object, true)),
    AGE,
  ],
  replicationcontrollers: replicaColumns,
  "deployments.apps": [
    NAME,
    column("Ready", (object) => `${number(status(object), "readyReplicas")}/${number(spec(object), "replicas")}`),
    column("Up-to-date", (object) => number(status(object), "updatedReplicas"), "integer"),
    column("Available", (object) => number(status(object), "availableReplicas"), "integer"),
    AGE,
    ...workloadColumns,
  ],
  "replicasets.apps": replicaColumns,
  "statefulsets.apps": [
    NAME,
    column("Ready", (object) => `${number(status(object), "readyReplicas")}/${number(spec(object), "replicas")}`),
    AGE,
    ...templateColumns((object) => objectAt(spec(object), "template")),
  ],
  "daemonsets.apps": [
    NAME,
    column("Desired", (object) => number(status(object), "desiredNumberScheduled"), "integer"),
    column("Current", (object) => number(status(object), "currentNumberScheduled"), "integer"),
    column("Ready", (object) => number(status(object), "numberReady"), "integer"),
    column("Up-to-date", (object) => number(status(object), "updatedNumberScheduled"), "integer"),
    column("Available", (object) => number(status(object), "numberAvailable"), "integer"),
    column("Node Selector", (object) =>
      labelsText(objectAt(objectAt(objectAt(spec(object), "template"), "spec"), "nodeSelector")),
    ),
    AGE,
    ...workloadColumns,
  ],
  "jobs.batch": [
    NAME,
    column("Status", jobStatus),
    column(
      "Completions",
      (object) => `${number(status(object), "succeeded")}/${numberAt(spec(object), "completions") ?? 1}`,
    ),
    column("Duration", jobDuration),
    AGE,
    ...workloadColumns,
  ],
  "cronjobs.batch": [
    NAME,
    column("Schedule", (object) => textAt(spec(object), "schedule")),
    column("Timezone", (object) => orNone(textAt(spec(object), "timeZone"))),
    column("Suspend", (object) => (spec(object).suspend === true ? "True" : "False")),
    column("Active", (object) => count(status(object).active), "integer"),
    column("Last Schedule", (object, now) =>
      status(object).lastScheduleTime === undefined ? "<none>" : ageOf(status(object).lastScheduleTime, now),
    ),
    AGE,
    ...templateColumns((object) => objectAt(objectAt(objectAt(spec(object), "jobTemplate"), "spec"), "template")),
    wide("Selector", () => "<none>"),
  ],
  "ingresses.networking.k8s.io": [
    NAME,
    column("Class", (object) => orNone(textAt(spec(object), "ingressClassName"))),
    column("Hosts", ingressHosts),
    column("Address", (object) =>
      objectsAt(objectAt(status(object), "loadBalancer"), "ingress")
        .map((one) => textAt(one, "ip") || textAt(one, "hostname"))
        .join(","),
    ),
    column("Ports", (object) => (objectsAt(spec(object), "tls").length > 0 ? "80, 443" : "80")),
    AGE,
  ],
  "ingressclasses.networking.k8s.io": [
    NAME,
    column("Controller", (object) => textAt(spec(object), "controller")),
    column("Parameters", (object) =>
      objectAt(spec(object), "parameters") === undefined
        ? "<none>"
        : `${textAt(objectAt(spec(object), "parameters"), "kind")}/${textAt(objectAt(spec(object), "parameters"), "name")}`,
    ),
    AGE,
  ],
  "networkpolicies.networking.k8s.io": [
    NAME,
    column("Pod-Selector", (object) => selectorText(objectAt(spec(object), "podSelector"))),
    AGE,
  ],
  "poddisruptionbudgets.policy": [
    NAME,
    column("Min Available", (object) => String(spec(object).minAvailable ?? "N/A")),
    column("Max Unavailable", (object) => String(spec(object).maxUnavailable ?? "N/A")),
    column("Allowed Disruptions", (object) => number(status(object), "disruptionsAllowed"), "integer"),
    AGE,
  ],
  "horizontalpodautoscalers.autoscaling": [
    NAME,
    column(
      "Reference",
      (object) =>
        `${textAt(objectAt(spec(object), "scaleTargetRef"), "kind")}/${textAt(objectAt(spec(object), "scaleTargetRef"), "name")}`,
    ),
    column("Targets", autoscalerTargets),
    column("MinPods", (object) => String(spec(object).minReplicas ?? "<unset>")),
    column("MaxPods", (object) => number(spec(object), "maxReplicas")),
    column("Replicas", (object) => number(status(object), "currentReplicas")),
    AGE,
  ],
  "roles.rbac.authorization.k8s.io": [NAME, CREATED],
  "clusterroles.rbac.authorization.k8s.io": [NAME, CREATED],
  "rolebindings.rbac.authorization.k8s.io": bindingColumns,
  "clusterrolebindings.rbac.authorization.k8s.io": bindingColumns,
  "leases.coordination.k8s.io": [NAME, column("Holder", (object) => textAt(spec(object), "holderIdentity")), AGE],
  "storageclasses.storage.k8s.io": [
    column(
      "Name",
      (object) =>
        textAt(meta(object), "name") +
        (objectAt(meta(object), "annotations")?.["storageclass.kubernetes.io/is-default-class"] === "true"
          ? " (default)"
          : ""),
    ),
    column("Provisioner", (object) => textAt(object, "provisioner")),
    column("ReclaimPolicy", (object) => textAt(object, "reclaimPolicy")),
    column("VolumeBindingMode", (object) => textAt(object, "volumeBindingMode")),
    column("AllowVolumeExpansion", (object) => object.allowVolumeExpansion === true),
    AGE,
  ],
  "priorityclasses.scheduling.k8s.io": [
    NAME,
    column("Value", (object) => number(object, "value"), "integer"),
    column("Global-Default", (object) => object.globalDefault === true, "boolean"),
    AGE,
    column("PreemptionPolicy", (object) => textAt(object, "preemptionPolicy")),
  ],
  "customresourcedefinitions.apiextensions.k8s.io": [NAME, CREATED],
  "validatingwebhookconfigurations.admissionregistration.k8s.io": [
    NAME,
    column("Webhooks", (object) => count(object.webhooks), "integer"),
    AGE,
  ],
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": [
    NAME,
    column("Webhooks", (object) => count(object.webhooks), "integer"),
    AGE,
  ],
  "endpointslices.discovery.k8s.io": [
    NAME,
    column("AddressType", (object) => textAt(object, "addressType")),
    column("Ports", (object) =>
      orUnset(
        objectsAt(object, "ports")
          .map((port) => String(port.port ?? "*"))
          .join(","),
      ),
    ),
    column("Endpoints", (object) =>
      orUnset(
        objectsAt(object, "endpoints")
          .flatMap((one) => textsAt(one, "addresses"))
          .slice(0, 3)
          .join(","),
      ),
    ),
    AGE,
  ],
  limitranges: [NAME, CREATED],
};

/** The columns of a built-in resource; the server's default ones where it has none of its own. */
export function builtinColumns(table: string): readonly Column[] {
  return COLUMNS[table] ?? [NAME, CREATED];
}
