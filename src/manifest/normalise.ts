import {
  APPLIED_ANNOTATION,
  type FieldPath,
  formatPath,
  IGNORE_FIELDS_ANNOTATION,
  isJsonObject,
  type JsonObject,
  LAST_APPLIED_ANNOTATION,
} from "../object/index.ts";
import { stripEmptyContainers } from "./empty-containers.ts";
import { parseFieldPath, type Selector, selectsItem } from "./field-selector.ts";
import { withoutDuplicateKeys } from "./keyed-lists.ts";

/** Something that was changed in an object and that its author should know. */
export interface Finding {
  readonly message: string;
  /** Where; for the line. */
  readonly path: FieldPath;
}

/** An object as it is applied. */
export interface Normalised {
  readonly object: JsonObject;
  readonly findings: readonly Finding[];
}

/**
 * Brings an object into the form in which it is applied. Pure; the input is not changed.
 *
 * - What only the server sets is stripped: status, managedFields, resourceVersion, uid, creationTimestamp, generation,
 *   selfLink, deletionTimestamp, the last-applied annotation, and our own applied annotation. One finding where it
 *   shows exported YAML: kubectl's and controller-gen's placeholders (`status: {}`, `creationTimestamp: null`) do not.
 * - null fields are dropped: a server-side apply would own them.
 * - A Secret's stringData becomes data and wins over it: applied, stringData leaves removed keys in the cluster
 *   (kubernetes#108008).
 * - `rules` goes where `aggregationRule` is set: a forced apply would take the aggregated rules away, every time.
 * - In keyed lists the last of each key stays ({@link withoutDuplicateKeys}).
 * - Empty containers that make the server write on every apply go, those alone ({@link stripEmptyContainers}).
 * - The fields of `keelson.dev/ignore-fields` go.
 */
export function normalise(input: JsonObject): Normalised {
  const findings: Finding[] = [];
  let object = withoutNulls(stripServerFields(input, findings));
  object = withData(object);
  object = withoutAggregatedRules(object);
  const { object: unique, duplicates } = withoutDuplicateKeys(object);
  for (const { path, keys } of duplicates) {
    const message = `${formatPath(path)}: ${keys.join(" and ")} stands more than once: the last is used, remove the others`;
    findings.push({ message, path });
  }
  object = withoutIgnoredFields(unique, findings);
  return { object: stripEmptyContainers(object), findings };
}

const SERVER_FIELDS = [
  "managedFields",
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "generation",
  "selfLink",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];
const SERVER_ANNOTATIONS = [LAST_APPLIED_ANNOTATION, APPLIED_ANNOTATION];

function stripServerFields(object: JsonObject, findings: Finding[]): JsonObject {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const annotations = isJsonObject(metadata.annotations) ? metadata.annotations : {};
  const fields = SERVER_FIELDS.filter((name) => Object.hasOwn(metadata, name));
  const server = SERVER_ANNOTATIONS.filter((name) => Object.hasOwn(annotations, name));
  if (fields.length === 0 && server.length === 0 && object.status === undefined) return object;
  const stripped = [
    ...(hasContent(object.status) ? ["status"] : []),
    ...fields.filter((name) => hasContent(metadata[name])).map((name) => `metadata.${name}`),
    ...server.map((name) => `the annotation ${name}`),
  ];
  if (stripped.length > 0) {
    const message = `looks like YAML exported from a cluster: ${stripped.join(", ")} left out`;
    findings.push({ message, path: stripped[0] === "status" ? ["status"] : ["metadata"] });
  }
  const rest = without(object, ["status"]);
  const left = without(annotations, server);
  if (server.length === 0) return { ...rest, metadata: without(metadata, fields) };
  if (Object.keys(left).length === 0) return { ...rest, metadata: without(metadata, [...fields, "annotations"]) };
  return { ...rest, metadata: { ...without(metadata, fields), annotations: left } };
}

/** Whether anything in `value` is more than a placeholder: empty, null, zero or false. */
function hasContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasContent);
  return isJsonObject(value) ? Object.values(value).some(hasContent) : Boolean(value);
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => Object.hasOwn(object, name))) return object;
  return fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** `Object.fromEntries` defines fields rather than assigning them, so that a `__proto__` key stays data. */
