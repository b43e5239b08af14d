import { isJsonObject, type JsonObject } from "../object/index.ts";

/**
 * Drops the empty containers that make the API server write on every apply though nothing changes (seen on 1.37; for
 * NetworkPolicies and webhooks even `metadata.generation` moves): in metadata, `labels`, `annotations`, `finalizers` and
 * `ownerReferences`; in a NetworkPolicy, `ingress`, `egress`, `from`, and a podSelector's `matchLabels`; in a webhook,
 * `rules` and `matchConditions`. For each of these, empty means the same as absent. Every other empty container stays as
 * written: `podSelector: {}` selects all pods, `emptyDir: {}` is a volume.
 */
export function stripEmptyContainers(object: JsonObject): JsonObject {
  const stripped = change(object, "metadata", (metadata) => withoutEmpty(metadata, METADATA));
  switch (object.kind) {
    case "NetworkPolicy":
      return change(stripped, "spec", stripPolicy);
    case "MutatingWebhookConfiguration":
    case "ValidatingWebhookConfiguration":
      return changeItems(stripped, "webhooks", (webhook) => withoutEmpty(webhook, ["rules", "matchConditions"]));
    default:
      return stripped;
  }
}

const METADATA = ["labels", "annotations", "finalizers", "ownerReferences"];

type Change = (object: JsonObject) => JsonObject;

function stripPolicy(spec: JsonObject): JsonObject {
  const bare = withoutEmpty(change(spec, "podSelector", stripSelector), ["ingress", "egress"]);
  const stripPeer: Change = (peer) => change(peer, "podSelector", stripSelector);
  const inside = changeItems(bare, "ingress", (rule) => withoutEmpty(changeItems(rule, "from", stripPeer), ["from"]));
  return changeItems(inside, "egress", (rule) => changeItems(rule, "to", stripPeer));
}

function stripSelector(selector: JsonObject): JsonObject {
  return withoutEmpty(selector, ["matchLabels"]);
}

function withoutEmpty(object: JsonObject, names: readonly string[]): JsonObject {
  const empty = names.filter((name) => isEmpty(object[name]));
  if (empty.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !empty.includes(name)));
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function change(object: JsonObject, name: string, apply: Change): JsonObject {
  const value = object[name];
  if (!isJsonObject(value)) return object;
  const changed = apply(value);
  return changed === value ? object : { ...object, [name]: changed };
}

function changeItems(object: JsonObject, name: string, apply: Change): JsonObject {
  const value = object[name];
  if (!Array.isArray(value)) return object;
  const list: readonly unknown[] = value;
  const changed = list.map((item) => (isJsonObject(item) ? apply(item) : item));
  return changed.every((item, index) => item === list[index]) ? object : { ...object, [name]: changed };
}
