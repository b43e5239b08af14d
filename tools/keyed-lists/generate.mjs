#!/usr/bin/env node
/**
 * Writes src/manifest/keyed-lists.json from the OpenAPI documents of the API server that kubectl is pointed at
 * (KUBECONFIG). Use one of the version in tools/control-plane/go.mod with nothing installed in it:
 *
 *   node tools/keyed-lists/generate.mjs
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { keyedLists } from "./table.mjs";

const target = new URL("../../src/manifest/keyed-lists.json", import.meta.url);

function get(path) {
  return JSON.parse(execFileSync("kubectl", ["get", "--raw", path], { encoding: "utf8", maxBuffer: 64 << 20 }));
}

const { gitVersion } = get("/version");
const paths = get("/openapi/v3").paths;
const documents = Object.values(paths).map((path) => get(path.serverRelativeURL));
const { kinds, types } = keyedLists(documents);
writeFileSync(target, `${JSON.stringify({ server: gitVersion, kinds, types }, null, 2)}\n`);
execFileSync("npx", ["biome", "format", "--write", fileURLToPath(target)], { stdio: "inherit" });
console.log(`${Object.keys(kinds).length} kinds, ${Object.keys(types).length} types`);
