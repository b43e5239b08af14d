// Builds the dashboard's pages of ui/ into dist/ui, with a packed copy of each file beside it, and keeps them small.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";

/** What a browser fetches for the first page: everything, packed. */
const MAX_PACKED_BYTES = 60 * 1024;
/** What would leave our own origin, or be forbidden by the content security policy. */
const FORBIDDEN = [
  /<script(?![^>]*\ssrc=)/i,
  /<style/i,
  /\sstyle=/i,
  /\son[a-z]+=/i,
  /(?:src|href)="(?:https?:)?\/\//i,
];

/** Builds into `folder`; how many bytes a browser fetches, and which files of the checkout they were made from. */
export async function buildPages(root, folder) {
  const { output } = await build({
    configFile: join(root, "ui/vite.config.ts"),
    logLevel: "warn",
    build: { outDir: folder, emptyOutDir: true },
  });
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const found = FORBIDDEN.filter((pattern) => pattern.test(html));
  if (found.length > 0) throw new Error(`dist/ui/index.html has what the pages must not have: ${found.join(" ")}`);
  let packed = gzipSync(html).length;
  for (const name of readdirSync(join(folder, "assets"))) {
    const path = join(folder, "assets", name);
    const bytes = gzipSync(readFileSync(path), { level: 9 });
    writeFileSync(`${path}.gz`, bytes);
    packed += bytes.length;
  }
  if (packed > MAX_PACKED_BYTES) {
    throw new Error(`the pages have ${Math.ceil(packed / 1024)} KiB packed, more than ${MAX_PACKED_BYTES / 1024}`);
  }
  const inputs = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return { bytes: packed, inputs: inputs.map((input) => relative(root, input)) };
}
