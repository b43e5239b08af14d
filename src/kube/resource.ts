import { KeelsonError } from "../errors/index.ts";
import { describeRef, type GroupVersionKind } from "../object/index.ts";

/** A kind as the API server serves it in one version. */
export interface ApiResource extends GroupVersionKind {
  /** The plural that stands in paths: `deployments`. */
  readonly resource: string;
  readonly namespaced: boolean;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs: readonly string[];
  /** `status`, `scale`, … */
  readonly subresources: readonly string[];
}

/** Which object of an {@link ApiResource}. */
export interface Target {
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** An object as messages name it: `Deployment kube-system/dns`. */
export function describeTarget(resource: ApiResource, target: Target): string {
  return describeRef({ group: resource.group, kind: resource.kind, ...target });
}

/** Path of the collection; of all namespaces where `namespace` is "". */
export function collectionPath(resource: ApiResource, namespace: string): string {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace !== "" ? `/namespaces/${pathSegment(namespace)}` : "";
  return `${root}${scope}/${resource.resource}`;
}

/**
 * Path of one object. An empty name would address the whole collection, and DELETE would empty it; so a target that
 * names no single object is refused here.
 *
 * @throws KeelsonError BadRequest
 */
export function objectPath(resource: ApiResource, target: Target, subresource?: string): string {
  requireNamespace(resource, target);
  if (!isSegment(target.name)) {
    throw new KeelsonError("BadRequest", `${resource.kind}: ${JSON.stringify(target.name)} is no object name`);
  }
  const suffix = subresource === undefined ? "" : `/${subresource}`;
  return `${collectionPath(resource, target.namespace)}/${pathSegment(target.name)}${suffix}`;
}

/** Refuses a namespaced target without a namespace, and a namespace that would change the path. */
export function requireNamespace(resource: ApiResource, target: Target): void {
  if (!resource.namespaced || isSegment(target.namespace)) return;
  throw new KeelsonError(
    "BadRequest",
    `${describeTarget(resource, target)}: ${resource.kind} is namespaced, and ${JSON.stringify(target.namespace)} is no namespace`,
  );
}

function isSegment(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." && !text.includes("/") && !text.includes("%");
}

function pathSegment(text: string): string {
  return encodeURIComponent(text);
}