const fromEntries = (entries: readonly (readonly [string, unknown])[]): JsonObject => Object.fromEntries(entries);

/** Drops null fields at any depth; null items of lists stay, for the server to judge. */
function withoutNulls(object: JsonObject): JsonObject {
  return holdsNull(object) ? cleanedObject(object) : object;
}

/** Nearly no manifest holds a null: looking first copies nothing. */
function holdsNull(value: unknown): boolean {
  if (typeof value !== "object") return false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.some(holdsNull);
  for (const part of Object.values(value)) if (holdsNull(part)) return true;
  return false;
}

function cleanedObject(object: JsonObject): JsonObject {
  const entries = Object.entries(object);
  const kept = entries.filter(([, value]) => value !== null).map(([name, value]) => [name, cleaned(value)] as const);
  const isSame = kept.length === entries.length && kept.every(([name, value]) => value === object[name]);
  return isSame ? object : fromEntries(kept);
}

function cleaned(value: unknown): unknown {
  if (isJsonObject(value)) return cleanedObject(value);
  if (!Array.isArray(value)) return value;
  const list: readonly unknown[] = value;
  const items = list.map(cleaned);
  return items.every((item, index) => item === list[index]) ? value : items;
}

function withData(object: JsonObject): JsonObject {
  const { stringData, ...rest } = object;
  if (object.kind !== "Secret" || object.apiVersion !== "v1" || !isJsonObject(stringData)) return object;
  const data = rest.data ?? {};
  // What is no text is for the server to refuse, with its own words.
  if (!isJsonObject(data) || !Object.values(stringData).every((value) => typeof value === "string")) return object;
  const encoded = Object.entries(stringData).map(([key, value]) => [key, base64(String(value))] as const);
  const merged = fromEntries([...Object.entries(data), ...encoded]);
  return Object.keys(merged).length === 0 ? rest : { ...rest, data: merged };
}

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

function withoutAggregatedRules(object: JsonObject): JsonObject {
  const isRole = object.kind === "ClusterRole" && String(object.apiVersion).startsWith("rbac.authorization.k8s.io/");
  return isRole && object.aggregationRule !== undefined ? without(object, ["rules"]) : object;
}

/** Paths that name an object cannot be left to others. */
const IDENTITY = new Set(["apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace"]);

function withoutIgnoredFields(object: JsonObject, findings: Finding[]): JsonObject {
  const metadata = object.metadata;
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined;
  const setting = isJsonObject(annotations) ? annotations[IGNORE_FIELDS_ANNOTATION] : undefined;
  if (typeof setting !== "string") return object;
  let result = object;
  for (const text of splitPaths(setting)) {
    const selectors = parseFieldPath(text);
    if (selectors === undefined || IDENTITY.has(text.replace(/^\./, ""))) {
      const message = `${IGNORE_FIELDS_ANNOTATION}: "${text}" is no field that can be left to others`;
      findings.push({ message, path: ["metadata", "annotations", IGNORE_FIELDS_ANNOTATION] });
    } else result = removeObject(result, selectors);
  }
  return result;
}

/** Splits at commas outside brackets: `ports[port=53,protocol=UDP].nodePort, spec.replicas`. */
function splitPaths(setting: string): readonly string[] {
  return setting
    .split(/,(?![^[]*\])/)
    .map((path) => path.trim())
    .filter((path) => path !== "");
}

function removeObject(object: JsonObject, [selector, ...rest]: readonly Selector[]): JsonObject {
  if (selector?.kind !== "field" || !Object.hasOwn(object, selector.name)) return object;
  if (rest.length === 0) return without(object, [selector.name]);
  const value = removeFrom(object[selector.name], rest);
  return fromEntries(Object.entries(object).map(([name, old]) => [name, name === selector.name ? value : old]));
}

function removeFrom(value: unknown, selectors: readonly Selector[]): unknown {
  if (isJsonObject(value)) return removeObject(value, selectors);
  if (!Array.isArray(value)) return value;
  const [selector, ...rest] = selectors;
  if (selector === undefined) return value;
  const list: readonly unknown[] = value;
  if (rest.length === 0) return list.filter((item, index) => !selectsItem(selector, item, index));
  return list.map((item, index) => (selectsItem(selector, item, index) ? removeFrom(item, rest) : item));
}
