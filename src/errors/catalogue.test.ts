import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "./index.ts";

const ROOT = join(import.meta.dirname, "..", "..");

function documented(): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, "docs/reference/errors.md"), "utf8");
  const rows = [...text.matchAll(/^\| (\w+) +\| (\w+) +\| (.+?) +\|$/gm)].filter(([, code]) => code !== "code");
  return new Map(rows.map(([, code = "", disposition, meaning]) => [code, `${disposition}: ${meaning}`]));
}

function sources(): readonly string[] {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !/\.(test|case)\.ts$/.test(file) && !file.endsWith("taxonomy.ts"))
    .map((file) => readFileSync(join(ROOT, "src", file), "utf8"));
}

describe("the catalogue of errors", () => {
  it("is documented with the same words, in both directions", () => {
    const inCode = Object.entries(ERROR_CODES).map(([code, { disposition, meaning }]) => [
      code,
      `${disposition}: ${meaning}`,
    ]);

    expect(documented()).toEqual(new Map(inCode as [string, string][]));
  });

  it("has no code that nothing uses", () => {
    const text = sources().join("\n");

    const unused = Object.keys(ERROR_CODES).filter((code) => !text.includes(`"${code}"`));

    expect(unused).toEqual([]);
  });

  it("is the only class of errors that is thrown", () => {
    const bare = sources().filter((text) => /throw new (?:Error|TypeError|RangeError)\(/.test(text));

    expect(bare).toEqual([]);
  });
});
