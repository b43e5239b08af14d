import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "./command-list.ts";
import { commandsReference } from "./commands-reference.case.ts";
import { EXIT } from "./exit-codes.ts";

const page = readFileSync(new URL("../../docs/reference/cli.md", import.meta.url), "utf8");

describe("docs/reference/cli.md", () => {
  it("lists every command with its summary, and no other", () => {
    const rows = [...page.matchAll(/^\| `keelson ([a-z-]+)[^|]*\| (.+) \|$/gm)].map(([, name, summary]) => [
      name,
      summary,
    ]);

    expect(rows).toEqual(COMMANDS.map(({ name, summary }) => [name, summary]));
  });

  it("lists every exit code, and those of signals", () => {
    const codes = [...page.matchAll(/^\| (\d+(?:, \d+)*) \|/gm)].flatMap(([, code = ""]) =>
      code.split(", ").map(Number),
    );

    expect(codes).toEqual([...Object.values(EXIT), 130, 143, 141]);
  });

  it("says which commands take -o", () => {
    const sentence = page.split("\n").find((line) => line.includes("take `-o table|json|yaml`")) ?? "";
    const named = COMMANDS.filter(({ name }) => sentence.includes(`\`${name}\``)).map(({ name }) => name);

    expect(named).toEqual(
      COMMANDS.filter(({ options }) => options.some((option) => option.name === "output")).map(({ name }) => name),
    );
  });
});

describe("docs/reference/commands.md", () => {
  it("says what the commands' data say", async () => {
    await expect(commandsReference(COMMANDS)).toMatchFileSnapshot("../../docs/reference/commands.md");
  });
});
