import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

describe("loadProgram", () => {
  let work: string;
  let caches: string;

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "keelson-load-"));
    caches = join(work, "cache/keelson/code");
    writeFileSync(
      join(work, "program.cjs"),
      `const { basename } = require("node:path");
       exports.say = (word) => word + " from " + basename(__filename) + " " + require("./part.cjs").part;`,
    );
    writeFileSync(join(work, "part.cjs"), `exports.part = "and its part";`);
    const contents = `import { loadProgram } from "./load-program.ts";
      const [command, isCached] = process.argv.slice(2);
      console.log(loadProgram(${JSON.stringify(join(work, "program.cjs"))}, { command, isCached: isCached !== "no" }).say("hello"));`;
    buildSync({
      stdin: { contents, resolveDir: import.meta.dirname },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: join(work, "main.mjs"),
    });
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));
  beforeEach(() => rmSync(join(work, "cache"), { recursive: true, force: true }));

  function run(args: readonly string[], flags: readonly string[] = [], NODE_OPTIONS = ""): string {
    const env = { ...process.env, XDG_CACHE_HOME: join(work, "cache"), NODE_OPTIONS };
    // It must be there to be this user's own.
    const { stdout, stderr } = spawnSync(
      "sh",
      [
        "-c",
        'mkdir -p "$XDG_CACHE_HOME"; exec "$@"',
        "sh",
        process.execPath,
        ...flags,
        join(work, "main.mjs"),
        ...args,
      ],
      { env, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    return stdout;
  }
  const HELLO = "hello from program.cjs and its part\n";
  const cached = () =>
    readdirSync(join(work, "cache"), { recursive: true }).filter((name) => `${name}`.endsWith(".jsc"));

  it("runs the same with and without what the last run compiled", () => {
    expect(run(["plan"])).toBe(HELLO);
    expect(cached()).toHaveLength(1);

    const [name = ""] = readdirSync(caches);
    const past = new Date(1_000_000);
    utimesSync(join(caches, name), past, past);
    expect(run(["plan"])).toBe(HELLO);

    // It was taken: only a run that could not use the file writes it.
    expect(statSync(join(caches, name)).mtime).toEqual(past);
  });

  it("keeps code that was compiled with other flags apart", () => {
    run(["plan"]);

    expect(run(["plan"], ["--no-opt"])).toBe(HELLO);
    expect(run(["plan"], [], "--no-deprecation")).toBe(HELLO);

    expect(cached()).toHaveLength(3);
  });

  it("replaces what V8 refuses", () => {
    run(["plan"]);
    const [name = ""] = readdirSync(caches);
    const data = Buffer.from("not V8's");
    writeFileSync(join(caches, name), Buffer.concat([createHash("sha256").update(data).digest(), data]));

    expect(run(["plan"])).toBe(HELLO);

    expect(readFileSync(join(caches, name)).length).toBeGreaterThan(100);
  });

  it("keeps nothing where it is not to, nor where Node.js is asked for source maps", () => {
    expect(run(["run", "no"])).toBe(HELLO);
    expect(run(["plan"], ["--enable-source-maps"])).toBe(HELLO);
    expect(run(["plan"], [], "--enable-source-maps")).toBe(HELLO);

    expect(cached()).toEqual([]);
  });
});
