import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const MAX_PACKED = 1024 * 1024;

interface Packed {
  readonly filename: string;
  readonly version: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** The fenced examples of the library's page, and what each says that it prints. */
const examples = [
  ...readFileSync(join(root, "docs/reference/library.md"), "utf8").matchAll(
    /\n## (.+)\n[\s\S]*?```js\n(import [\s\S]*?)```/g,
  ),
]
  .map(([, title = "", code = ""]) => ({ title, code }))
  .filter(({ title }) => title !== "Library");

const printed = (code: string): string =>
  [...code.matchAll(/\/\/ (.*)$/gm)].map(([, text = ""]) => text.trim()).join("\n");

describe("the package", () => {
  let work: string;
  let project: string;
  let packed: Packed;

  // An empty home and cache, and no network: what the tarball lacks is not to be had.
  const run = (program: string, args: readonly string[], cwd = project): SpawnSyncReturns<string> =>
    spawnSync(program, args, {
      cwd,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH ?? "",
        HOME: work,
        npm_config_cache: join(work, "cache"),
        npm_config_offline: "true",
      },
    });

  const mustRun = (program: string, args: readonly string[], cwd?: string): string => {
    const { status, stdout, stderr } = run(program, args, cwd);
    expect({ program, args, status, stdout, stderr }).toMatchObject({ status: 0 });
    return stdout;
  };

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "keelson-package-"));
    project = join(work, "project");
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), '{"name": "empty", "private": true, "type": "module"}');
    // Without prepack, which builds: other suites are using dist/.
    mustRun("node", ["tools/build-types.mjs"], root);
    [packed] = JSON.parse(mustRun("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", work], root));
    mustRun("npm", ["install", "--no-audit", "--no-fund", join(work, packed.filename)]);
  }, 120_000);

  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it("is small and holds program, templates, definitions and types", () => {
    const paths = packed.files.map(({ path }) => path);

    expect(packed.size).toBeLessThan(MAX_PACKED);
    for (const path of [
      "bin/keelson",
      "dist/keelson.js",
      "dist/program.cjs",
      "dist/library.js",
      "dist/types/library/index.d.ts",
      "dist/third-party.json",
      "templates/sriov/operator-webhook/server.yaml",
      "deploy/crds/sriovoperatorconfigs.yaml",
      "LICENSE",
    ])
      expect(paths).toContain(path);
    expect(paths.filter((path) => /^(src|test|node_modules)\/|[.]map$|[.]meta[.]json$/.test(path))).toEqual([]);
  });

  it("installs into an empty project without a network, and nothing with it", () => {
    expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["keelson"]);
  });

  it("runs as keelson and as a plug-in of kubectl", () => {
    const bin = join(project, "node_modules/.bin");

    expect(mustRun(join(bin, "keelson"), ["version"])).toMatch(`keelson ${packed.version} `);
    expect(mustRun(join(bin, "kubectl-keelson"), ["plan", "--help"])).toContain("Usage: kubectl keelson plan");
  });

  it("has all that its commands need", () => {
    const keelson = join(project, "node_modules/.bin/keelson");
    const examples = join(project, "node_modules/keelson/examples");

    expect(mustRun(keelson, ["lint", join(examples, "addons")])).toContain("0 problems");
    expect(existsSync(join(project, "node_modules/keelson/templates/sriov"))).toBe(true);
    // The embedded API server and its data.
    const { status, stdout, stderr } = run(keelson, ["plan", join(examples, "addons"), "--offline"]);
    expect({ status, stdout, stderr }).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/create ConfigMap intranet\/banner/),
    });
  });

  it.each(examples)("does what its page says: $title", ({ title, code }) => {
    const file = join(project, `${title.replaceAll(" ", "-")}.js`);
    writeFileSync(file, code);

    expect(mustRun("node", [file]).replaceAll(/ +$/gm, "").trim()).toBe(printed(code));
  });

  it("documents an example for each part", () => {
    const parts = ["Reader", "Template renderer", "Embedded API server", "Ownership", "Engine"];
    expect(examples.map(({ title }) => title)).toEqual(parts);
  });

  it("names every function and class of the library on its page", async () => {
    const page = readFileSync(join(root, "docs/reference/library.md"), "utf8");
    const library = await import(join(project, "node_modules/keelson/dist/library.js"));

    expect(Object.keys(library).filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
  });

  it("has types that a strict project compiles the examples with", () => {
    for (const { title, code } of examples) writeFileSync(join(project, `${title.replaceAll(" ", "-")}.js`), code);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      allowJs: true,
      checkJs: true,
      target: "es2023",
      lib: ["es2023"],
      module: "nodenext",
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.js"] }));

    const { status, stdout } = run("node", [join(root, "node_modules/typescript/bin/tsc"), "-p", project]);

    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });
});
