import { fieldOf, isJsonObject, type JsonObject, type KubeObject } from "../../object/index.ts";

/** `spec` of a SriovOperatorConfig, with what is absent filled in. */
export interface ConfigSpec {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly enableInjector: boolean;
  readonly enableOperatorWebhook: boolean;
  /** 0 to 2. */
  readonly logLevel: number;
  readonly usesSystemd: boolean;
  readonly useCDI: boolean;
  readonly disablePlugins: readonly string[];
  readonly featureGates: Readonly<Record<string, boolean>>;
}

/** A SriovOperatorConfig as far as the controller reads it. */
export interface OperatorConfig {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
  readonly spec: ConfigSpec;
  readonly status: JsonObject;
  /** Differs where a reconcile may make a difference: everything but the status. */
  readonly trigger: string;
}

/** Reads a config. Total: the API server's schema has checked it, and what it lets through otherwise counts as absent. */
export function parseConfig(object: KubeObject): OperatorConfig {
  const { metadata, spec, status } = object;
  const { name = "", namespace = "", uid = "", resourceVersion = "", generation = 0, finalizers = [] } = metadata;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const { labels = {}, annotations = {} } = metadata;
  return {
    name,
    namespace,
    uid,
    generation,
    resourceVersion,
    finalizers,
    isDeleting,
    spec: parseSpec(isJsonObject(spec) ? spec : {}),
    status: isJsonObject(status) ? status : {},
    trigger: JSON.stringify([uid, generation, finalizers, isDeleting, labels, annotations, spec ?? {}]),
  };
}

function parseSpec(spec: JsonObject): ConfigSpec {
  const { logLevel } = spec;
  return {
    nodeSelector: textsOf(fieldOf(spec, "configDaemonNodeSelector")),
    enableInjector: spec.enableInjector === true,
    enableOperatorWebhook: spec.enableOperatorWebhook === true,
    logLevel: typeof logLevel === "number" ? Math.min(2, Math.max(0, logLevel)) : 0,
    usesSystemd: spec.configurationMode === "systemd",
    useCDI: spec.useCDI === true,
    disablePlugins: Array.isArray(spec.disablePlugins) ? spec.disablePlugins.map(String) : [],
    featureGates: switchesOf(fieldOf(spec, "featureGates")),
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.map(([key, text]) => [key, String(text)]));
}

function switchesOf(value: unknown): Readonly<Record<string, boolean>> {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.map(([key, isOn]) => [key, isOn === true]));
}
