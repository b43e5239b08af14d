import type { JsonObject } from "../../object/index.ts";
import { equalValues } from "../merge/index.ts";
import { quantityValue } from "../schema/index.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "./draft.ts";
import type { FieldErrors } from "./field-errors.ts";
import { configKeyProblem, labelProblem, portNameProblem, subdomainProblem } from "./names.ts";
import { checkImmutable, validateLabelSelector, validateLabels } from "./validate-meta.ts";
import { checkPort, checkProtocol } from "./validate-pods.ts";

const MAX_SECRET_BYTES = 1024 * 1024;

/** Checks a ConfigMap: its keys, and its size. */
export function validateConfigMap(object: JsonObject, errors: FieldErrors): void {
  let size = 0;
  const binary = objectAt(object, "binaryData") ?? {};
  for (const [key, value] of Object.entries(objectAt(object, "data") ?? {})) {
    const problem = configKeyProblem(key);
    if (problem !== undefined) errors.invalid(`data[${key}]`, key, problem);
    if (Object.hasOwn(binary, key)) errors.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
    size += Buffer.byteLength(String(value));
  }
  for (const [key, value] of Object.entries(binary)) {
    const problem = configKeyProblem(key);
    if (problem !== undefined) errors.invalid(`binaryData[${key}]`, key, problem);
    size += decodedLength(String(value));
  }
  if (size > MAX_SECRET_BYTES) errors.tooLong("", MAX_SECRET_BYTES);
}

function decodedLength(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

/** An immutable ConfigMap or Secret keeps its content and stays immutable. */
export function validateImmutableData(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  if (object.kind === "Secret") checkImmutable("type", object.type, old.type, errors);
  if (old.immutable !== true) return;
  if (object.immutable !== true) errors.forbidden("immutable", "field is immutable when `immutable` is set");
  for (const field of ["data", "binaryData"]) {
    if (!equalValues(object[field] ?? {}, old[field] ?? {}))
      errors.forbidden(field, "field is immutable when `immutable` is set");
  }
}

const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

/** Checks a Secret: keys, size, and the keys that its type asks for. */
export function validateSecret(object: JsonObject, errors: FieldErrors): void {
  const data = objectAt(object, "data") ?? {};
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    const problem = configKeyProblem(key);
    if (problem !== undefined) errors.invalid(`data[${key}]`, key, problem);
    size += decodedLength(String(value));
  }
  if (size > MAX_SECRET_BYTES) errors.tooLong("data", MAX_SECRET_BYTES);
  for (const key of SECRET_KEYS[textAt(object, "type")] ?? []) {
    if (!Object.hasOwn(data, key)) errors.required(`data[${key}]`);
  }
}

