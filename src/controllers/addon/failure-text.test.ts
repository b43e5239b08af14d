import { expect, it } from "vitest";
import { KeelsonError } from "../../errors/index.ts";
import { failureText } from "./failure-text.ts";

const role = { group: "rbac.authorization.k8s.io", kind: "Role", namespace: "a", name: "b" };

it("names the verb that the API server keeps to itself, where a role is refused for want of a right", () => {
  const refused = new KeelsonError("Forbidden", "attempting to grant more");

  expect(failureText(role, refused)).toBe(
    "attempting to grant more; writing a Role takes the verb escalate on roles besides, or every right that it grants",
  );
  expect(failureText({ ...role, kind: "ClusterRoleBinding" }, refused)).toContain("the verb bind");
  expect(failureText({ ...role, group: "", kind: "Secret" }, refused)).toBe("attempting to grant more");
  expect(failureText(role, new KeelsonError("Invalid", "no rules"))).toBe("no rules");
});
