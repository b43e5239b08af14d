import { describe, expect, test } from "vitest";
import { fieldDiff } from "./field-diff.ts";
import { deployment, liveOf, withValue } from "./managed-fields/samples.case.ts";
import type { KubeObject } from "./types.ts";

const podSpec = ["spec", "template", "spec"];

function custom(list: unknown): KubeObject {
  return { apiVersion: "x.dev/v1", kind: "X", metadata: { name: "x" }, list };
}

describe("fieldDiff", () => {
  test("is empty for equal objects, whatever the server keeps about them", () => {
    expect(fieldDiff(deployment(), liveOf(deployment(), {}))).toEqual(
      fieldDiff(deployment(), withValue(deployment(), [...podSpec, "containers", 0, "ports", 1, "protocol"], "TCP")),
    );
    expect(fieldDiff(deployment(), deployment(), { ignore: [] })).toEqual([]);
  });

  test("names changed, added and removed fields by the keys of their items", () => {
    let after = withValue(deployment(), [...podSpec, "containers", 0, "image"], "new");
    after = withValue(after, ["metadata", "labels", "app.kubernetes.io/name"], "dns");
    after = withValue(after, [...podSpec, "containers", 0, "env", 0], undefined);

    expect(fieldDiff(deployment(), after)).toEqual([
      { path: 'metadata.labels["app.kubernetes.io/name"]', before: undefined, after: "dns" },
      { path: "spec.template.spec.containers[name=dns].image", before: "registry.example/dns:v1", after: "new" },
      {
        path: "spec.template.spec.containers[name=dns].env[name=A]",
        before: { name: "A", value: "1" },
        after: undefined,
      },
    ]);
  });

  test("says that a list changed its order", () => {
    const [first, second] = [
      { name: "a", v: 1 },
      { name: "b", v: 2 },
    ];

    expect(fieldDiff(custom([first, second]), custom([second, first]))).toEqual([
      { path: "list", before: ["name=a", "name=b"], after: ["name=b", "name=a"] },
    ]);
  });

  test.each([
    [
      "ports by number and protocol",
      [
        { port: 53, protocol: "UDP" },
        { port: 53, protocol: "TCP" },
      ],
      "port=53,protocol=TCP",
    ],
    [
      "mounts by path",
      [
        { name: "v", mountPath: "/a" },
        { name: "v", mountPath: "/b" },
      ],
      "mountPath=/b",
    ],
    ["tolerations by key", [{ key: "a" }, { key: "b" }], "key=b"],
  ])("pairs %s", (_, list, key) => {
    expect(fieldDiff(custom(list), custom(list.slice(0, 1)))).toMatchObject([{ path: `list[${key}]` }]);
  });

  test("pairs items without keys by position, and shows a list of scalars whole", () => {
    const rules = [{ verbs: ["get"] }, { verbs: ["get"] }];

    expect(fieldDiff(custom(rules), custom([{ verbs: ["get"] }, { verbs: ["list"] }]))).toEqual([
      { path: "list[1].verbs", before: ["get"], after: ["list"] },
    ]);
    expect(fieldDiff(custom(["a", { b: 1 }]), custom(["a"]))).toHaveLength(1);
  });

  test("takes an absent side for an object without fields", () => {
    expect(fieldDiff(undefined, custom([])).map(({ path }) => path)).toEqual([
      "apiVersion",
      "kind",
      "metadata",
      "list",
    ]);
    expect(fieldDiff(custom([]), undefined)).toHaveLength(4);
  });

  test("leaves out what it is told to, with all below", () => {
    const after = withValue(withValue(deployment(), ["spec", "replicas"], 9), ["metadata", "labels", "x"], "y");

    expect(fieldDiff(deployment(), after, { ignore: ["spec", "metadata.labels"] })).toEqual([]);
  });

  test("never shows a value of a Secret", () => {
    const secret = (data: object): KubeObject => ({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data });
    const changes = fieldDiff(secret({ a: "old", b: "same", c: "gone" }), secret({ a: "new", b: "same", d: "added" }));

    expect(changes).toEqual([
      { path: "data.a", before: "***", after: "*** (changed)" },
      { path: "data.c", before: "***", after: undefined },
      { path: "data.d", before: undefined, after: "***" },
    ]);
  });
});
