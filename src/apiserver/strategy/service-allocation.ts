import type { JsonObject } from "../../object/index.ts";
import { type Draft, numberAt, objectAt, objectsAt, textAt, textsAt } from "./draft.ts";
import type { FieldErrors } from "./field-errors.ts";

const NODE_PORTS = { first: 30000, last: 32767 };

/** The addresses and ports that the Services of a cluster hold; 10.96.0.0/16 as in a usual cluster. */
export class ServiceAllocator {
  readonly #services: () => Iterable<JsonObject>;

  /** `services` lists what is stored now. */
  constructor(services: () => Iterable<JsonObject>) {
    this.#services = services;
  }

  /** Gives a new or changed Service the cluster IP, families and node ports that it lacks. */
  allocate(service: Draft, old: JsonObject | undefined, errors: FieldErrors): void {
    const spec = objectAt(service, "spec");
    if (spec === undefined) return;
    const before = objectAt(old, "spec");
    if (before !== undefined) keepAllocated(spec, before);
    syncClusterIps(spec, before);
    if (spec.type !== "ExternalName") this.#allocateClusterIp(spec, before, errors);
    if (needsNodePort(spec)) this.#allocateNodePorts(service, errors);
  }

  #allocateClusterIp(spec: Draft, before: JsonObject | undefined, errors: FieldErrors): void {
    const isHeadless = spec.clusterIP === "None";
    const isSelectorless = Object.keys(objectAt(spec, "selector") ?? {}).length === 0;
    spec.ipFamilyPolicy ??=
      before?.ipFamilyPolicy ?? (isHeadless && isSelectorless ? "RequireDualStack" : "SingleStack");
    if (isHeadless && isSelectorless) {
      spec.ipFamilies ??= spec.ipFamilyPolicy === "SingleStack" ? ["IPv4"] : ["IPv4", "IPv6"];
      return;
    }
    spec.ipFamilies ??= ["IPv4"];
    requireSingleStack(spec, errors);
    if (isHeadless) return;
    const wanted = textAt(spec, "clusterIP");
    if (wanted !== "" && wanted === before?.clusterIP) return;
    const taken = new Set([...this.#services()].map((service) => textAt(objectAt(service, "spec"), "clusterIP")));
    if (wanted !== "") {
      if (taken.has(wanted)) {
        errors.invalid(
          "spec.clusterIPs",
          [wanted],
          `failed to allocate IP ${wanted}: provided IP is already allocated`,
        );
      } else if (!/^10\.96\.\d+\.\d+$/.test(wanted)) {
        errors.invalid(
          "spec.clusterIPs",
          [wanted],
          `failed to allocate IP ${wanted}: the provided IP (${wanted}) is not in the valid range. The range of valid IPs is 10.96.0.0/16`,
        );
      }
      return;
    }
    const free = freeAddress(taken);
    spec.clusterIP = free;
    spec.clusterIPs = [free];
  }

  #allocateNodePorts(service: JsonObject, errors: FieldErrors): void {
    const spec = objectAt(service, "spec");
    if (spec?.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === false) return;
    const taken = new Set<string>();
    const numbers = new Set<number>();
    for (const other of this.#services()) {
      if (isSameObject(other, service)) continue;
      for (const port of objectsAt(objectAt(other, "spec"), "ports")) {
        taken.add(portKey(port));
        numbers.add(numberAt(port, "nodePort") ?? 0);
      }
    }
    const ports = objectsAt(spec, "ports");
    for (const port of ports) numbers.add(numberAt(port, "nodePort") ?? 0);
    for (const [index, port] of ports.entries()) {
      const wanted = numberAt(port, "nodePort") ?? 0;
      if (wanted === 0) port.nodePort = freeNodePort(numbers);
      else if (taken.has(portKey(port))) {
        errors.invalid(`spec.ports[${index}].nodePort`, wanted, "provided port is already allocated");
      } else if (wanted < NODE_PORTS.first || wanted > NODE_PORTS.last) {
        errors.invalid(
          `spec.ports[${index}].nodePort`,
          wanted,
          "provided port is not in the valid range. The range of valid ports is 30000-32767",
        );
      }
    }
  }
}

function isSameObject(a: JsonObject, b: JsonObject): boolean {
  const [left, right] = [objectAt(a, "metadata"), objectAt(b, "metadata")];
  return left?.name === right?.name && left?.namespace === right?.namespace;
}

