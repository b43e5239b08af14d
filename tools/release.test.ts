import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const CHANGELOG = "# Changelog\n\n## Unreleased\n\n### Added\n- Something.\n\n## 1.2.0, 2026-01-02\n\n- Before.\n";

describe("tools/release", () => {
  let checkout: string;

  const run = (program: string, ...args: readonly string[]) =>
    spawnSync(program, args, {
      cwd: checkout,
      encoding: "utf8",
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
    });
  const commit = () => {
    run("git", "add", "-A");
    run("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "It");
  };
  const release = (...args: readonly string[]) => run(join(checkout, "tools/release"), ...args);
  const read = (file: string) => readFileSync(join(checkout, file), "utf8");

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), "keelson-release-"));
    mkdirSync(join(checkout, "tools"));
    mkdirSync(join(checkout, "deploy"));
    writeFileSync(join(checkout, "deploy/pod.yaml"), "apiVersion: v1\nimage: registry.example/keelson:v1.2.0\n");
    writeFileSync(join(checkout, "deploy/Chart.yaml"), "name: it\nversion: 1.2.0\nappVersion: v1.2.0\nother: 1.2.0\n");
    cpSync(join(root, "tools/release"), join(checkout, "tools/release"));
    const named = { name: "it", version: "1.2.0" };
    writeFileSync(join(checkout, "package.json"), `${JSON.stringify(named, null, 2)}\n`);
    writeFileSync(
      join(checkout, "package-lock.json"),
      JSON.stringify({ ...named, lockfileVersion: 3, packages: { "": named } }),
    );
    writeFileSync(join(checkout, "CHANGELOG.md"), CHANGELOG);
    run("git", "init", "-q");
    commit();
  });
  afterEach(() => rmSync(checkout, { recursive: true, force: true }));

  it("sets the version and dates what was unreleased", () => {
    expect(release("--bump", "v1.3.0")).toMatchObject({ status: 0, stderr: "" });

    expect(JSON.parse(read("package.json")).version).toBe("1.3.0");
    expect(JSON.parse(read("package-lock.json"))).toMatchObject({
      version: "1.3.0",
      packages: { "": { version: "1.3.0" } },
    });
    expect(read("deploy/pod.yaml")).toBe("apiVersion: v1\nimage: registry.example/keelson:v1.3.0\n");
    expect(read("deploy/Chart.yaml")).toBe("name: it\nversion: 1.3.0\nappVersion: v1.3.0\nother: 1.2.0\n");
    expect(read("CHANGELOG.md")).toMatch(
      /^# Changelog\n\n## Unreleased\n\n## 1\.3\.0, \d{4}-\d\d-\d\d\n\n### Added\n- Something\.\n\n## 1\.2\.0, /,
    );
  });

  it.each([
    ["a version that is none", ["1.3", "registry"], "which version?"],
    ["no registry", ["1.3.0"], "where to?"],
    ["a version that comes before the current one", ["1.1.9", "registry"], "1.1.9 comes before 1.2.0"],
  ])("refuses %s", (_, args, message) => {
    expect(release(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });

  it("refuses a version that is tagged, and a checkout with changes", () => {
    run("git", "tag", "v1.2.0");
    expect(release("1.2.0", "registry").stderr).toContain("there is a tag v1.2.0 already");
    writeFileSync(join(checkout, "file"), "");
    expect(release("1.3.0", "registry").stderr).toContain("changes that are not committed");
  });

  it("finds the version of the package in all of this project's own manifests", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { stdout } = run("grep", "-rhoE", "(/keelson:v|^version: |^appVersion: v).*$", join(root, "deploy"));

    const named = stdout
      .trim()
      .split("\n")
      .map((line) => line.replace(/^.*: ?v?/, ""));
    expect(named.length).toBeGreaterThan(4);
    expect(new Set(named)).toEqual(new Set([version]));
  });

  it("refuses to release nothing", () => {
    writeFileSync(join(checkout, "CHANGELOG.md"), CHANGELOG.replace("### Added\n- Something.\n\n", ""));
    commit();

    expect(release("1.3.0", "registry").stderr).toContain("says nothing under Unreleased");
  });

  it("sets everything back where a step fails", () => {
    // There is no Makefile in this checkout: the first step fails.
    expect(release("1.3.0", "registry").status).not.toBe(0);

    expect(JSON.parse(read("package.json")).version).toBe("1.2.0");
    expect(read("CHANGELOG.md")).toBe(CHANGELOG);
    expect(run("git", "status", "--porcelain").stdout).toBe("");
  });
});
