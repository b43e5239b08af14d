import type { JsonObject } from "../../object/index.ts";
import { type Draft, isDraft, isUnset, numberAt, objectAt, objectsAt, textAt } from "./draft.ts";
import type { FieldErrors } from "./field-errors.ts";
import { envNameProblem, labelProblem, portNameProblem } from "./names.ts";

/** Checks a pod's spec, as far as the sandbox goes: containers, ports, env, probes, volumes and their mounts. */
export function validatePodSpec(spec: JsonObject, path: string, errors: FieldErrors): void {
  const volumes = validateVolumes(spec, `${path}.volumes`, errors);
  const names = new Set<string>();
  const containers = objectsAt(spec, "containers");
  if (containers.length === 0) errors.required(`${path}.containers`);
  for (const [list, required] of [
    ["containers", true],
    ["initContainers", false],
  ] as const) {
    for (const [index, container] of objectsAt(spec, list).entries()) {
      const at = `${path}.${list}[${index}]`;
      validateContainer(container, at, { volumes, names, required }, errors);
      if (!required && container.restartPolicy !== "Always") forbidProbes(container, at, errors);
    }
  }
  const policies = ["Always", "OnFailure", "Never"];
  const policy = textAt(spec, "restartPolicy");
  if (!policies.includes(policy)) errors.notSupported(`${path}.restartPolicy`, policy, policies);
}

/** An init container ends; only one that stays (a sidecar) can be probed. */
function forbidProbes(container: Draft, path: string, errors: FieldErrors): void {
  for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]) {
    if (isDraft(container[field]))
      errors.forbidden(`${path}.${field}`, "may not be set for init containers without restartPolicy=Always");
  }
}

interface PodContext {
  readonly volumes: ReadonlySet<string>;
  readonly names: Set<string>;
  readonly required: boolean;
}

function validateContainer(container: Draft, path: string, pod: PodContext, errors: FieldErrors): void {
  const name = textAt(container, "name");
  const problem = labelProblem(name);
  if (name === "") errors.required(`${path}.name`);
  else if (problem !== undefined) errors.invalid(`${path}.name`, name, problem);
  else if (pod.names.has(name)) errors.duplicate(`${path}.name`, name);
  pod.names.add(name);
  const image = textAt(container, "image");
  if (image === "") errors.required(`${path}.image`);
  else if (image !== image.trim())
    errors.invalid(`${path}.image`, image, "must not have leading or trailing whitespace");
  const policies = ["Always", "IfNotPresent", "Never"];
  const pull = textAt(container, "imagePullPolicy");
  if (!policies.includes(pull)) errors.notSupported(`${path}.imagePullPolicy`, pull, policies);
  validateContainerPorts(container, `${path}.ports`, errors);
  validateEnv(container, `${path}.env`, errors);
  validateMounts(container, `${path}.volumeMounts`, pod.volumes, errors);
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    const value = objectAt(container, probe);
    if (value !== undefined) validateHandler(value, `${path}.${probe}`, errors);
  }
}

function validateContainerPorts(container: Draft, path: string, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [index, port] of objectsAt(container, "ports").entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(port, "name");
    if (name !== "") {
      const problem = portNameProblem(name);
      if (problem !== undefined) errors.invalid(`${at}.name`, name, problem);
      else if (names.has(name)) errors.duplicate(`${at}.name`, name);
      names.add(name);
    }
    const number = numberAt(port, "containerPort") ?? 0;
    if (number === 0) errors.required(`${at}.containerPort`);
    else checkPort(number, `${at}.containerPort`, errors);
    const hostPort = numberAt(port, "hostPort") ?? 0;
    if (hostPort !== 0) checkPort(hostPort, `${at}.hostPort`, errors);
    checkProtocol(port, at, errors);
  }
}

/** Reports a number that is no port. */
export function checkPort(port: number, path: string, errors: FieldErrors): void {
  if (port < 1 || port > 65535) errors.invalid(path, port, "must be between 1 and 65535, inclusive");
}

