import { describe, expect, it } from "vitest";
import { matchesPattern, parseObjectPattern } from "./object-pattern.ts";

const dns = { group: "apps", kind: "Deployment", namespace: "kube-system", name: "dns" };
const policy = { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "x", name: "deny" };
const admin = { group: "rbac.authorization.k8s.io", kind: "ClusterRole", namespace: "", name: "admin" };

describe("an object pattern", () => {
  it.each([
    { text: "dns", ref: dns },
    { text: "deployment/dns", ref: dns },
    { text: "Deployments/kube-system/dns", ref: dns },
    { text: "deployments.apps/kube-system/dns", ref: dns },
    { text: "Deployment kube-system/dns", ref: dns },
    { text: "networkpolicies/deny", ref: policy },
    { text: "ClusterRole//admin", ref: admin },
    { text: "ClusterRole admin", ref: admin },
  ])("finds $ref.name by $text", ({ text, ref }) => {
    const pattern = parseObjectPattern(text);

    expect(pattern && matchesPattern(ref, pattern)).toBe(true);
  });

  it.each(["configmap/dns", "deployment/default/dns", "deployments.extensions/dns", "dn"])(
    "does not find it by %s",
    (text) => {
      const pattern = parseObjectPattern(text);

      expect(pattern && matchesPattern(dns, pattern)).toBe(false);
    },
  );

  it.each(["", "deployment/", "a/b/c/d", "two words here"])("is none: %j", (text) => {
    expect(parseObjectPattern(text)).toBeUndefined();
  });
});
