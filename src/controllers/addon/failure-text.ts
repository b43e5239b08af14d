import type { KeelsonError } from "../../errors/index.ts";
import type { ObjectRef } from "../../object/index.ts";

const GRANTING: Readonly<Record<string, string>> = {
  Role: "the verb escalate on roles",
  ClusterRole: "the verb escalate on clusterroles",
  RoleBinding: "the verb bind on the role",
  ClusterRoleBinding: "the verb bind on the role",
};

/**
 * What to say of an object that failed. The API server does not name the verb that would let somebody write a role
 * beyond the rights that he has himself; everything else its own words name.
 */
export function failureText(ref: ObjectRef, error: KeelsonError): string {
  const verb = ref.group === "rbac.authorization.k8s.io" ? GRANTING[ref.kind] : undefined;
  if (error.code !== "Forbidden" || verb === undefined) return error.message;
  return `${error.message}; writing a ${ref.kind} takes ${verb} besides, or every right that it grants`;
}
