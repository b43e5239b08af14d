import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../../object/index.ts";
import { withMetadata } from "../managers/index.ts";
import { type Draft, numberAt, objectAt, objectsAt } from "../strategy/index.ts";

/** A kind that is stored in another version or group than it is served in. */
export interface Conversion {
  readonly table: string;
  toStored(object: JsonObject): JsonObject;
  fromStored(stored: JsonObject): JsonObject;
}

/** Where autoscaling/v1 keeps what it has no fields for. */
const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";

function isCpuTarget(metric: JsonObject): boolean {
  const resource = objectAt(metric, "resource");
  return metric.type === "Resource" && resource?.name === "cpu" && objectAt(resource, "target")?.type === "Utilization";
}

function autoscalerToV1(stored: JsonObject): JsonObject {
  const { metrics: _, behavior, ...spec } = objectAt(stored, "spec") ?? {};
  const metrics = objectsAt(objectAt(stored, "spec"), "metrics");
  const cpu = metrics.find(isCpuTarget);
  const others = metrics.filter((metric) => metric !== cpu);
  const annotations: Draft = { ...objectAt(objectAt(stored, "metadata"), "annotations") };
  if (others.length > 0) annotations[METRICS] = stringifyJson(others);
  if (isJsonObject(behavior)) annotations[BEHAVIOR] = stringifyJson(behavior);
  const target = numberAt(objectAt(objectAt(cpu, "resource"), "target"), "averageUtilization");
  const { currentMetrics: __, conditions: ___, ...status } = objectAt(stored, "status") ?? {};
  const converted = {
    ...stored,
    apiVersion: "autoscaling/v1",
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status,
  };
  return withMetadata(converted, { annotations: Object.keys(annotations).length === 0 ? undefined : annotations });
}

function autoscalerFromV1(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = objectAt(object, "spec") ?? {};
  const {
    [METRICS]: metricsText,
    [BEHAVIOR]: behaviorText,
    ...annotations
  } = objectAt(objectAt(object, "metadata"), "annotations") ?? {};
  const metrics: unknown[] = [];
  if (target !== undefined && target !== null) {
    metrics.push({
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: target } },
    });
  }
  const others = typeof metricsText === "string" ? parseJson(metricsText) : [];
  if (Array.isArray(others)) metrics.push(...others);
  // Without any metric, version 1 means this one.
  if (metrics.length === 0)
    metrics.push({
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
    });
  const behavior = typeof behaviorText === "string" ? { behavior: parseJson(behaviorText) } : {};
  const { currentCPUUtilizationPercentage: _, ...status } = objectAt(object, "status") ?? {};
  const converted = {
    ...object,
    apiVersion: "autoscaling/v2",
    spec: { ...spec, metrics, ...behavior },
    status: { ...status, currentMetrics: null },
  };
  return withMetadata(converted, { annotations: Object.keys(annotations).length === 0 ? undefined : annotations });
}

const EVENT_FIELDS = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["source", "deprecatedSource"],
  ["reportingComponent", "reportingController"],
] as const;

function renamed(object: JsonObject, names: readonly (readonly [string, string])[]): JsonObject {
  const map = new Map(names);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [map.get(key) ?? key, value]));
}

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  "autoscaling/v1/HorizontalPodAutoscaler": {
    table: "horizontalpodautoscalers.autoscaling",
    toStored: autoscalerFromV1,
    fromStored: autoscalerToV1,
  },
  "events.k8s.io/v1/Event": {
    table: "events",
    toStored: (object) => ({
      ...renamed(
        object,
        EVENT_FIELDS.map(([core, events]) => [events, core]),
      ),
      apiVersion: "v1",
    }),
    fromStored: (stored) => ({ ...renamed(stored, EVENT_FIELDS), apiVersion: "events.k8s.io/v1" }),
  },
};

/** How a kind at a version is stored; undefined where it is stored as it is served. */
export function conversionOf(apiVersion: string, kind: string): Conversion | undefined {
  return CONVERSIONS[`${apiVersion}/${kind}`];
}
