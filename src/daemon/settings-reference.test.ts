import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Setting } from "./setting.ts";
import { KUBECTL_FLAGS } from "./settings-kubectl.ts";
import { DEFAULT_PRUNE_LIST } from "./settings-prune-list.ts";
import { SETTINGS } from "./settings-table.ts";

const page = readFileSync(new URL("../../docs/reference/configuration.md", import.meta.url), "utf8");

/** The text below a heading, up to the next one of its level. */
function section(heading: string): string {
  const start = page.indexOf(`\n## ${heading}\n`);
  const end = page.indexOf("\n## ", start + 1);
  return page.slice(start, end < 0 ? undefined : end);
}

function rowsOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| flag |"));
}

const code = (text: string): string => `\`${text}\``;

function settingRow(setting: Setting<unknown>): string {
  const value = setting.value === undefined ? "" : ` ${setting.value}`;
  const flag = setting.flag === undefined ? "–" : code(`${setting.flag}${value}`);
  const variables = setting.environment.length === 0 ? "–" : setting.environment.map(code).join(", ");
  const cells = [flag, variables, setting.defaultText, setting.help, setting.accepts, setting.commands.join(", ")];
  return `| ${cells.join(" | ")} |`;
}

describe("docs/reference/configuration.md", () => {
  it("has a row for every setting, and no other", () => {
    expect(rowsOf(section("Settings"))).toEqual(Object.values(SETTINGS).map(settingRow));
  });

  it("has a row for every flag of kubectl, and no other", () => {
    const rows = KUBECTL_FLAGS.map(({ name, short, value, help }) => {
      const flag = code(`--${name}${value === undefined ? "" : ` ${value}`}`);
      return `| ${flag}${short === undefined ? "" : `, ${code(`-${short}`)}`} | ${help} |`;
    });

    expect(rowsOf(section("Cluster"))).toEqual(rows);
  });

  it("has the default prune list", () => {
    expect(section("Prune lists").split("```")[1]?.trim().split("\n")).toEqual(DEFAULT_PRUNE_LIST);
  });

  it("speaks of no variable that there is not", () => {
    const known = new Set(Object.values(SETTINGS).flatMap(({ environment }) => environment));
    const foreign = new Set(["KUBECONFIG", "XDG_STATE_HOME", "KEELSON_"]);
    const named = [...page.matchAll(/[`$]([A-Z][A-Z0-9]*_[A-Z0-9_]*|KUBECONFIG)/g)].map(([, name]) => name ?? "");

    expect(named.filter((name) => !known.has(name) && !foreign.has(name))).toEqual([]);
  });
});
