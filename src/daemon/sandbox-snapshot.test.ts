import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseSnapshot, readSnapshot, saveSnapshot } from "./sandbox-snapshot.ts";

const FORMAT = "keelson.dev/cluster-snapshot-1";
const metadata = { name: "a", namespace: "default", resourceVersion: "2" };
const object = { apiVersion: "v1", kind: "ConfigMap", metadata };

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-snapshot-"));
});

afterAll(() => rmSync(directory, { recursive: true }));

describe("a snapshot file", () => {
  it("brings back what was saved, big integers included", async () => {
    const path = join(directory, "state.json");
    const snapshot = {
      revision: 7,
      tables: { configmaps: [object, { ...object, metadata: { ...metadata, name: "b" } }] },
    };
    const big = { ...object, apiVersion: "x.test/v1", kind: "Big", spec: { size: 2n ** 60n } };

    await saveSnapshot(path, { ...snapshot, tables: { ...snapshot.tables, "bigs.x.test": [big] } });

    expect(await readSnapshot(path)).toEqual({ ...snapshot, tables: { ...snapshot.tables, "bigs.x.test": [big] } });
  });

  it("is the owner's alone, and leaves no partial file", async () => {
    const path = join(directory, "private.json");

    await saveSnapshot(path, { revision: 1, tables: {} });

    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("is missed with its path", async () => {
    await expect(readSnapshot(join(directory, "none.json"))).rejects.toMatchObject({
      code: "Unreadable",
      message: expect.stringContaining("none.json"),
    });
  });

  it.each([
    ["no JSON", "{", "no JSON"],
    ["another document", '{"kind":"List"}', `"format" is not ${FORMAT}`],
    ["a list", "[]", `"format" is not ${FORMAT}`],
    ["no revision", JSON.stringify({ format: FORMAT, tables: {} }), '"revision"'],
    ["a revision that is none", JSON.stringify({ format: FORMAT, revision: -1, tables: {} }), '"revision"'],
    ["no tables", JSON.stringify({ format: FORMAT, revision: 1 }), '"tables"'],
    ["a table that is no list", JSON.stringify({ format: FORMAT, revision: 1, tables: { pods: {} } }), "tables.pods"],
    ["a strange table", JSON.stringify({ format: FORMAT, revision: 1, tables: { "Pods/": [] } }), '"Pods/"'],
    [
      "an object without name",
      JSON.stringify({ format: FORMAT, revision: 1, tables: { pods: [object, {}] } }),
      "pods[1]",
    ],
    [
      "an object twice",
      JSON.stringify({ format: FORMAT, revision: 1, tables: { pods: [object, object] } }),
      "default/a",
    ],
  ])("is refused for %s, and says where", (_, text, words) => {
    expect(() => parseSnapshot("state.json", text)).toThrow(
      expect.objectContaining({ code: "InvalidManifest", message: expect.stringContaining(words) }),
    );
  });
});
