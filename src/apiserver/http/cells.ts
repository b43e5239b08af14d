import type { JsonObject } from "../../object/index.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../strategy/index.ts";
import { meta, number, orNone, spec, status } from "./column.ts";
import { ageOf } from "./duration.ts";

export function servicePorts(object: JsonObject): string {
  const ports = objectsAt(spec(object), "ports").map((port) => {
    const node = number(port, "nodePort");
    return `${number(port, "port")}${node === 0 ? "" : `:${node}`}/${textAt(port, "protocol")}`;
  });
  return orNone(ports.join(","));
}

export function externalIp(object: JsonObject): string {
  const ips = textsAt(spec(object), "externalIPs").join(",");
  switch (textAt(spec(object), "type")) {
    case "LoadBalancer": {
      const addresses = objectsAt(objectAt(status(object), "loadBalancer"), "ingress").map(
        (one) => textAt(one, "ip") || textAt(one, "hostname"),
      );
      const all = [...addresses, ips].filter((text) => text !== "").join(",");
      return all === "" ? "<pending>" : all;
    }
    case "ExternalName":
      return textAt(spec(object), "externalName");
    default:
      return orNone(ips);
  }
}

export function ingressHosts(object: JsonObject): string {
  const hosts = objectsAt(spec(object), "rules").map((rule) => textAt(rule, "host") || "*");
  return hosts.length === 0
    ? "*"
    : hosts.length > 3
      ? `${hosts.slice(0, 3).join(",")} + ${hosts.length - 3} more...`
      : hosts.join(",");
}

export function podReady(object: JsonObject): string {
  const statuses = objectsAt(status(object), "containerStatuses");
  return `${statuses.filter((one) => one.ready === true).length}/${objectsAt(spec(object), "containers").length}`;
}

export function jobStatus(object: JsonObject): string {
  const has = (type: string): boolean =>
    objectsAt(status(object), "conditions").some((one) => one.type === type && one.status === "True");
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (meta(object).deletionTimestamp !== undefined) return "Terminating";
  if (has("Suspended")) return "Suspended";
  return has("FailureTarget") ? "FailureTarget" : has("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

export function jobDuration(object: JsonObject, now: number): string {
  const start = status(object).startTime;
  const end = status(object).completionTime;
  if (typeof start !== "string") return "";
  return ageOf(start, typeof end === "string" ? Date.parse(end) : now);
}

export function capacity(object: JsonObject): string {
  return String(objectAt(status(object), "capacity")?.storage ?? "");
}

export function quotaText(object: JsonObject, limits: boolean): string {
  const hard = objectAt(status(object), "hard") ?? {};
  const used = objectAt(status(object), "used") ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith("limits") === limits)
    .sort()
    .map((name) => `${name}: ${String(used[name] ?? "")}/${String(hard[name])}`)
    .join(", ");
}

export function autoscalerTargets(object: JsonObject): string {
  const metrics = objectsAt(spec(object), "metrics").map((metric) => {
    const resource = objectAt(metric, "resource");
    const target = objectAt(resource, "target");
    const wanted =
      target?.averageUtilization === undefined
        ? String(target?.averageValue ?? "")
        : `${String(target.averageUtilization)}%`;
    return `${textAt(resource, "name") || textAt(metric, "type")}: <unknown>/${wanted}`;
  });
  return metrics.length === 0 ? "<none>" : metrics.join(", ");
}