/** Checks a Service. */
export function validateService(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const type = textAt(spec, "type");
  const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
  if (!types.includes(type)) errors.notSupported("spec.type", type, types);
  const isHeadless = spec.clusterIP === "None";
  if (objectsAt(spec, "ports").length === 0 && !isHeadless && type !== "ExternalName") errors.required("spec.ports");
  if (type === "ExternalName") {
    if (textAt(spec, "clusterIP") !== "")
      errors.forbidden("spec.clusterIP", "may not be set for ExternalName services");
    const name = textAt(spec, "externalName").replace(/\.$/, "");
    const problem = subdomainProblem(name);
    if (name === "") errors.required("spec.externalName");
    else if (problem !== undefined) errors.invalid("spec.externalName", name, problem);
  }
  if (isHeadless && (type === "NodePort" || type === "LoadBalancer")) {
    errors.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`);
  }
  validateLabels(objectAt(spec, "selector"), "spec.selector", errors);
  const affinities = ["ClientIP", "None"];
  const affinity = textAt(spec, "sessionAffinity");
  if (!affinities.includes(affinity)) errors.notSupported("spec.sessionAffinity", affinity, affinities);
  if (spec.publishNotReadyAddresses !== undefined && typeof spec.publishNotReadyAddresses !== "boolean") return;
  validateServicePorts(spec, type, errors);
  if (spec.externalTrafficPolicy !== undefined && spec.externalTrafficPolicy !== "" && !isExternal(spec)) {
    errors.invalid(
      "spec.externalTrafficPolicy",
      spec.externalTrafficPolicy,
      "may only be set for externally-accessible services",
    );
  }
}

function isExternal(spec: JsonObject): boolean {
  const type = textAt(spec, "type");
  return (
    type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && textsAt(spec, "externalIPs").length > 0)
  );
}

function validateServicePorts(spec: JsonObject, type: string, errors: FieldErrors): void {
  const ports = objectsAt(spec, "ports");
  const names = new Set<string>();
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const path = `spec.ports[${index}]`;
    validatePortName(port, path, { names, isRequired: ports.length > 1 }, errors);
    checkPort(numberAt(port, "port") ?? 0, `${path}.port`, errors);
    checkProtocol(port, path, errors);
    validateTargetPort(port.targetPort, `${path}.targetPort`, errors);
    const nodePort = numberAt(port, "nodePort") ?? 0;
    if (nodePort !== 0 && type === "ClusterIP") {
      errors.forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'");
    }
    const key = `${textAt(port, "protocol")}/${port.port}`;
    if (seen.has(key)) errors.duplicate(path, { port: port.port, protocol: port.protocol });
    seen.add(key);
  }
}

function validatePortName(
  port: JsonObject,
  path: string,
  rules: { readonly names: Set<string>; readonly isRequired: boolean },
  errors: FieldErrors,
): void {
  const name = textAt(port, "name");
  if (name === "") {
    if (rules.isRequired) errors.required(`${path}.name`);
    return;
  }
  const problem = labelProblem(name);
  if (problem !== undefined) errors.invalid(`${path}.name`, name, problem);
  else if (rules.names.has(name)) errors.duplicate(`${path}.name`, name);
  rules.names.add(name);
}

function validateTargetPort(target: unknown, path: string, errors: FieldErrors): void {
  if (typeof target === "number") checkPort(target, path, errors);
  else if (typeof target === "string") {
    const problem = portNameProblem(target);
    if (problem !== undefined) errors.invalid(path, target, problem);
  }
}

/** A Service keeps its first cluster IP, unless it comes from or goes to ExternalName. */
export function validateServiceUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const before = objectAt(old, "spec") ?? {};
  if (spec.type === "ExternalName" || before.type === "ExternalName") return;
  const [first] = textsAt(spec, "clusterIPs");
  const [previous] = textsAt(before, "clusterIPs");
  if (previous !== undefined && first !== previous) {
    errors.invalid(
      "spec.clusterIPs[0]",
      textsAt(spec, "clusterIPs"),
      first === undefined ? "primary clusterIP can not be unset" : "may not change once set",
    );
  }
}

/** Only a Service of type LoadBalancer has a load balancer. */
export function validateServiceStatus(object: JsonObject, errors: FieldErrors): void {
  const ingress = objectsAt(objectAt(objectAt(object, "status"), "loadBalancer"), "ingress");
  if (ingress.length > 0 && objectAt(object, "spec")?.type !== "LoadBalancer") {
    errors.forbidden("status.loadBalancer.ingress", 'may only be used when `spec.type` is "LoadBalancer"');
  }
}

/** Checks a PersistentVolumeClaim. */
export function validateClaim(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
  const given = textsAt(spec, "accessModes");
  if (given.length === 0) errors.required("spec.accessModes", "at least 1 access mode is required");
  for (const mode of given) if (!modes.includes(mode)) errors.notSupported("spec.accessModes", mode, modes);
  const selector = objectAt(spec, "selector");
  validateLabelSelector(selector, "spec.selector", errors);
  const storage = objectAt(objectAt(spec, "resources"), "requests")?.storage;
  if (storage === undefined) errors.required("spec.resources[storage]");
  else if (!(quantityValue(String(storage)) > 0))
    errors.invalid("spec.resources[storage]", storage, "must be greater than zero");
}

/** Of a claim only the requested size (once bound) changes. */
export function validateClaimUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const before = objectAt(old, "spec") ?? {};
  const { volumeAttributesClassName: _, ...rest } = spec;
  const { volumeAttributesClassName: __, ...fixedBefore } = before;
  // Both may be filled in once: the class by its retroactive default, the volume by the binder.
  const fixed: Record<string, unknown> = { ...rest };
  for (const field of ["storageClassName", "volumeName"]) if (before[field] === undefined) delete fixed[field];
  if (equalValues(fixed, fixedBefore)) return;
  errors.forbidden(
    "spec",
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
  );
}

/** What a PersistentVolume's spec holds beside its source. */
const BESIDE_SOURCE: ReadonlySet<string> = new Set([
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
]);

/** A volume's source and mode never change. The real message goes on with a diff of Go's structs. */
export function validateVolumeUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const before = objectAt(old, "spec") ?? {};
  if (!equalValues(sourceOf(spec, before), sourceOf(before, before))) {
    errors.forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
  }
  if (spec.volumeMode !== before.volumeMode) errors.invalid("volumeMode", spec.volumeMode, "field is immutable");
}

/** The source, without the one field of it that may be filled in once. */
function sourceOf(spec: JsonObject, before: JsonObject): JsonObject {
  const source = Object.fromEntries(Object.entries(spec).filter(([name]) => !BESIDE_SOURCE.has(name)));
  const csi = objectAt(spec, "csi");
  if (csi === undefined || objectAt(before, "csi")?.controllerExpandSecretRef !== undefined) return source;
  const { controllerExpandSecretRef: _, ...rest } = csi;
  return { ...source, csi: rest };
}

/** Checks a ResourceQuota or LimitRange as far as quantities must not be negative. */
export function validateQuota(object: JsonObject, errors: FieldErrors): void {
  for (const [name, value] of Object.entries(objectAt(objectAt(object, "spec"), "hard") ?? {})) {
    if (quantityValue(String(value)) < 0)
      errors.invalid(`spec.hard[${name}]`, value, "must be greater than or equal to 0");
  }
}

const LIMIT_ORDER = ["min", "defaultRequest", "default", "max"];

/** Checks a LimitRange: types, and that minimum, default and maximum are in order. */
export function validateLimitRange(object: JsonObject, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [index, limit] of objectsAt(objectAt(object, "spec"), "limits").entries()) {
    const path = `spec.limits[${index}]`;
    const type = textAt(limit, "type");
    if (type === "") errors.required(`${path}.type`);
    else if (seen.has(type)) errors.duplicate(`${path}.type`, type);
    seen.add(type);
    for (const field of ["default", "defaultRequest"]) {
      if (type === "Pod" && limit[field] !== undefined)
        errors.forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'");
    }
    const maps = LIMIT_ORDER.map((field) => objectAt(limit, field) ?? {});
    for (const name of new Set(maps.flatMap((map) => Object.keys(map)))) checkOrder(maps, name, path, errors);
  }
}

function checkOrder(maps: readonly JsonObject[], name: string, path: string, errors: FieldErrors): void {
  let last = Number.NEGATIVE_INFINITY;
  for (const [step, map] of maps.entries()) {
    if (map[name] === undefined) continue;
    const value = quantityValue(String(map[name]));
    if (value < last)
      errors.invalid(`${path}.${LIMIT_ORDER[step]}[${name}]`, map[name], "is out of order with the other limits");
    last = Math.max(last, value);
  }
}
