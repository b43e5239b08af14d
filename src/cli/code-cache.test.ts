import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CodeCache } from "./code-cache.ts";

const DATA = Buffer.from("compiled");
const isRoot = process.geteuid?.() === 0;

describe("CodeCache", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "keelson-code-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const cacheOf = (change: { command?: string; source?: string; environment?: Record<string, string> } = {}) =>
    CodeCache.of({ command: "apply", source: "program", environment: { HOME: home }, ...change });
  const directory = () => join(home, ".cache/keelson/code");
  const files = () => readdirSync(directory());
  const theFile = () => join(directory(), files()[0] ?? "");

  it("gives back what was written, to the same command of the same program alone", () => {
    expect(cacheOf()?.read()).toBeUndefined();

    cacheOf()?.write(DATA);

    expect(cacheOf()?.read()).toEqual(DATA);
    expect(cacheOf({ command: "plan" })?.read()).toBeUndefined();
    expect(cacheOf({ source: "another" })?.read()).toBeUndefined();
  });

  it("lies in XDG_CACHE_HOME where that is set", () => {
    const environment = { HOME: "/nowhere", XDG_CACHE_HOME: home };

    cacheOf({ environment })?.write(DATA);

    expect(readdirSync(join(home, "keelson/code"))).toHaveLength(1);
    expect(cacheOf({ environment })?.read()).toEqual(DATA);
  });

  it("keeps one file for each command and build, and removes what nobody has written for a day", () => {
    cacheOf({ source: "gone" })?.write(DATA);
    utimesSync(theFile(), new Date(0), new Date(0));
    cacheOf({ source: "old" })?.write(DATA);
    cacheOf({ command: "apply-not" })?.write(DATA);
    cacheOf()?.write(Buffer.from("newer"));

    expect(files()).toHaveLength(3);
    expect(cacheOf()?.read()).toEqual(Buffer.from("newer"));
    expect(cacheOf({ source: "old" })?.read()).toEqual(DATA);
  });

  it.each([
    ["a changed byte", () => writeFileSync(theFile(), readFileSync(theFile()).fill(1, 35, 36))],
    ["half of the file", () => writeFileSync(theFile(), readFileSync(theFile()).subarray(0, 20))],
    ["an empty file", () => writeFileSync(theFile(), "")],
    ["a file that others may write", () => chmodSync(theFile(), 0o666)],
  ])("does not trust %s, and replaces it", (_, spoil) => {
    cacheOf()?.write(DATA);
    spoil();
    expect(cacheOf()?.read()).toBeUndefined();

    cacheOf()?.write(DATA);

    expect(cacheOf()?.read()).toEqual(DATA);
  });

  it("does not trust a file of somebody else, nor write into a home of somebody else", ({ skip }) => {
    if (!isRoot) skip("only root can make files of somebody else");
    cacheOf()?.write(DATA);
    chownSync(theFile(), 12_345, 12_345);
    expect(cacheOf()?.read()).toBeUndefined();

    rmSync(join(home, ".cache"), { recursive: true });
    chownSync(home, 12_345, 12_345);
    cacheOf()?.write(DATA);

    expect(readdirSync(home)).toEqual([]);
  });

  it.for([
    ["a folder that others may write", false, (folder: string) => chmodSync(folder, 0o777)],
    ["a folder of somebody else", true, (folder: string) => chownSync(folder, 12_345, 12_345)],
    [
      "somebody else's link to a folder",
      true,
      (folder: string) => {
        renameSync(folder, `${folder}-there`);
        symlinkSync(`${folder}-there`, folder);
        lchownSync(folder, 12_345, 12_345);
      },
    ],
  ] as const)("neither reads nor writes below %s", ([what, needsRoot, spoil], { skip }) => {
    if (needsRoot && !isRoot) skip(`only root can make ${what}`);
    for (const folder of [join(home, ".cache"), join(home, ".cache/keelson"), directory()]) {
      rmSync(join(home, ".cache"), { recursive: true, force: true });
      cacheOf()?.write(DATA);
      spoil(folder);
      expect(cacheOf()?.read()).toBeUndefined();

      cacheOf({ command: "plan" })?.write(DATA);

      expect(readdirSync(directory())).toHaveLength(1);
    }
  });

  it("follows no link in the place of a file, and waits for no pipe", () => {
    cacheOf()?.write(DATA);
    const file = theFile();
    renameSync(file, join(home, "elsewhere"));
    symlinkSync(join(home, "elsewhere"), file);
    expect(cacheOf()?.read()).toBeUndefined();

    rmSync(file);
    spawnSync("mkfifo", [file]);
    expect(cacheOf()?.read()).toBeUndefined();

    cacheOf()?.write(DATA);

    expect(cacheOf()?.read()).toEqual(DATA);
  });

  it("does without where it cannot write", () => {
    writeFileSync(join(home, ".cache"), "a file");

    cacheOf()?.write(DATA);

    expect(cacheOf()?.read()).toBeUndefined();
    expect(readdirSync(home)).toEqual([".cache"]);
  });

  it("leaves no draft where the file cannot be put in place", () => {
    cacheOf()?.write(DATA);
    const file = theFile();
    rmSync(file);
    mkdirSync(file);

    cacheOf()?.write(DATA);

    expect(files().map((name) => join(directory(), name))).toEqual([file]);
  });

  it("is off where it is told so, where there is no home, and for what is no command", () => {
    expect(cacheOf({ environment: { HOME: home, KEELSON_CODE_CACHE: "off" } })).toBeUndefined();
    expect(cacheOf({ environment: {} })).toBeUndefined();
    expect(cacheOf({ environment: { HOME: "relative" } })).toBeUndefined();
    for (const command of ["", "../x", "--help", "APPLY"]) expect(cacheOf({ command })).toBeUndefined();
  });
});
