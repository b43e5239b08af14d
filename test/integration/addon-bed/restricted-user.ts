import type { ControlPlane } from "../../control-plane/index.ts";
import { clusterObject, file } from "./manifests.ts";

/** What every user of the bed may do: the definitions of kinds are watched whoever runs. */
const ALWAYS = {
  apiGroups: ["apiextensions.k8s.io", "apiregistration.k8s.io"],
  resources: ["*"],
  verbs: ["get", "list", "watch"],
};

/** Path of a kubeconfig of a new ServiceAccount that may do only this. */
export async function restrictedUser(plane: ControlPlane, name: string, rules: readonly object[]): Promise<string> {
  await plane.kubectl("-n", "default", "create", "serviceaccount", name);
  const role = clusterObject("rbac.authorization.k8s.io/v1", "ClusterRole", name, { rules: [...rules, ALWAYS] });
  const binding = clusterObject("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", name, {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
  await plane.kubectl("apply", "-f", "-", { input: file(role, binding) });
  const { stdout } = await plane.kubectl("-n", "default", "create", "token", name);
  return plane.kubeconfigFor(stdout.trim());
}
