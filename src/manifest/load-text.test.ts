import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf, parseJson } from "../object/index.ts";
import { lineOf, loadText } from "./index.ts";

const load = (text: string) => loadText(text, "a.yaml");

const labelled = (rest: string, kind = "ConfigMap", apiVersion = "v1"): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: x\n  labels:\n    addonmanager.kubernetes.io/mode: Reconcile\n${rest}`;

describe("loadText", () => {
  it("gives each object its identity, labels, our annotations, body, digest and place", () => {
    const text = [
      "# a comment",
      "---",
      "# another",
      "apiVersion: v1",
      "kind: ConfigMap",
      "metadata:",
      "  name: c",
      "  namespace: kube-system",
      "  labels: {app: dns}",
      "  annotations: {keelson.dev/prune: disabled, other: x}",
      "data: {n: '1'}",
      "big: 9007199254740993",
    ].join("\n");

    const { objects, problems } = load(text);

    expect(problems).toEqual([]);
    const [object] = objects;
    expect(object).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "c",
      namespace: "kube-system",
      labels: { app: "dns" },
      annotations: { "keelson.dev/prune": "disabled" },
      origin: { file: "a.yaml", line: 4 },
      warnings: [],
    });
    const body = parseJson(object?.body ?? "");
    expect(body).toMatchObject({ big: 9007199254740993n, metadata: { annotations: { other: "x" } } });
    expect(object?.digest).toBe(digestOf(body));
  });

  it("flattens lists, typed and nested ones too, and gives each item its line", () => {
    const text = [
      "apiVersion: v1",
      "kind: List",
      "items:",
      "- apiVersion: v1",
      "  kind: ConfigMapList",
      "  items:",
      "  - metadata: {name: a}",
      "  - metadata: {name: b}",
      "- {apiVersion: v1, kind: Secret, metadata: {name: s}}",
      "- apiVersion: v1",
      "  kind: List",
      "  items: []",
    ].join("\n");

    const { objects, problems } = load(text);

    expect(problems).toEqual([]);
    expect(objects.map(({ kind, name, origin }) => [kind, name, origin.line])).toEqual([
      ["ConfigMap", "a", 7],
      ["ConfigMap", "b", 8],
      ["Secret", "s", 9],
    ]);
  });

  it("keeps a kind that only ends in List without items an object", () => {
    expect(load("apiVersion: x.dev/v1\nkind: AllowList\nmetadata: {name: a}\n").objects).toHaveLength(1);
  });

  it.each([
    ["no mapping", "just text\n", 1, "a string stands where an object"],
    ["no kind", "replicas: 3\n", 1, "apiVersion is missing"],
    ["a kind that is no text", "apiVersion: v1\nkind: yes\n", 2, "kind is the boolean true: quote it"],
    ["no metadata", "apiVersion: v1\nkind: ConfigMap\n", 1, "metadata is missing"],
    [
      "a number for a name",
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 10\n",
      4,
      "metadata.name is the number 10",
    ],
    [
      "a boolean for a namespace",
      "apiVersion: v1\nkind: X\nmetadata:\n  name: x\n  namespace: on\n",
      5,
      "metadata.namespace",
    ],
    ["generateName alone", "apiVersion: v1\nkind: Job\nmetadata:\n  generateName: x-\n", 4, "a new object each time"],
  ])("makes a document with %s a problem that may hide objects", (_, text, line, message) => {
    const { objects, problems } = load(text);

    expect(objects).toEqual([]);
    expect(problems).toMatchObject([
      { code: "InvalidManifest", file: "a.yaml", line, holds: true, identity: undefined },
    ]);
    expect(problems[0]?.message).toContain(message);
  });

  it.each([
    ["labels", "  labels:\n    app: yes\n", 6, "metadata.labels.app is the boolean true: quote it"],
    ["annotations", "  annotations:\n    a: b\n    x: 1\n", 7, "metadata.annotations.x is the number 1"],
    ["labels", "  labels: [a]\n", 5, "metadata.labels is a list, not a mapping"],
  ])("names the field and line of %s that are no text, and the object that they are of", (_, rest, line, message) => {
    const { objects, problems } = load(`apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n${rest}`);

    expect(objects).toEqual([]);
    expect(problems).toMatchObject([{ line, holds: false, identity: { kind: "ConfigMap", name: "c" } }]);
    expect(problems[0]?.message).toContain(message);
  });

  it("gives items of one list problems of their own", () => {
    const { problems } = load("apiVersion: v1\nkind: List\nitems:\n- 1\n- kind: X\n- null\n");

    expect(new Set(problems.map(({ key }) => key)).size).toBe(3);
    expect(problems.map(({ line }) => line)).toEqual([1, 5, 1]);
  });

  it("knows a problem again by the document's text, wherever it stands in the file", () => {
    const [first] = load("a: [\n").problems;
    const [second] = load("# moved\n---\na: [\n").problems;

    expect(second?.key).toBe(first?.key);
    expect(second?.line).not.toBe(first?.line);
  });

  it("reads apiVersion and kind in another case, as kubectl does, and says so", () => {
    const { objects } = load("ApiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");

    expect(objects).toMatchObject([{ apiVersion: "v1", warnings: [{ line: 1 }] }]);
    expect(objects[0]?.body).toContain('"apiVersion":"v1"');
  });

  it("names the lines of what it changed", () => {
    const text = labelled(
      [
        "  uid: 0a0a",
        "spec:",
        "  template:",
        "    spec:",
        "      containers:",
        "      - name: c",
        "        env:",
        "        - {name: A, value: '1'}",
        "        - {name: A, value: '2'}",
      ].join("\n"),
      "Deployment",
      "apps/v1",
    );

    expect(load(text).objects[0]?.warnings).toEqual([
      { message: expect.stringContaining("exported from a cluster: metadata.uid"), line: 3 },
      { message: expect.stringContaining("env: name=A stands more than once"), line: 13 },
    ]);
  });
});

describe("placeholders in objects that parse", () => {
  const pod = (spec: string): string => labelled(`spec:\n${spec}`, "Pod");

  it.each([
    ["an image", pod("  containers:\n  - {name: c, image: 'x:__VERSION__'}\n"), 9],
    ["a label", labelled("").replace("Reconcile", "'{{ .Mode }}'"), 6],
    ["a host", pod("  nodeName: '{{ node }}'\n"), 8],
    ["a custom resource's image", labelled("spec: {image: '{{ image }}'}\n", "Thing", "x.dev/v1"), 7],
  ])("warns of %s of a labelled object, which is taken as it stands, as kubectl takes it", (_, text, line) => {
    const { objects, problems } = load(text);

    expect(problems).toEqual([]);
    expect(objects).toMatchObject([
      { name: "x", warnings: [{ line, message: expect.stringContaining("looks like an unrendered template") }] },
    ]);
  });

  it("looks at what names the object first", () => {
    const text = labelled("").replace("  name: x\n", "").replace("Reconcile", "__A__\n  name: __B__");

    expect(load(text).problems).toMatchObject([{ code: "UnrenderedTemplate", line: 6, holds: true }]);
  });

  it("holds prunes where the name is a placeholder: any object may be meant", () => {
    expect(load(labelled("").replace("name: x", "name: __NAME__")).problems).toMatchObject([
      { code: "UnrenderedTemplate", holds: true, identity: undefined },
    ]);
  });

  it.each([
    ["data", labelled("data: {a: '{{ x }}', b: __X__}\n")],
    ["annotations", labelled("  annotations: {a: '{{ x }}'}\n")],
    [
      "command, args and env",
      pod("  containers: [{name: c, command: ['{{ x }}'], args: [__X__], env: [{name: A, value: '{{ x }}'}]}]\n"),
    ],
    ["a custom resource's other fields", labelled("spec: {rule: '{{ $labels.x }}'}\n", "Rule", "x.dev/v1")],
    ["an object without our labels", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {nodeName: '{{ x }}'}\n"],
  ])("leaves %s alone", (_, text) => {
    expect(load(text)).toMatchObject({ problems: [], objects: [{ warnings: [] }] });
  });
});

describe("whatever a file holds", () => {
  const pieces = fc.constantFrom(
    ...'- : ? | > & * ! # [ ] { } , \n \t \' " \\ --- ... <<: a: 1 {{ }} __A__ \ufeff \u0085 \0 {"a": kind: List items: metadata: name: x'.split(
      " ",
    ),
    "\n  ",
    " ",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
  );

  it("is read to objects and problems with lines, without an exception", () => {
    const text = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 60 })), (source) => {
        const { objects, problems } = loadText(source, "a.yaml");

        for (const { line } of problems) expect(line).toBeGreaterThan(0);
        for (const { origin, body } of objects) {
          expect(origin.line).toBeGreaterThan(0);
          expect(parseJson(body)).toBeTypeOf("object");
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("lineOf", () => {
  const text = [
    "apiVersion: v1",
    "kind: ConfigMap",
    "metadata: {name: first}",
    "---",
    "apiVersion: apps/v1",
    "kind: Deployment",
    "metadata:",
    "  name: d",
    "  annotations:",
    "    a.b/c: x",
    "spec:",
    "  template:",
    "    spec:",
    "      containers:",
    "      - name: one",
    "      - name: two",
    "        image: x",
    "        ports:",
    "        - containerPort: 53",
    "          protocol: UDP",
    "        args: [a,",
    "          b]",
  ].join("\n");

  it.each([
    ["spec.template", 12],
    [".spec.template.spec.containers[1].image", 17],
    ['.spec.template.spec.containers[name="two"].ports', 18],
    ['spec.template.spec.containers[name=two].ports[containerPort=53,protocol="UDP"].protocol', 20],
    ['metadata.annotations["a.b/c"]', 10],
    ["metadata.annotations.a.b/c", 10],
    ["spec.template.spec.containers[1].args[1]", 22],
    ["spec.template.spec.containers[1].imagee", 16],
    ["nowhere.at.all", 5],
    ["", 5],
  ])("finds %s", (path, line) => {
    expect(lineOf(text, 5, path)).toBe(line);
  });

  it("finds the fields of an item of a list, and of JSON", () => {
    const list = '{"apiVersion":"v1","kind":"List","items":[\n{"kind":"A"},\n{"kind":"B",\n"spec":{\n"a":1}}]}';

    expect(lineOf(list, 3, "spec.a")).toBe(5);
  });

  it("knows of no object at another line", () => {
    expect(lineOf(text, 7, "spec")).toBeUndefined();
  });
});

describe("a Secret", () => {
  it.each(["data", "stringData"])(
    "with a %s entry that is no text is a problem that names the field and not the value",
    (field) => {
      const text = `apiVersion: v1\nkind: Secret\nmetadata: {name: x, labels: {addonmanager.kubernetes.io/mode: Reconcile}}\n${field}: {p: 987654321}\n`;

      const { objects, problems } = load(text);

      expect(objects).toEqual([]);
      expect(problems).toMatchObject([{ line: 4, holds: false, message: expect.stringContaining(`${field}.p`) }]);
      expect(problems[0]?.message).not.toContain("987654321");
    },
  );
});