/** Reports a protocol that is none. */
export function checkProtocol(port: JsonObject, path: string, errors: FieldErrors): void {
  const protocols = ["SCTP", "TCP", "UDP"];
  const protocol = textAt(port, "protocol");
  if (protocol === "") errors.required(`${path}.protocol`);
  else if (!protocols.includes(protocol)) errors.notSupported(`${path}.protocol`, protocol, protocols);
}

function validateEnv(container: Draft, path: string, errors: FieldErrors): void {
  for (const [index, env] of objectsAt(container, "env").entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(env, "name");
    if (name === "") errors.required(`${at}.name`);
    else {
      const problem = envNameProblem(name);
      if (problem !== undefined) errors.invalid(`${at}.name`, name, problem);
    }
    const source = objectAt(env, "valueFrom");
    if (source === undefined) continue;
    const sources = Object.keys(source).filter((key) => isDraft(source[key]));
    if (textAt(env, "value") !== "" && sources.length > 0) {
      errors.invalid(`${at}.valueFrom`, "", "may not be specified when `value` is not empty");
    } else if (sources.length === 0) {
      errors.invalid(
        `${at}.valueFrom`,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
      );
    } else if (sources.length > 1) {
      errors.invalid(`${at}.valueFrom`, "", "may not have more than one field specified at a time");
    }
    for (const key of ["configMapKeyRef", "secretKeyRef"]) {
      const reference = objectAt(source, key);
      if (reference === undefined) continue;
      for (const field of ["name", "key"])
        if (textAt(reference, field) === "") errors.required(`${at}.valueFrom.${key}.${field}`);
    }
  }
}

function validateMounts(container: Draft, path: string, volumes: ReadonlySet<string>, errors: FieldErrors): void {
  const paths = new Set<string>();
  for (const [index, mount] of objectsAt(container, "volumeMounts").entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(mount, "name");
    const mountPath = textAt(mount, "mountPath");
    if (name === "") errors.required(`${at}.name`);
    else if (!volumes.has(name)) errors.notFound(`${at}.name`, name);
    if (mountPath === "") errors.required(`${at}.mountPath`);
    if (paths.has(mountPath)) errors.invalid(`${at}.mountPath`, mountPath, "must be unique");
    paths.add(mountPath);
  }
}

function validateHandler(probe: Draft, path: string, errors: FieldErrors): void {
  const handlers = ["exec", "httpGet", "tcpSocket", "grpc"].filter((key) => isDraft(probe[key]));
  if (handlers.length === 0) errors.required(path, "must specify a handler type");
  for (const extra of handlers.slice(1))
    errors.forbidden(`${path}.${extra}`, "may not specify more than 1 handler type");
  const httpGet = objectAt(probe, "httpGet");
  const tcp = objectAt(probe, "tcpSocket");
  for (const [key, action] of [
    ["httpGet", httpGet],
    ["tcpSocket", tcp],
  ] as const) {
    const port = action?.port;
    if (action !== undefined && (port === 0 || isUnset(port)))
      errors.invalid(`${path}.${key}.port`, port, "must be between 1 and 65535, inclusive");
  }
  const exec = objectAt(probe, "exec");
  if (exec !== undefined && !Array.isArray(exec.command)) errors.required(`${path}.exec.command`);
}

function validateVolumes(spec: JsonObject, path: string, errors: FieldErrors): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, volume] of objectsAt(spec, "volumes").entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(volume, "name");
    const sources = Object.keys(volume).filter((key) => isDraft(volume[key]));
    if (sources.length === 0) errors.required(at, "must specify a volume type");
    for (const extra of sources.slice(1)) errors.forbidden(`${at}.${extra}`, "may not specify more than 1 volume type");
    const problem = labelProblem(name);
    if (name === "") errors.required(`${at}.name`);
    else if (problem !== undefined) errors.invalid(`${at}.name`, name, problem);
    else if (names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
    if (textAt(objectAt(volume, "configMap"), "name") === "" && isDraft(volume.configMap))
      errors.required(`${at}.configMap.name`);
    if (textAt(objectAt(volume, "secret"), "secretName") === "" && isDraft(volume.secret))
      errors.required(`${at}.secret.secretName`);
    if (textAt(objectAt(volume, "hostPath"), "path") === "" && isDraft(volume.hostPath))
      errors.required(`${at}.hostPath.path`);
  }
  return names;
}
