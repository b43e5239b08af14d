import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../object/index.ts";
import {
  APPLYSET_ID_LABEL,
  applySetId,
  faultOfParent,
  inventoryOf,
  parentRefOf,
  parentTree,
  parseParent,
  TOOLING_ANNOTATION,
  toolNameOf,
  unionOf,
} from "./applyset.ts";
import { namesOf } from "./identity.ts";

const TOOLING = "keelson/v1.2.3";

describe("applySetId", () => {
  // The first three are the cases of kubectl's own unit test.
  it.each([
    ["my-set", "test", "Secret", "", "applyset-0eFHV8ySqp7XoShsGvyWFQD3s96yqwHmzc4e0HR1dsY-v1"],
    ["simple", "test", "Secret", "", "applyset-bjd1LnyQq0mtUu-riZCqjDQOmh0iNb9O2RcuT12WR0k-v1"],
    ["my-set", "", "ApplySet", "company.com", "applyset-rhp1a-HVAVT_dFgyEygyA1BEB82HPp2o10UiFTpqtAs-v1"],
    ["coredns", "kube-system", "ConfigMap", "", "applyset-r8fXtfZyslwc3ZhfqTO4f8_AVBuzBzwH9Z6Y24J_LzY-v1"],
  ])("of %s in '%s', %s.%s, is kubectl's", (name, namespace, kind, group, id) => {
    expect(applySetId({ name, namespace, kind, group })).toBe(id);
  });
});

describe("the parent of a set", () => {
  const names = namesOf("edge");
  const members = [
    { group: "apps", kind: "Deployment", namespace: "b", name: "x" },
    { group: "", kind: "ConfigMap", namespace: "kube-system", name: "x" },
    { group: "", kind: "ConfigMap", namespace: "a", name: "x" },
    { group: "", kind: "Namespace", namespace: "", name: "a" },
  ];

  it("names kinds and namespaces as kubectl does: sorted, once, without its own namespace", () => {
    const tree = parentTree(names, { tooling: TOOLING, inventory: inventoryOf(members) });

    expect(tree.metadata).toEqual({
      name: "keelson-applyset-edge",
      namespace: "kube-system",
      labels: { [APPLYSET_ID_LABEL]: applySetId(parentRefOf(names)), "app.kubernetes.io/part-of": "keelson" },
      annotations: {
        [TOOLING_ANNOTATION]: TOOLING,
        "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Deployment.apps,Namespace",
        "applyset.kubernetes.io/additional-namespaces": "a,b",
      },
    });
  });

  it("has both lists where the set is empty", () => {
    const tree = parentTree(names, { tooling: TOOLING, inventory: inventoryOf([]) });

    expect(tree).toMatchObject({
      metadata: {
        annotations: {
          "applyset.kubernetes.io/contains-group-kinds": "",
          "applyset.kubernetes.io/additional-namespaces": "",
        },
      },
    });
  });

  it("reads back what it wrote", () => {
    const inventory = inventoryOf(members);
    const parent = parentTree(names, { tooling: TOOLING, inventory }) as KubeObject;

    expect(parseParent(parent)).toEqual({
      id: applySetId(parentRefOf(names)),
      tooling: TOOLING,
      groupKinds: inventory.groupKinds,
      groupResources: undefined,
      namespaces: inventory.namespaces,
    });
  });

  it.each([
    { name: "no tooling", parent: { tooling: undefined }, fault: /no annotation applyset/ },
    { name: "another tool", parent: { tooling: "kubectl/v1.37.0" }, fault: /kubectl\/v1\.37\.0 keeps it/ },
    { name: "a tool with a slash", parent: { tooling: "keelson/x/v1" }, fault: /keeps it/ },
    { name: "no id", parent: { id: undefined }, fault: /no label applyset/ },
    { name: "an id of another name", parent: { id: "applyset-x-v1" }, fault: /not that of its name/ },
    { name: "another version of this tool", parent: { tooling: "keelson/v9" }, fault: undefined },
  ])("is looked at before it is touched: $name", ({ parent, fault }) => {
    const whole = { id: "i", tooling: TOOLING, groupKinds: [], groupResources: undefined, namespaces: [], ...parent };
    const found = faultOfParent(whole, { id: "i", tooling: TOOLING });

    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });

  it("is widened by what is new", () => {
    const known = { groupKinds: ["ConfigMap", "Role.rbac"], namespaces: ["z"] };

    expect(unionOf(known, inventoryOf(members))).toEqual({
      groupKinds: ["ConfigMap", "Deployment.apps", "Namespace", "Role.rbac"],
      namespaces: ["a", "b", "z"],
    });
  });
});

describe("toolNameOf", () => {
  it.each([
    ["kubectl/v1.37.0", "kubectl"],
    ["example.com/tool/v1", "example.com/tool"],
    ["kubectl", "kubectl"],
  ])("%s is %s", (tooling, name) => {
    expect(toolNameOf(tooling)).toBe(name);
  });
});
