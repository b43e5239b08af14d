import { type KubeObject, PART_OF_LABEL } from "../../object/index.ts";
import type { Right } from "./rights.ts";

/** Whom rights are given to, and how the objects are called. */
export interface RbacNames {
  /** Of the roles and bindings. */
  readonly name: string;
  readonly serviceAccount: string;
  /** Of the ServiceAccount. */
  readonly namespace: string;
  /** Namespaces to make first. */
  readonly madeNamespaces: readonly string[];
}

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const API_VERSION = "rbac.authorization.k8s.io/v1";
const ORDER = ["get", "list", "watch", "create", "patch", "delete", "escalate", "bind"];

/** ServiceAccount, ClusterRole and Roles with their bindings: as few rules as say exactly these rights, in a fixed order. */
export function rbacObjects(rights: readonly Right[], names: RbacNames): readonly KubeObject[] {
  const { name, namespace, serviceAccount, madeNamespaces } = names;
  const namespaces = [...new Set(rights.map((right) => right.namespace))].sort();
  const subjects = [{ kind: "ServiceAccount", name: serviceAccount, namespace }];
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: metadataOf(serviceAccount, namespace) };
  const pairs = namespaces.flatMap((at) => {
    const kind = at === "" ? "ClusterRole" : "Role";
    const metadata = metadataOf(name, at);
    const rules = rulesOf(rights.filter((right) => right.namespace === at));
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name };
    return [
      { apiVersion: API_VERSION, kind, metadata, rules },
      { apiVersion: API_VERSION, kind: `${kind}Binding`, metadata, roleRef, subjects },
    ];
  });
  const made = madeNamespaces.map((each) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name: each } }));
  return [...made, account, ...pairs] as unknown as readonly KubeObject[];
}

function metadataOf(name: string, namespace: string): object {
  return { name, ...(namespace === "" ? {} : { namespace }), labels: { [PART_OF_LABEL]: "keelson" } };
}

function rulesOf(rights: readonly Right[]): readonly PolicyRule[] {
  const byResource = new Map<string, { readonly right: Right; readonly verbs: Set<string> }>();
  for (const right of rights) {
    const id = [right.group, right.resource, ...right.names].join(" ");
    const found = byResource.get(id) ?? { right, verbs: new Set() };
    found.verbs.add(right.verb);
    byResource.set(id, found);
  }
  const rules = new Map<string, PolicyRule>();
  const sorted = [...byResource].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, { right, verbs }] of sorted) {
    const ordered = ORDER.filter((verb) => verbs.has(verb));
    const id = [right.group, ...ordered, "/", ...right.names].join(" ");
    const known = rules.get(id);
    const resources = [...(known?.resources ?? []), right.resource];
    const named = right.names.length === 0 ? {} : { resourceNames: right.names };
    rules.set(id, { apiGroups: [right.group], resources, ...named, verbs: ordered });
  }
  return [...rules.values()];
}
