// Bundles the program into dist/: keelson.js, which only knows its version and loads program.cjs for everything else;
// beside them the embedded API server (apiserver.cjs and the data of built-in kinds), which only sandbox, demo and offline
// plans load, and the metrics (metrics.cjs), which only the daemon loads. None needs node_modules. What keelson.js loads is
// CommonJS, as V8's compiled code of that can be kept between two runs. library.js is what other programs import;
// third-party.json names the npm packages that the bundles contain, with their licences. ui/ holds the dashboard's pages.
//   node tools/build.mjs [--metafile]
import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildPages } from "./build-pages.mjs";
import { thirdParty } from "./third-party.mjs";

const MAX_BYTES = 1024 * 1024;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// Not esbuild's own splitting: it would make a file of every import() there is, and a daemon must not find out later that
// a file was replaced meanwhile.
const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/(apiserver|metrics)\/index\.ts$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${basename(dirname(path))}.cjs`, external: true } : undefined,
    );
  },
};

const common = {
  bundle: true,
  platform: "node",
  target: "node20.11",
  // What is not there need not be parsed at each start. The map beside it is read only where Node is asked to
  // (--enable-source-maps), and then stacks name files and functions of src/.
  minifyWhitespace: true,
  minifySyntax: true,
  minifyIdentifiers: true,
  legalComments: "none",
  metafile: true,
  sourcemap: true,
  sourcesContent: false,
  define: { KEELSON_VERSION: JSON.stringify(version) },
  logLevel: "warning",
};

const modules = {
  format: "esm",
  // CommonJS dependencies call require() for Node's own modules.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
};

const commonJs = {
  format: "cjs",
  supported: { "dynamic-import": false },
  define: { ...common.define, "import.meta.url": "__moduleUrl" },
  // Strict mode by a directive, which must come first.
  banner: { js: '"use strict";var __moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
};

const outputs = {
  "keelson.js": { ...modules, entryPoints: [join(root, "src/cli/main.ts")] },
  "program.cjs": { ...commonJs, entryPoints: [join(root, "src/cli/start.ts")], plugins: [apart] },
  "apiserver.cjs": { ...commonJs, entryPoints: [join(root, "src/apiserver/index.ts")] },
  "metrics.cjs": { ...commonJs, entryPoints: [join(root, "src/metrics/index.ts")] },
  // With its names: stacks in other people's programs can be read, and errors are printed as what they are.
  "library.js": { ...modules, entryPoints: [join(root, "src/library/index.ts")], minifyIdentifiers: false },
};
let isTooLarge = false;
const wide = [];
const inputs = [];
for (const [name, options] of Object.entries(outputs)) {
  const outfile = join(root, "dist", name);
  const { metafile } = await build({ ...common, ...options, outfile });
  if (process.argv.includes("--metafile")) writeFileSync(`${outfile}.meta.json`, JSON.stringify(metafile));
  inputs.push(...Object.keys(metafile.inputs));
  const bytes = statSync(outfile).size;
  process.stdout.write(`dist/${name}: ${Math.ceil(bytes / 1024)} KiB, version ${version}\n`);
  isTooLarge ||= bytes > MAX_BYTES;
  // One such character, and V8 keeps the whole source at two bytes each for as long as the program runs.
  if (/[^\0-\x7f]/.test(readFileSync(outfile, "utf8"))) wide.push(name);
}
copyFileSync(join(root, "src/apiserver/data/builtin.json"), join(root, "dist/builtin.json"));
const pages = await buildPages(root, join(root, "dist/ui"));
process.stdout.write(`dist/ui: ${Math.ceil(pages.bytes / 1024)} KiB packed\n`);
inputs.push(...pages.inputs);
writeFileSync(join(root, "dist/third-party.json"), thirdParty(root, inputs));
if (isTooLarge) {
  process.stderr.write(`a bundle is larger than ${MAX_BYTES / 1024} KiB: see what came in with --metafile\n`);
  process.exit(1);
}
if (wide.length > 0) {
  process.stderr.write(`${wide.join(", ")}: characters beyond ASCII: write them as \\u escapes\n`);
  process.exit(1);
}
