import { describe, expect, it } from "vitest";
import { keyedLists } from "./table.mjs";

const ref = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/io.k8s.api.core.v1.${name}` }] });
const plainRef = (name: string) => ({ $ref: `#/components/schemas/io.k8s.api.core.v1.${name}` });
const keyed = (name: string, ...keys: readonly string[]) => ({
  items: plainRef(name),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
});

const gvk = (group: string, kind: string) => ({
  "x-kubernetes-group-version-kind": [{ group, version: "v1", kind }],
});

const schemas = {
  "io.k8s.api.core.v1.Thing": {
    properties: {
      metadata: ref("Meta"),
      spec: ref("Spec"),
      status: { properties: {}, ...ref("Spec") },
      plain: { type: "string" },
    },
    ...gvk("x.io", "Thing"),
  },
  "io.k8s.api.core.v1.ThingList": { properties: { metadata: ref("Meta") }, ...gvk("x.io", "ThingList") },
  "io.k8s.api.core.v1.Meta": { properties: { finalizers: { "x-kubernetes-list-type": "set", items: {} } } },
  "io.k8s.api.core.v1.Spec": {
    properties: {
      ports: keyed("Port", "port", "protocol"),
      parts: { items: plainRef("Part") },
      byName: { additionalProperties: plainRef("Part") },
      dull: ref("Dull"),
      list: { items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
    },
  },
  "io.k8s.api.core.v1.Port": { properties: { port: { default: 0 }, protocol: { default: "TCP" } } },
  "io.k8s.api.core.v1.Part": { properties: { self: ref("Part"), env: keyed("Dull", "name") } },
  "io.k8s.api.core.v1.Dull": { properties: { name: { default: "" } } },
};

describe("keyedLists", () => {
  it("keeps what leads to a keyed list, by kind, and no status", () => {
    expect(keyedLists([{ components: { schemas } }, {}])).toEqual({
      kinds: { "x.io/v1/Thing": "core.v1.Thing" },
      types: {
        "core.v1.Meta": { finalizers: ["", "*"] },
        "core.v1.Part": { env: ["", "name"], self: "core.v1.Part" },
        "core.v1.Spec": {
          byName: ["core.v1.Part"],
          parts: ["core.v1.Part"],
          ports: ["", "port", "protocol=TCP"],
        },
        "core.v1.Thing": { metadata: "core.v1.Meta", spec: "core.v1.Spec" },
      },
    });
  });
});
