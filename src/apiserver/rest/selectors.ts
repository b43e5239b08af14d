import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { metaMap } from "../managers/index.ts";
import type { Api } from "./api.ts";
import { badRequest } from "./api-error.ts";

/** Whether an object is wanted. */
export type Matcher = (object: JsonObject) => boolean;

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

const EXISTS = /^(!?)\s*([A-Za-z0-9._/-]+)$/;
const EQUALS = /^([A-Za-z0-9._/-]+)\s*(==|!=|=|>|<)\s*([A-Za-z0-9._-]*)$/;
const IN = /^([A-Za-z0-9._/-]+)\s+(in|notin)\s*\(([^()]*)\)$/;

/** Parses a label selector (`a=b,c!=d,e in (f,g),!h`). Throws 400. */
export function parseLabelSelector(text: string): Matcher {
  const tests = splitRequirements(text).map(parseRequirement);
  return (object) => {
    const labels = metaMap(object, "labels");
    return tests.every((test) => test(labels));
  };
}

/** Splits at commas outside parentheses. */
function splitRequirements(text: string): readonly string[] {
  const parts = text.match(/(?:[^,(]|\([^)]*\))+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function parseRequirement(text: string): LabelTest {
  const exists = EXISTS.exec(text);
  if (exists !== null) {
    const [, not, key = ""] = exists;
    return (labels) => Object.hasOwn(labels, key) === (not !== "!");
  }
  const equals = EQUALS.exec(text);
  if (equals !== null) {
    const [, key = "", operator, value = ""] = equals;
    if (operator === "!=") return (labels) => labels[key] !== value;
    if (operator === ">") return (labels) => Number(labels[key]) > Number(value);
    if (operator === "<") return (labels) => Number(labels[key]) < Number(value);
    return (labels) => labels[key] === value;
  }
  const within = IN.exec(text);
  if (within === null) throw badRequest(`unable to parse requirement: found '${text}', expected: identifier`);
  const [, key = "", operator, list = ""] = within;
  const values = new Set(list.split(",").map((value) => value.trim()));
  return operator === "in"
    ? (labels) => labels[key] !== undefined && values.has(labels[key])
    : (labels) => labels[key] === undefined || !values.has(labels[key]);
}

/** Fields beside name and namespace that may be selected by, per resource. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  events: [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
    "regarding.kind",
    "regarding.name",
  ],
  secrets: ["type"],
  nodes: ["spec.unschedulable"],
  namespaces: ["status.phase"],
  services: ["spec.clusterIP", "spec.type"],
  replicationcontrollers: ["status.replicas"],
  "replicasets.apps": ["status.replicas"],
  "jobs.batch": ["status.successful"],
  "certificatesigningrequests.certificates.k8s.io": ["spec.signerName"],
};

const METADATA_FIELDS = ["metadata.name", "metadata.namespace"];

/** Parses a field selector (`metadata.name=x,status.phase!=Failed`). Throws 400 for a field that the resource does not offer. */
export function parseFieldSelector(api: Api, text: string): Matcher {
  const known = [...METADATA_FIELDS, ...(FIELDS[api.table] ?? []), ...(api.custom?.selectableFields ?? [])];
  const tests = splitRequirements(text).map((part): Matcher => {
    const found = /^([^=!]+)(==|!=|=)(.*)$/.exec(part);
    if (found === null) throw badRequest(`invalid field selector: ${part}`);
    const [, field = "", operator, value] = found;
    if (!known.includes(field)) {
      throw badRequest(
        `${JSON.stringify(field)} is not a known field selector: only ${METADATA_FIELDS.map((one) => JSON.stringify(one)).join(", ")}`,
      );
    }
    return (object) => (fieldText(object, field) === value) === (operator !== "!=");
  });
  return (object) => tests.every((test) => test(object));
}

function fieldText(object: JsonObject, field: string): string {
  let value: unknown = object;
  for (const part of field.split(".")) value = isJsonObject(value) ? value[part] : undefined;
  if (field === "source" && isJsonObject(value)) value = value.component;
  if (value === undefined || value === null)
    return field === "spec.unschedulable" || field === "spec.hostNetwork" ? "false" : "";
  return String(value);
}

/** The matcher of a request's selectors. */
export function matcherOf(api: Api, query: URLSearchParams): Matcher {
  const labels = query.get("labelSelector") ?? "";
  const fields = query.get("fieldSelector") ?? "";
  const byLabels = labels === "" ? undefined : parseLabelSelector(labels);
  const byFields = fields === "" ? undefined : parseFieldSelector(api, fields);
  return (object) => (byLabels?.(object) ?? true) && (byFields?.(object) ?? true);
}
