import { describe, expect, it } from "vitest";
import type { ApiResource } from "../kube/index.ts";
import { type GroupVersionKind, type KubeObject, parseJson } from "../object/index.ts";
import { bodyOf, type Declared, type DesiredInput, desiredTree, resolveDesired } from "./desired.ts";
import { IDENTITY, manifest, resource } from "./samples.case.ts";

const SERVED: readonly ApiResource[] = [
  resource("ConfigMap"),
  resource("Namespace", { namespaced: false }),
  resource("Deployment", { group: "apps" }),
];

const CONTEXT = {
  discovery: {
    find: async ({ group, version, kind }: GroupVersionKind): Promise<ApiResource | undefined> =>
      SERVED.find((each) => each.group === group && each.version === version && each.kind === kind),
  },
  defaultNamespace: "default",
};

function object(kind: string, name: string, parts: { namespace?: string; apiVersion?: string } = {}): KubeObject {
  const { namespace, apiVersion = "v1" } = parts;
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

function declared(of: KubeObject, file = "a.yaml", line = 1): Declared {
  return { manifest: manifest(of, { origin: { file, line } }), mode: "Reconcile" };
}

function input(objects: readonly Declared[], parts: Partial<DesiredInput> = {}): DesiredInput {
  return { declared: objects, mentioned: [], broken: [], isMissing: false, reduced: new Map(), ...parts };
}

describe("resolveDesired", () => {
  it.each([
    {
      name: "its own namespace",
      of: object("ConfigMap", "a", { namespace: "kube-system" }),
      key: "ConfigMap/kube-system/a",
    },
    { name: "the context's namespace", of: object("ConfigMap", "a"), key: "ConfigMap/default/a" },
    { name: "no namespace where cluster-scoped", of: object("Namespace", "a"), key: "Namespace//a" },
    {
      name: "the group in its key",
      of: object("Deployment", "a", { apiVersion: "apps/v1" }),
      key: "Deployment.apps/default/a",
    },
  ])("gives an object $name", async ({ of, key }) => {
    const { objects, remarks } = await resolveDesired(input([declared(of)]), CONTEXT);

    expect([...objects.keys()]).toEqual([key]);
    expect(objects.get(key)?.resource?.kind).toBe(of.kind);
    expect(remarks).toEqual([]);
  });

  it("drops the namespace of a cluster-scoped object, with a warning", async () => {
    const of = object("Namespace", "a", { namespace: "kube-system" });

    const { objects, remarks } = await resolveDesired(input([declared(of, "ns.yaml", 7)]), CONTEXT);

    const [namespace] = objects.values();
    expect(namespace?.key).toBe("Namespace//a");
    expect(remarks).toMatchObject([
      { severity: "warning", code: "NamespaceDropped", origin: { file: "ns.yaml", line: 7 } },
    ]);
  });

  it("uses the first of two declarations of one object, and names both places", async () => {
    const set = await resolveDesired(
      input([
        declared(object("ConfigMap", "a"), "a.yaml", 3),
        declared(object("ConfigMap", "a", { namespace: "default" }), "b.yaml", 9),
      ]),
      CONTEXT,
    );

    expect(set.objects.get("ConfigMap/default/a")?.origin).toEqual({ file: "a.yaml", line: 3 });
    expect(set.remarks).toMatchObject([
      {
        severity: "error",
        code: "DuplicateObject",
        origin: { file: "b.yaml", line: 9 },
        message: expect.stringContaining("a.yaml:3"),
      },
    ]);
  });

  it("keeps objects of one name in two namespaces or kinds apart", async () => {
    const { objects, remarks } = await resolveDesired(
      input([
        declared(object("ConfigMap", "a")),
        declared(object("ConfigMap", "a", { namespace: "x" })),
        declared(object("Namespace", "a")),
      ]),
      CONTEXT,
    );

    expect(objects.size).toBe(3);
    expect(remarks).toEqual([]);
  });

  it("keeps an object of an unknown kind, without a resource, as an error", async () => {
    const { objects, remarks } = await resolveDesired(
      input([declared(object("Widget", "a", { apiVersion: "x.dev/v1" }))]),
      CONTEXT,
    );

    expect(objects.get("Widget.x.dev/default/a")).toMatchObject({ resource: undefined });
    expect(remarks).toMatchObject([{ severity: "error", code: "NoMatch" }]);
  });

  it("takes what is as before from the set before, wherever it stands now", async () => {
    const a = declared(object("ConfigMap", "a"), "a.yaml");
    const b = declared(object("ConfigMap", "b"), "b.yaml");
    const c = declared(object("ConfigMap", "c"), "c.yaml");
    const before = await resolveDesired(input([a, b, c]), CONTEXT);
    const changed = { ...b, manifest: { ...b.manifest, digest: "v1:other" as const } };

    const same = await resolveDesired(input([changed, c, { ...a, mode: "EnsureExists" }]), CONTEXT, before);

    const key = (name: string): string => `ConfigMap/default/${name}`;
    expect(same.objects.get(key("c"))).toBe(before.objects.get(key("c")));
    expect(same.objects.get(key("b"))).toMatchObject({ digest: "v1:other" });
    expect(same.objects.get(key("a"))).toMatchObject({ mode: "EnsureExists" });
    expect([...same.objects.keys()]).toEqual([key("b"), key("c"), key("a")]);
  });

  it("finds an object anew whose kind is served otherwise than before", async () => {
    const widget = declared(object("Widget", "a", { apiVersion: "x.dev/v1" }));
    const before = await resolveDesired(input([widget]), CONTEXT);
    const widgets = resource("Widget", { group: "x.dev", namespaced: false });
    const served = { ...CONTEXT, discovery: { find: () => Promise.resolve(widgets) } };

    const after = await resolveDesired(input([widget]), served, before);

    expect([...after.objects.keys()]).toEqual(["Widget.x.dev//a"]);
    expect(after.remarks).toEqual([]);
  });

  it("does not take another version of a kind for the one that is asked for", async () => {
    const { objects } = await resolveDesired(
      input([declared(object("Deployment", "a", { apiVersion: "apps/v1beta1" }))]),
      CONTEXT,
    );

    expect([...objects.values()][0]?.resource).toBeUndefined();
  });

  it.each([
    { name: "namespaced", of: object("ConfigMap", "a"), keys: ["ConfigMap/default/a"] },
    { name: "cluster-scoped", of: object("Namespace", "a", { namespace: "x" }), keys: ["Namespace//a"] },
    {
      name: "of an unknown kind: either reading",
      of: object("Widget", "a", { apiVersion: "x.dev/v1" }),
      keys: ["Widget.x.dev/default/a", "Widget.x.dev//a"],
    },
    {
      name: "of another version",
      of: object("Deployment", "a", { apiVersion: "extensions/v1beta1", namespace: "x" }),
      keys: ["Deployment.extensions/x/a", "Deployment.extensions//a"],
    },
  ])("protects an object that is merely mentioned, $name", async ({ of, keys }) => {
    const { mentioned, objects } = await resolveDesired(input([], { mentioned: [manifest(of)] }), CONTEXT);

    expect([...mentioned]).toEqual(keys);
    expect(objects.size).toBe(0);
  });

  it.each([
    { name: "nothing is declared", parts: {}, objects: [], isEmpty: true },
    { name: "the directory is missing", parts: { isMissing: true }, objects: [], isEmpty: true },
    {
      name: "all is unlabelled",
      parts: { mentioned: [manifest(object("ConfigMap", "b"))] },
      objects: [],
      isEmpty: true,
    },
    { name: "something is declared", parts: {}, objects: [declared(object("ConfigMap", "a"))], isEmpty: false },
  ])("is empty where $name: $isEmpty", async ({ parts, objects, isEmpty }) => {
    expect((await resolveDesired(input(objects, parts), CONTEXT)).isEmpty).toBe(isEmpty);
  });

  it.each([
    { value: "allowed", mayRecreate: true },
    { value: "true", mayRecreate: false },
    { value: undefined, mayRecreate: false },
  ])("may re-create with keelson.dev/recreate: $value? $mayRecreate", async ({ value, mayRecreate }) => {
    const annotations = value === undefined ? {} : { "keelson.dev/recreate": value };
    const of = { manifest: manifest(object("ConfigMap", "a"), { annotations }), mode: "Reconcile" } as const;

    const { objects } = await resolveDesired(input([of]), CONTEXT);

    expect([...objects.values()][0]?.mayRecreate).toBe(mayRecreate);
  });
});

describe("desiredTree", () => {
  const only = async (of: Declared) => {
    const { objects } = await resolveDesired(input([of]), CONTEXT);
    const [first] = objects.values();
    if (first === undefined) throw new TypeError("no object");
    return first;
  };

  it("sets the namespace and the digest of a Reconcile object, and keeps its annotations", async () => {
    const of = { ...object("ConfigMap", "a"), metadata: { name: "a", annotations: { mine: "1" } } };

    const tree = desiredTree(await only(declared(of)), IDENTITY);

    expect(tree.metadata).toEqual({
      name: "a",
      namespace: "default",
      annotations: { mine: "1", "keelson.dev/applied": "v1:1" },
    });
  });

  it("drops the namespace of a cluster-scoped object", async () => {
    const tree = desiredTree(await only(declared(object("Namespace", "a", { namespace: "x" }))), IDENTITY);

    expect(tree.metadata.namespace).toBeUndefined();
  });

  it("puts no mark on an EnsureExists object", async () => {
    const tree = desiredTree(await only({ ...declared(object("ConfigMap", "a")), mode: "EnsureExists" }), IDENTITY);

    expect(tree.metadata).toEqual({ name: "a", namespace: "default" });
  });

  it("adds the marks of the set", async () => {
    const identity = { ...IDENTITY, decorate: (tree: object) => ({ ...tree, marked: true }) };

    expect(desiredTree(await only(declared(object("ConfigMap", "a"))), identity)).toMatchObject({ marked: true });
  });

  it("keeps big integers exact, and puts the uid in where it is known", async () => {
    const of = manifest(object("ConfigMap", "a"), {
      body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"n":9007199254740993}',
    });
    const tree = desiredTree(await only({ manifest: of, mode: "EnsureExists" }), IDENTITY);

    const text = bodyOf(tree, "u-1");

    expect(text).toContain("9007199254740993");
    expect(parseJson(text)).toMatchObject({ metadata: { uid: "u-1" } });
    expect(bodyOf(tree, undefined)).not.toContain("uid");
  });
});
