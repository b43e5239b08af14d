import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseJson } from "../object/index.ts";
import { readValues } from "./read-values.ts";
import { TemplateFolder } from "./template-folder.ts";

function folderOf(files: Readonly<Record<string, string>>): TemplateFolder {
  const root = mkdtempSync(join(tmpdir(), "keelson-templates-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return new TemplateFolder(root);
}

const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
const named = (kind: string, name: string): string => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\n`;

describe("TemplateFolder", () => {
  it("renders YAML and JSON to the same object", () => {
    const json = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } });

    const { objects, problems } = folderOf({ "a.yaml": POD, "b.json": json }).render({});

    expect(problems).toEqual([]);
    expect(objects.map(({ body }) => parseJson(body))).toEqual([JSON.parse(json), JSON.parse(json)]);
  });

  it("takes manifest files alone, folder by folder in lexical order", () => {
    const files = {
      "b/two.yml": named("ConfigMap", "two"),
      "a-rule.yaml": named("Secret", "rule"),
      "a.yaml": `${POD}---\n${named("Service", "s")}`,
      "b.json": "{}\n",
      "notes.txt": "{{",
    };

    const { objects, problems } = folderOf(files).render({});

    expect(objects.map(({ kind }) => kind)).toEqual(["Secret", "Pod", "Service", "ConfigMap"]);
    expect(problems).toMatchObject([{ file: "b.json", message: expect.stringContaining("in what it renders to") }]);
  });

  it.each([
    { name: "a blank result", text: "{{ if .on }}x{{ end }}\n\n" },
    { name: "comments alone", text: "# nothing\n---\n# here\n" },
  ])("renders $name to nothing", ({ text }) => {
    expect(folderOf({ "a.yaml": text }).render({ on: false })).toEqual({ objects: [], problems: [] });
  });

  it("makes no object of an empty document that a condition leaves in front", () => {
    const text = `{{ if .on }}\n${POD}{{ end }}\n---\n${named("Service", "s")}`;

    const { objects } = folderOf({ "a.yaml": text }).render({ on: true });

    expect(objects.map(({ kind }) => kind)).toEqual(["Pod", "Service"]);
  });

  it.each([
    { text: "a\n{{ .none }}", line: 2, why: 'map has no entry for key "none"' },
    { text: "{{ nofunc }}", line: 1, why: 'function "nofunc" not defined' },
    { text: "a: [", line: 2, why: "in what it renders to" },
  ])("names file and line of $why", ({ text, line, why }) => {
    const { objects, problems } = folderOf({ "bad.yaml": text, "good.yaml": POD }).render({});

    expect(problems).toMatchObject([{ file: "bad.yaml", line, message: expect.stringContaining(why), holds: true }]);
    expect(objects).toHaveLength(1);
  });

  it("knows getOr and isSet", () => {
    const text = '{{ getOr . "a" "x" }} {{ getOr . "empty" "x" }} {{ getOr . "none" "x" }} {{ isSet . "none" }}';

    expect(folderOf({ "a.yaml": text }).renderText("a.yaml", { a: "1", empty: "" })).toEqual({
      kind: "text",
      text: "1 x x false",
    });
  });

  it("reads a changed file anew", () => {
    const folder = folderOf({ "a.yaml": POD });
    folder.render({});
    writeFileSync(join(folder.root, "a.yaml"), named("Secret", "b"));

    expect(folder.render({}).objects.map(({ kind }) => kind)).toEqual(["Secret"]);
  });

  it("tells a missing folder", () => {
    expect(folderOf({}).render({}, "none").problems).toMatchObject([{ code: "Unreadable", file: "none" }]);
  });

  it("lints without values", () => {
    expect(folderOf({ "a.yaml": "{{ .x }}", "b.yaml": "\n{{ if }}" }).lint()).toMatchObject([
      { code: "InvalidTemplate", file: "b.yaml", line: 2 },
    ]);
  });
});

describe("readValues", () => {
  it("reads YAML and JSON", () => {
    expect(readValues("a: [1, x]", "v.yaml")).toEqual({ a: [1, "x"] });
    expect(readValues('{"a": true}', "v.json")).toEqual({ a: true });
    expect(readValues("", "v.yaml")).toEqual({});
  });

  it.each(["- a\n", "a: 1\n---\nb: 2\n", "a: ["])("refuses %j", (text) => {
    expect(() => readValues(text, "v.yaml")).toThrow(expect.objectContaining({ code: "InvalidYaml" }));
  });
});
