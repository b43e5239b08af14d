import type { Fight } from "../../converge/index.ts";
import type { ManifestObject, ManifestSnapshot } from "../../manifest/index.ts";
import { fieldOf, isJsonObject, type JsonObject, parseApiVersion, parseJson } from "../../object/index.ts";

/** A field that a manifest names although another controller of the cluster sets it. */
export interface ContestedField {
  readonly manifest: ManifestObject;
  readonly message: string;
}

const AUTOSCALED: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "ReplicaSet"]);
/** Kinds into which certificate injectors write a `caBundle`. */
const INJECTED: ReadonlySet<string> = new Set([
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "CustomResourceDefinition",
  "APIService",
]);
/** Annotations by which injectors are asked: cert-manager's, and OpenShift's. */
const INJECTING = /^(?:cert-manager\.io\/inject-|service\.beta\.openshift\.io\/inject-cabundle$)/;

/**
 * Fields that the manifests of a directory name and that another controller will set otherwise, again and again: the
 * `replicas` of what a HorizontalPodAutoscaler of the directory scales, the `caBundle` that an injector is asked for.
 */
export function contestedFields(snapshot: Pick<ManifestSnapshot, "objects">): readonly ContestedField[] {
  const scaled = new Map<string, string>();
  for (const manifest of snapshot.objects) {
    if (manifest.kind !== "HorizontalPodAutoscaler") continue;
    const target = fieldOf(fieldOf(parseJson(manifest.body), "spec"), "scaleTargetRef");
    const { kind, name } = isJsonObject(target) ? target : {};
    if (typeof kind === "string" && typeof name === "string")
      scaled.set(`${kind}/${manifest.namespace ?? ""}/${name}`, manifest.name);
  }
  const contested: ContestedField[] = [];
  for (const manifest of snapshot.objects) {
    const message = scaledMessage(manifest, scaled) ?? injectedMessage(manifest);
    if (message !== undefined) contested.push({ manifest, message });
  }
  return contested;
}

function scaledMessage(manifest: ManifestObject, scaled: ReadonlyMap<string, string>): string | undefined {
  const { kind, name, namespace = "", body } = manifest;
  const autoscaler = AUTOSCALED.has(kind) ? scaled.get(`${kind}/${namespace}/${name}`) : undefined;
  if (autoscaler === undefined || fieldOf(fieldOf(parseJson(body), "spec"), "replicas") === undefined) return undefined;
  return `HorizontalPodAutoscaler ${autoscaler} scales it: leave spec.replicas out of the manifest, or both take the other's value back`;
}

function injectedMessage({ kind, body, apiVersion }: ManifestObject): string | undefined {
  if (!INJECTED.has(kind) || !parseApiVersion(apiVersion).group.endsWith("k8s.io")) return undefined;
  if (!body.includes('"caBundle"')) return undefined;
  const object = parseJson(body);
  const annotations = fieldOf(fieldOf(object, "metadata"), "annotations");
  const injector = Object.keys(isJsonObject(annotations) ? annotations : {}).find((key) => INJECTING.test(key));
  if (injector === undefined || !namesBundle(object)) return undefined;
  return `${injector} asks for its caBundle to be injected: leave caBundle out of the manifest, or both take the other's value back`;
}

/** An empty `caBundle` counts: an apply of it takes the injected one away. */
function namesBundle(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesBundle);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, field]) => name === "caBundle" || namesBundle(field as JsonObject));
}

/** Who sets a field again whatever happens, and what to do about it; undefined where it may have been a person. */
export function knownRival(path: string, manager: string, subresource = ""): string | undefined {
  // `kubectl scale` writes there as well: a person, who may give up.
  if (path === "spec.replicas" && subresource === "scale" && manager === "kube-controller-manager")
    return "an autoscaler scales it: leave spec.replicas out of the manifest";
  if (/(?:^|\.)caBundle$/.test(path) && /cert|ca-?injector|service-ca/.test(manager))
    return `${manager} injects it: leave caBundle out of the manifest`;
  return undefined;
}

/** How a tug of war about a field ends. */
export function adviceOn({ path, manager, subresource }: Pick<Fight, "path" | "manager" | "subresource">): string {
  const known = knownRival(path, manager, subresource);
  return known ?? `leave ${path} out of the manifest, or stop ${manager} from setting it`;
}
