import { KeelsonError } from "../../errors/index.ts";
import type { ManifestObject } from "../../manifest/index.ts";
import {
  apiVersionOf,
  describeRef,
  digestOf,
  fieldOf,
  groupKindKey,
  groupVersionKindOf,
  isJsonObject,
  type JsonObject,
  parseJson,
  stringifyJson,
} from "../../object/index.ts";
import type { Component, RenderContext } from "./components.ts";
import { CLUSTER_KINDS, CONFIGS, SET_LABELS } from "./identity.ts";

const ROLE_LABEL = "machineconfiguration.openshift.io/role";

/**
 * Makes a rendered object an operand: the label of the set, the config as its controller (in its namespace), the
 * component's node selector. What other parties fill in is left to them: an empty caBundle goes.
 *
 * @throws KeelsonError InvalidManifest where the object cannot be an operand
 */
export function toOperand(manifest: ManifestObject, component: Component, context: RenderContext): ManifestObject {
  const tree = parseJson(manifest.body) as JsonObject;
  const kind = groupKindKey(groupVersionKindOf(manifest));
  const isClusterScoped = CLUSTER_KINDS.has(kind);
  const { namespace } = context.config;
  if (!isClusterScoped && manifest.namespace !== namespace) refuse(manifest, namespaceFault(manifest, namespace));
  const metadata = isJsonObject(tree.metadata) ? tree.metadata : {};
  const labels = { ...labelsOf(kind, metadata, context), ...SET_LABELS };
  const owners = isClusterScoped ? {} : { ownerReferences: [ownerReference(context)] };
  const marked = { ...tree, metadata: { ...metadata, labels, ...owners } };
  const object = adapt(kind, marked, { manifest, selector: component.nodeSelector(context) });
  return { ...manifest, labels, body: stringifyJson(object), digest: digestOf(object) };
}

interface Adaptation {
  readonly manifest: ManifestObject;
  readonly selector: Readonly<Record<string, string>> | undefined;
}

function adapt(kind: string, object: JsonObject, { manifest, selector }: Adaptation): JsonObject {
  switch (kind) {
    case "DaemonSet.apps":
      return withoutEmptyVariables(selector === undefined ? object : withNodeSelector(object, selector));
    case "MutatingWebhookConfiguration.admissionregistration.k8s.io":
    case "ValidatingWebhookConfiguration.admissionregistration.k8s.io":
      return mapList(object, "webhooks", (webhook) => withScopes(withoutEmptyBundle(webhook)));
    case "ServiceAccount":
      if (Array.isArray(object.secrets) && object.secrets.length > 0) {
        refuse(manifest, "cannot create ServiceAccount with secrets");
      }
      return object;
    default:
      return object;
  }
}

/** The MachineConfig of a pool has the labels by which the pool selects it; its role is never lost. */
function labelsOf(kind: string, metadata: JsonObject, { config }: RenderContext): Readonly<Record<string, string>> {
  const rendered = isJsonObject(metadata.labels) ? (metadata.labels as Readonly<Record<string, string>>) : {};
  if (kind !== "MachineConfig.machineconfiguration.openshift.io") return rendered;
  return { ...rendered, ...config.spec.nodeSelector, [ROLE_LABEL]: rendered[ROLE_LABEL] ?? "worker" };
}

function ownerReference({ config }: RenderContext): JsonObject {
  const { name, uid } = config;
  const apiVersion = apiVersionOf(CONFIGS);
  return { apiVersion, kind: CONFIGS.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Replaces the Pods' node selector as a whole: nothing of the template's is merged in. */
function withNodeSelector(object: JsonObject, nodeSelector: Readonly<Record<string, string>>): JsonObject {
  return mapField(object, "spec", (spec) =>
    mapField(spec, "template", (template) => mapField(template, "spec", (pod) => ({ ...pod, nodeSelector }))),
  );
}

/** An empty value is none to the API server, which drops it: with it, an object would never read as it is written. */
function withoutEmptyVariables(object: JsonObject): JsonObject {
  const ofContainer = (container: unknown): unknown =>
    isJsonObject(container) ? mapList(container, "env", withoutEmptyValue) : container;
  return mapField(object, "spec", (spec) =>
    mapField(spec, "template", (template) =>
      mapField(template, "spec", (pod) =>
        mapList(mapList(pod, "initContainers", ofContainer), "containers", ofContainer),
      ),
    ),
  );
}

function withoutEmptyValue(variable: unknown): unknown {
  if (!isJsonObject(variable) || variable.value !== "") return variable;
  const { value: _empty, ...rest } = variable;
  return rest;
}

/** The API server fills the scope in; rules are one value to it, which then reads otherwise than it was written. */
function withScopes(webhook: unknown): unknown {
  if (!isJsonObject(webhook)) return webhook;
  return mapList(webhook, "rules", (rule) => (isJsonObject(rule) ? { ...rule, scope: rule.scope ?? "*" } : rule));
}

function mapField(object: JsonObject, field: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? { ...object, [field]: change(value) } : object;
}

function mapList(object: JsonObject, field: string, change: (item: unknown) => unknown): JsonObject {
  const list: unknown = object[field];
  return Array.isArray(list) ? { ...object, [field]: list.map(change) } : object;
}

/** Applied, an empty bundle would wipe what the service CA or cert-manager has put there. */
function withoutEmptyBundle(webhook: unknown): unknown {
  const clientConfig = fieldOf(webhook, "clientConfig");
  if (!isJsonObject(webhook) || !isJsonObject(clientConfig) || clientConfig.caBundle !== "") return webhook;
  const { caBundle: _empty, ...rest } = clientConfig;
  return { ...webhook, clientConfig: rest };
}

function namespaceFault(manifest: ManifestObject, namespace: string): string {
  return manifest.namespace === undefined
    ? `it names no namespace: it has to be in "${namespace}", where its owner is`
    : `it is in namespace "${manifest.namespace}", its owner in "${namespace}"`;
}

function refuse(manifest: ManifestObject, why: string): never {
  const { group, kind } = groupVersionKindOf(manifest);
  const name = describeRef({ group, kind, namespace: manifest.namespace ?? "", name: manifest.name });
  const { file } = manifest.origin;
  throw new KeelsonError("InvalidManifest", `${file}: ${name}: ${why}`, { object: name });
}
