import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Files below a folder, but for what is generated or somebody else's. */
function filesBelow(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((name) => ending.test(name) && !name.includes("node_modules"));
}

const sources = filesBelow("src", /(?<![.]test|[.]case)[.]ts$/).filter((name) => !name.startsWith("src/apiserver"));
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "examples", "deploy"].flatMap((folder) => filesBelow(folder, /[.]md$/)),
];

/** What GitHub makes of a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/`/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

function isThere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  if (anchor === undefined || statSync(join(root, target)).isDirectory()) return true;
  return [...read(target).matchAll(/^#+ (.+)$/gm)].some(([, heading = ""]) => anchorOf(heading) === anchor);
}

describe("documentation", () => {
  it("links to pages and headings that there are", () => {
    const broken = pages.flatMap((page) => {
      const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
      return links.filter((link) => !/^[a-z]+:/.test(link) && !isThere(page, link)).map((link) => `${page}: ${link}`);
    });

    expect(broken).toEqual([]);
  });

  it("is reached from the README", () => {
    const linked = new Set<string>();
    const follow = (page: string): void => {
      if (linked.has(page)) return;
      linked.add(page);
      for (const [, link = ""] of read(page).matchAll(/\]\(([^)#\s]+\.md)(?:#[^)]*)?\)/g)) {
        const target = join(dirname(page), link);
        if (!/^[a-z]+:/.test(link) && existsSync(join(root, target))) follow(target);
      }
    };
    follow("README.md");

    expect(pages.filter((page) => /^docs\/(guides|reference)\//.test(page) && !linked.has(page))).toEqual([]);
  });

  it("lists every annotation and label of ours, and no other", () => {
    const written = sources.flatMap((path) =>
      [...read(path).matchAll(/"(keelson\.dev\/[a-z-]+)"/g)].map(([, name]) => name),
    );
    const listed = [...read("docs/reference/annotations.md").matchAll(/^\| `(keelson\.dev\/[a-z-]+)`/gm)].map(
      ([, name]) => name,
    );

    expect([...new Set(listed)].sort()).toEqual([...new Set(written)].sort());
  });

  it("lists every reason of an Event, and no other", () => {
    const reasons = new Set<string>();
    for (const path of sources.filter((name) => name.startsWith("src/controllers/"))) {
      const calls =
        /event\(\s*(?:"(?:Normal|Warning)"|[^"]+\? "Normal" : "Warning"), (?:.+\? )?"([A-Z]\w+)"(?: : "(\w+)")?/g;
      for (const [, first = "", second] of read(path).matchAll(calls)) {
        reasons.add(first);
        if (second !== undefined) reasons.add(second);
      }
      for (const [, reason = ""] of read(path).matchAll(/\{ reason: "([A-Z]\w+)", note/g)) reasons.add(reason);
    }
    const section = (page: string): string => page.slice(page.indexOf("## Events") + 1);
    const tables = [read("docs/reference/events.md"), section(read("docs/reference/sriov.md")).split("\n## ")[0] ?? ""];
    const listed = tables.flatMap((text) =>
      [...text.matchAll(/^\| ([A-Z]\w+) \| (?:Normal|Warning)/gm)].map(([, name]) => name),
    );

    expect(reasons.size).toBeGreaterThan(5);
    expect([...reasons].filter((reason) => !listed.includes(reason))).toEqual([]);
    const text = sources
      .filter((name) => name.startsWith("src/controllers/"))
      .map(read)
      .join("\n");
    expect(listed.filter((name) => !text.includes(`"${name}"`))).toEqual([]);
  });
});
