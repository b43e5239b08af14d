import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  apiVersionOf,
  compareRefs,
  describeRef,
  groupKindKey,
  groupVersionKindOf,
  type ObjectRef,
  parseApiVersion,
  parseGroupKindKey,
  parseRefKey,
  refKey,
  refOf,
} from "./index.ts";

const ref = (group: string, kind: string, namespace: string, name: string): ObjectRef => ({
  group,
  kind,
  namespace,
  name,
});

test("an apiVersion splits into group and version, and back", () => {
  for (const text of ["v1", "apps/v1", "x.dev/v1beta1"]) expect(apiVersionOf(parseApiVersion(text))).toBe(text);
  expect(parseApiVersion("v1")).toEqual({ group: "", version: "v1" });
  expect(groupVersionKindOf({ apiVersion: "apps/v1", kind: "Deployment" })).toEqual({
    group: "apps",
    version: "v1",
    kind: "Deployment",
  });
});

test("an object's identity does not depend on its version", () => {
  const object = (apiVersion: string) => ({ apiVersion, kind: "Ingress", metadata: { name: "i", namespace: "n" } });

  expect(refKey(refOf(object("networking.k8s.io/v1")))).toBe(refKey(refOf(object("networking.k8s.io/v1beta1"))));
  expect(refOf({ apiVersion: "v1", kind: "Node", metadata: {} })).toEqual(ref("", "Node", "", ""));
});

test("a key reads back as the reference it was made of", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.:-]{0,10}$/);
  const refs = fc.record({
    group: fc.constantFrom("", "apps", "x.example.dev"),
    kind: fc.stringMatching(/^[A-Z][A-Za-z]{0,8}$/),
    namespace: fc.oneof(fc.constant(""), fc.stringMatching(/^[a-z-]{1,8}$/)),
    name,
  });
  fc.assert(
    fc.property(refs, (each) => {
      expect(parseRefKey(refKey(each))).toEqual(each);
    }),
  );
});

test("a person reads kind, namespace and name, and the group of custom kinds", () => {
  expect(describeRef(ref("apps", "Deployment", "kube-system", "dns"))).toBe("Deployment kube-system/dns");
  expect(describeRef(ref("rbac.authorization.k8s.io", "ClusterRole", "", "admin"))).toBe("ClusterRole admin");
  expect(describeRef(ref("x.dev", "Widget", "n", "w"))).toBe("Widget.x.dev n/w");
  expect(groupKindKey({ group: "", kind: "Pod" })).toBe("Pod");
  expect(parseGroupKindKey("Pod")).toEqual({ group: "", kind: "Pod" });
  expect(parseGroupKindKey("Role.rbac.authorization.k8s.io")).toEqual({
    group: "rbac.authorization.k8s.io",
    kind: "Role",
  });
});

test("references are in order of group, kind, namespace and name", () => {
  const sorted = [ref("", "A", "", "a"), ref("", "A", "n", "a"), ref("", "B", "", "a"), ref("a", "A", "", "a")];

  expect(sorted.toReversed().sort(compareRefs)).toEqual(sorted);
  expect(compareRefs(ref("", "A", "", "a"), ref("", "A", "", "a"))).toBe(0);
});
