// `npm run bench -- [flags]`: bundles the bench, which is TypeScript, for the Node that runs it, and starts it.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bundle = join(root, `node_modules/.keelson-bench-${process.pid}.mjs`);

await build({
  entryPoints: [join(root, "bench/main.ts")],
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
  // The bundle has no place of its own in the checkout; the fixture finds the checkout from where its source stands.
  define: { "import.meta.url": JSON.stringify(pathToFileURL(join(root, "test/control-plane/binaries.ts"))) },
});
process.once("exit", () => rmSync(bundle, { force: true }));
await import(pathToFileURL(bundle).href);
