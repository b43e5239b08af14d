// The npm packages whose code is in the bundles: what their licences ask to be passed on, and what the lists of the
// images' content are made from.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// What the dashboard's pages are bundled from, which another tool does.
const OF_PAGES = ["preact", "@preact/signals", "@preact/signals-core"];

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * JSON, sorted by name: [{ name, version, license, texts }].
 *
 * @param {string} root the checkout
 * @param {readonly string[]} inputs paths of bundled files, relative to the root
 */
export function thirdParty(root, inputs) {
  const ofPages = existsSync(join(root, "ui")) ? OF_PAGES.map((name) => `node_modules/${name}/`) : [];
  const used = [...inputs, ...ofPages].map((input) => PACKAGE.exec(input)?.[1]);
  const folders = new Set(used.filter((folder) => folder !== undefined));
  const packages = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    return {
      name,
      version,
      license,
      texts: files.sort().map((file) => readFileSync(join(root, folder, file), "utf8")),
    };
  });
  packages.sort((one, other) => (`${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1));
  return `${JSON.stringify(packages, null, 1)}\n`;
}
