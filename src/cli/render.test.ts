import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "./test-host.case.ts";

function folder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "keelson-render-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .name }}}\ndata: {a: "{{ .a }}"}\n';

describe("keelson render", () => {
  it("prints the objects of a folder as YAML", async () => {
    const root = folder({ "a.yaml": CONFIG_MAP, "b.yaml": "kind: Secret\napiVersion: v1\nmetadata: {name: s}", v: "" });
    writeFileSync(join(root, "v"), "name: x\na: 1\n");

    const { code, out, err } = await runCli(["render", root, "-f", join(root, "v")]);

    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: '1'\n---\nkind: Secret\napiVersion: v1\nmetadata:\n  name: s\n",
    );
  });

  it("prints the text of one file as it is", async () => {
    const root = folder({ "a.txt": "{{ .none }}|{{ len .list }}\n", v: '{"list": [1, 2]}' });
    const args = ["render", join(root, "a.txt"), "-f", join(root, "v"), "--text"];

    const { code, out } = await runCli([...args, "--missingkey", "default", "--functions", "builtin"]);

    expect({ code, out }).toEqual({ code: 0, out: "<no value>|2\n" });
  });

  it("prints what it can, and exits with 1 where a template is broken", async () => {
    const root = folder({ "a.yaml": CONFIG_MAP, "b.yaml": "kind: Secret\napiVersion: v1\nmetadata: {name: s}" });

    const { code, out, err } = await runCli(["render", root]);

    expect(code).toBe(1);
    expect(out).toContain("kind: Secret");
    expect(err).toMatch(/^keelson: a\.yaml:3: .*map has no entry for key "name"\n$/);
  });

  it.each([
    { args: ["/nowhere"], code: 3 },
    { args: ["/tmp", "--text"], code: 2 },
    { args: ["/tmp", "-f", "/nowhere"], code: 3 },
  ])("refuses $args", async ({ args, code }) => {
    expect((await runCli(["render", ...args])).code).toBe(code);
  });
});

describe("keelson lint --templates", () => {
  it("tells broken templates with file and line, and has nothing to say of good ones", async () => {
    const good = await runCli(["lint", "--templates", folder({ "a.yaml": "{{ .x | quote }}" }), "-o", "json"]);
    const bad = await runCli(["lint", "--templates", folder({ "a.yaml": "\n{{ nofunc }}" }), "-o", "json"]);

    expect([good.code, JSON.parse(good.out).problems]).toEqual([0, []]);
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out).problems).toMatchObject([
      { file: "a.yaml", line: 2, message: expect.stringContaining('function "nofunc" not defined') },
    ]);
  });
});