/** This cluster has one family, as a usual one has. */
function requireSingleStack(spec: Draft, errors: FieldErrors): void {
  if (spec.ipFamilyPolicy === "RequireDualStack") {
    errors.invalid(
      "spec.ipFamilyPolicy",
      spec.ipFamilyPolicy,
      "this cluster is not configured for dual-stack services",
    );
  }
  for (const [index, family] of textsAt(spec, "ipFamilies").entries()) {
    if (family !== "IPv4") errors.invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster");
  }
}

function portKey(port: JsonObject): string {
  return `${textAt(port, "protocol")}/${numberAt(port, "nodePort") ?? 0}`;
}

function freeAddress(taken: ReadonlySet<string>): string {
  for (let n = 257; n < 65534; n++) {
    const address = `10.96.${n >> 8}.${n & 255}`;
    if (!taken.has(address)) return address;
  }
  return "";
}

/** The first free port; it is taken from then on. */
function freeNodePort(numbers: Set<number>): number {
  for (let n = NODE_PORTS.first + 86; n <= NODE_PORTS.last; n++) {
    if (numbers.has(n)) continue;
    numbers.add(n);
    return n;
  }
  return 0;
}

export function needsNodePort(spec: JsonObject): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

/** A client that does not send what was allocated keeps it. */
function keepAllocated(spec: Draft, before: JsonObject): void {
  if (spec.type !== "ExternalName" && before.type !== "ExternalName") {
    if (textAt(spec, "clusterIP") === "") spec.clusterIP = before.clusterIP;
    if (textsAt(spec, "clusterIPs").length === 0) spec.clusterIPs = before.clusterIPs;
  }
  if (!needsNodePort(spec) || !needsNodePort(before)) return;
  const kept = new Map(
    objectsAt(before, "ports").map((port) => [textAt(port, "name"), numberAt(port, "nodePort") ?? 0]),
  );
  const used = new Set(objectsAt(spec, "ports").map((port) => numberAt(port, "nodePort") ?? 0));
  for (const port of objectsAt(spec, "ports")) {
    const old = kept.get(textAt(port, "name"));
    if (!numberAt(port, "nodePort") && old !== undefined && old !== 0 && !used.has(old)) port.nodePort = old;
  }
}

/** `clusterIP` and `clusterIPs` say the same; old clients send only the first. */
function syncClusterIps(spec: Draft, before: JsonObject | undefined): void {
  const single = textAt(spec, "clusterIP");
  const many = textsAt(spec, "clusterIPs");
  if (before === undefined) {
    if (single !== "" && many.length === 0) spec.clusterIPs = [single];
    return;
  }
  const previous = textAt(before, "clusterIP");
  const isSame = JSON.stringify(many) === JSON.stringify(textsAt(before, "clusterIPs"));
  if (previous === single || !isSame) return;
  if (previous !== "" && single === "") delete spec.clusterIPs;
  else spec.clusterIPs = [single];
}

/** On a change of type, what the old type had and the new one cannot have is dropped, where the client left it alone. */
export function dropTypeDependentFields(spec: Draft, before: JsonObject): void {
  const dropUnchanged = (...fields: readonly string[]): void => {
    for (const field of fields) if (JSON.stringify(spec[field]) === JSON.stringify(before[field])) delete spec[field];
  };
  if (before.type !== "ExternalName" && spec.type === "ExternalName") {
    dropUnchanged("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy");
  }
  if (needsNodePort(before) && !needsNodePort(spec) && addsNoNodePort(spec, before)) {
    for (const port of objectsAt(spec, "ports")) delete port.nodePort;
  }
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    dropUnchanged("allocateLoadBalancerNodePorts", "loadBalancerClass");
  }
  const isExternal = (of: JsonObject): boolean => needsNodePort(of) || textsAt(of, "externalIPs").length > 0;
  if (isExternal(before) && !isExternal(spec)) dropUnchanged("externalTrafficPolicy");
}

/** Ports may come and go, as long as no node port is new. */
function addsNoNodePort(spec: JsonObject, before: JsonObject): boolean {
  const had = new Set(objectsAt(before, "ports").map((port) => numberAt(port, "nodePort") ?? 0));
  return objectsAt(spec, "ports").every((port) => !port.nodePort || had.has(numberAt(port, "nodePort") ?? 0));
}
