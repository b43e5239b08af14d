import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { KeelsonError } from "../errors/index.ts";
import type { DataFile } from "./schema/index.ts";

/** Where the data file lies: beside this source, and beside the bundle. */
const CANDIDATES = ["./data/builtin.json", "./builtin.json", "../src/apiserver/data/builtin.json"];

/** Reads the data file of built-in kinds. Throws `Unreadable` where it is missing. */
export async function loadDataFile(path?: string): Promise<DataFile> {
  const urls = path === undefined ? CANDIDATES.map((candidate) => new URL(candidate, import.meta.url)) : [path];
  const found = urls.find((url) => existsSync(url));
  if (found === undefined) {
    throw new KeelsonError("Unreadable", `the data file of built-in kinds is missing: looked for ${urls.join(", ")}`);
  }
  const data: DataFile = JSON.parse(await readFile(found, "utf8"));
  return data;
}
