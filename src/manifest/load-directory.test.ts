import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  DirectorySource,
  FileError,
  type FileSystem,
  loadDirectoryOnce,
  type ManifestSnapshot,
  nodeFileSystem,
} from "./index.ts";
import { configMap, names, useSourceBed } from "./source-bed.case.ts";

const bed = useSourceBed();

const once = (root = bed.path): Promise<ManifestSnapshot> => loadDirectoryOnce(root, bed.signal);

describe("loadDirectoryOnce", () => {
  it("reads yaml, yml and json at any depth, by path bytewise and then by line", async () => {
    bed.put("b.yml", `${configMap("b1")}---\n${configMap("b2")}`);
    bed.put("a/z.json", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"z"}}');
    bed.put("Z.yaml", configMap("upper"));
    bed.put("a-b.yaml", configMap("dash"));
    bed.put("notes.md", "# no manifest");

    const snapshot = await once();

    expect(snapshot.state).toEqual({ kind: "read" });
    expect(snapshot.objects.map(({ name, origin }) => [name, origin.file, origin.line])).toEqual([
      ["upper", "Z.yaml", 1],
      ["dash", "a-b.yaml", 1],
      ["z", "a/z.json", 1],
      ["b1", "b.yml", 1],
      ["b2", "b.yml", 8],
    ]);
    expect(snapshot.files).toBe(4);
    expect(snapshot.ignored.map(({ file }) => file)).toEqual(["notes.md"]);
  });

  it("reads hidden files and other cases of the ending, and skips what editors leave", async () => {
    bed.put(".hidden.yaml", configMap("hidden"));
    bed.put("LOUD.YAML", configMap("loud"));
    for (const name of [".a.yaml.swp", "a.yaml~", "#a.yaml#", "a.yaml.tmp", "4913"]) bed.put(name, configMap("left"));
    symlinkSync("nobody@nowhere.1", join(bed.path, ".#a.yaml"));

    const snapshot = await once();

    expect(names(snapshot)).toEqual(["hidden", "loud"]);
    expect(snapshot.problems).toEqual([]);
    expect(snapshot.ignored).toHaveLength(6);
    expect(snapshot.warnings).toEqual([
      { message: expect.stringContaining("addon manager skips it"), file: "LOUD.YAML", line: undefined },
    ]);
  });

  it("reads the other documents of a file with a broken one, and other files", async () => {
    bed.put("a.yaml", `${configMap("a1")}---\nbroken: [\n---\n${configMap("a2")}`);
    bed.put("b.yaml", configMap("b"));

    const snapshot = await once();

    expect(names(snapshot)).toEqual(["a1", "a2", "b"]);
    expect(snapshot.problems).toMatchObject([{ code: "InvalidYaml", file: "a.yaml", line: 9, holds: true }]);
  });

  it("takes a real path once, under its own name where it has one", async () => {
    bed.put("v1/x.yaml", configMap("x"));
    symlinkSync("v1", join(bed.path, "current"));
    symlinkSync("v1/x.yaml", join(bed.path, "a.yaml"));

    const snapshot = await once();

    expect(snapshot.objects.map(({ origin }) => origin.file)).toEqual(["v1/x.yaml"]);
  });

  it("follows links out of the directory, and cuts cycles", async () => {
    const outside = mkdtempSync(join(tmpdir(), "keelson-outside-"));
    try {
      writeFileSync(join(outside, "o.yaml"), configMap("o"));
      symlinkSync(bed.path, join(outside, "back"));
      symlinkSync(outside, join(bed.path, "linked"));
      symlinkSync(join(outside, "o.yaml"), join(bed.path, "zz.yaml"));
      symlinkSync(".", join(bed.path, "self"));
      bed.put("a.yaml", configMap("a"));

      const snapshot = await once();

      expect(snapshot.objects.map(({ origin }) => origin.file)).toEqual(["a.yaml", "linked/o.yaml"]);
      expect(snapshot.problems).toEqual([]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it("makes a dangling or endless link a problem of its path", async () => {
    symlinkSync("nowhere", join(bed.path, "a.yaml"));
    symlinkSync("loop", join(bed.path, "loop"));

    const { problems } = await once();

    expect(problems.map(({ file, code, holds, key }) => [file, code, holds, key])).toEqual([
      ["a.yaml", "Unreadable", true, "a.yaml@ENOENT"],
      ["loop", "Unreadable", true, "loop@ELOOP"],
    ]);
  });

  it("never opens a FIFO, and makes it a problem", async () => {
    execFileSync("mkfifo", [join(bed.path, "pipe.yaml")]);

    const { problems } = await once();

    expect(problems).toMatchObject([{ file: "pipe.yaml", code: "Unreadable", holds: true }]);
    expect(problems[0]?.message).toContain("a FIFO");
  });

  it("makes an empty directory named as a manifest a problem, and reads one that holds manifests", async () => {
    mkdirSync(join(bed.path, "gone.yaml"));
    mkdirSync(join(bed.path, "empty"));
    bed.put("sub.yaml/a.yaml", configMap("a"));

    const { objects, problems } = await once();

    expect(problems).toMatchObject([{ file: "gone.yaml", code: "Unreadable", holds: true }]);
    expect(objects.map(({ origin }) => origin.file)).toEqual(["sub.yaml/a.yaml"]);
  });

  it("reads a ConfigMap volume's objects once, from the version that ..data names", async () => {
    bed.put("..2026_01/a.yaml", configMap("a", "old"));
    bed.put("..2026_02/a.yaml", configMap("a", "new"));
    bed.put("..2026_02/sub/b.yaml", configMap("b"));
    symlinkSync("..2026_02", join(bed.path, "..data"));
    symlinkSync("..data/a.yaml", join(bed.path, "a.yaml"));
    symlinkSync("..data/sub", join(bed.path, "sub"));

    const snapshot = await once();

    expect(snapshot.objects.map(({ origin }) => origin.file)).toEqual(["a.yaml", "sub/b.yaml"]);
    expect(snapshot.objects[0]?.body).toContain('"new"');
  });

  it("keeps apart names that differ by case or by Unicode form", async () => {
    bed.put("A.yaml", configMap("upper"));
    bed.put("a.yaml", configMap("lower"));
    bed.put("\u00e9.yaml", configMap("nfc"));
    bed.put("e\u0301.yaml", configMap("nfd"));

    expect(names(await once())).toEqual(["upper", "lower", "nfd", "nfc"]);
  });

  it.each([
    ["absent", () => join(bed.path, "nowhere"), "ENOENT"],
    ["a file", () => bed.put("file", "x"), "ENOTDIR"],
  ])("gives the state missing for a root that is %s", async (_, root, error) => {
    expect(await once(root())).toMatchObject({ state: { kind: "missing", error }, objects: [], problems: [] });
  });

  it("makes a file above the size limit a problem without parsing it", async () => {
    bed.put("big.yaml", Buffer.alloc(20 * 1024 * 1024 + 1, "#"));

    expect((await once()).problems).toMatchObject([{ code: "LimitExceeded", file: "big.yaml", holds: true }]);
  });

  it("names an unreadable directory, file and root by the system's error", async () => {
    bed.put("good.yaml", configMap("good"));
    bed.put("locked/x.yaml", configMap("x"));
    bed.put("secret.yaml", configMap("secret"));
    const refuse = (path: string): never => {
      throw new FileError("EACCES", `permission denied: ${path}`);
    };
    // Tests may run as root, who may read everything.
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      list: (path) => (path.endsWith("locked") ? refuse(path) : nodeFileSystem.list(path)),
      read: (path, limit) => (path.endsWith("secret.yaml") ? refuse(path) : nodeFileSystem.read(path, limit)),
    };

    const source = new DirectorySource({ root: bed.path, settleMs: 0, fileSystem });
    const snapshot = await source.load(bed.signal);

    expect(names(snapshot)).toEqual(["good"]);
    expect(snapshot.problems.map(({ key, holds }) => [key, holds])).toEqual([
      ["locked@EACCES", true],
      ["secret.yaml@EACCES", true],
    ]);
  });
});

describe("DirectorySource.load", () => {
  it("takes files older than the settle time at once, and waits for younger ones", async () => {
    bed.putOld("old.yaml", configMap("old"));
    const source = new DirectorySource({ root: bed.path, settleMs: 60 });
    bed.put("young.yaml", configMap("young"));
    const before = performance.now();

    const snapshot = await source.load(bed.signal);

    expect(names(snapshot)).toEqual(["old", "young"]);
    expect(performance.now() - before).toBeGreaterThan(40);
  });

  it("gives up on a file that never rests, and says that its objects are unknown", async () => {
    bed.put("restless.yaml", configMap("a"));
    let size = 0n;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      stat: (path) => {
        const stat = nodeFileSystem.stat(path);
        size += 1n;
        return stat?.kind === "file" ? { ...stat, identity: `${stat.identity}${size}` } : stat;
      },
    };

    const source = new DirectorySource({ root: bed.path, settleMs: 20, loadPatienceMs: 100, fileSystem });
    const snapshot = await source.load(bed.signal);

    expect(snapshot.objects).toEqual([]);
    expect(snapshot.problems).toMatchObject([{ file: "restless.yaml", holds: true, digest: "unsettled" }]);
  });

  it("stops with Aborted when its signal fires", async () => {
    bed.put("a.yaml", configMap("a"));
    bed.abort();

    const source = new DirectorySource({ root: bed.path });

    await expect(source.load(bed.signal)).rejects.toMatchObject({ code: "Aborted" });
  });
});
