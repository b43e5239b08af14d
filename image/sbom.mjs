// The lists of what is in an image, from the packages that it was made of.
//   node image/sbom.mjs ARCH PACKAGES FOLDER
// writes into the layers in FOLDER: keelson/usr/share/sbom/keelson.spdx.json and, for the image that has the layer of the
// shell besides, shell/usr/share/sbom/kube-addon-manager.spdx.json (SPDX 2.3). SOURCE_DATE_EPOCH is the date of the lists, so
// that the same packages make the same lists.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [architecture, packages, folder] = process.argv.slice(2);
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
const program = readJson(join(root, "package.json"));

const sha256 = (content) => createHash("sha256").update(content).digest("hex");
const byName = (one, other) => (one.name < other.name ? -1 : 1);
const idOf = (name) => `SPDXRef-Package-${name.replace(/[^A-Za-z0-9.-]+/g, "-")}`;

function spdxPackage({ prefix, name, version, purl, supplier, licence, checksum }) {
  return {
    SPDXID: idOf(`${prefix}-${name}`),
    name,
    versionInfo: version,
    supplier,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: licence,
    copyrightText: "NOASSERTION",
    ...(checksum === undefined ? {} : { checksums: [checksum] }),
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}

/** A .deb of Debian's. Its licences are in its copyright file, in words that SPDX has no expression for. */
function debianPackage(file) {
  const [name, version, arch] = ["Package", "Version", "Architecture"].map((field) =>
    execFileSync("dpkg-deb", ["--field", file, field]).toString().trim(),
  );
  return spdxPackage({
    prefix: "deb",
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=trixie`,
    supplier: "Organization: Debian",
    licence: "NOASSERTION",
    checksum: { algorithm: "SHA256", checksumValue: sha256(readFileSync(file)) },
  });
}

/** An npm package that has Node.js itself. */
function nodePackage(file) {
  const { name, version } = JSON.parse(
    execFileSync("tar", ["--extract", "--gzip", "--to-stdout", "--file", file, "package/package.json"]).toString(),
  );
  return spdxPackage({
    prefix: "npm",
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    supplier: "NOASSERTION",
    licence: "MIT",
    checksum: { algorithm: "SHA256", checksumValue: sha256(readFileSync(file)) },
  });
}

/** The npm packages that the bundles contain, as the build lists them. */
function bundledPackages() {
  return readJson(join(root, "dist/third-party.json")).map(({ name, version, license }) => {
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    return spdxPackage({ prefix: "npm", name, version, purl, supplier: "NOASSERTION", licence: license });
  });
}

const self = spdxPackage({
  prefix: "keelson",
  name: program.name,
  version: program.version,
  purl: `pkg:npm/${program.name}@${program.version}`,
  supplier: "NOASSERTION",
  licence: program.license,
});
const related = (from, relationshipType, to) => ({ spdxElementId: from, relationshipType, relatedSpdxElement: to });

function writeList(image, layer, parts) {
  const content = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${image}-${program.version}-${architecture}`,
    creationInfo: {
      created: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString().replace(".000", ""),
      creators: [`Tool: ${program.name}-image`],
    },
    packages: [self, ...parts],
    relationships: [
      related("SPDXRef-DOCUMENT", "DESCRIBES", self.SPDXID),
      ...parts.map(({ SPDXID }) => related(self.SPDXID, "CONTAINS", SPDXID)),
    ],
  };
  // The name space must differ where the content does, and only there.
  const documentNamespace = `https://keelson.dev/spdx/${content.name}-${sha256(JSON.stringify(content)).slice(0, 32)}`;
  const out = join(folder, layer, "usr/share/sbom");
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, `${image}.spdx.json`), `${JSON.stringify({ ...content, documentNamespace }, null, 1)}\n`);
}

const files = readdirSync(packages).sort();
const parts = [
  ...files.filter((file) => file.endsWith(".deb")).map((file) => debianPackage(join(packages, file))),
  ...files.filter((file) => file.endsWith(".tgz")).map((file) => nodePackage(join(packages, file))),
  ...bundledPackages(),
].sort(byName);
// What only the layer of the shell has.
const ofShell = readdirSync(join(folder, "shell/var/lib/dpkg/status.d"));
writeList(
  "keelson",
  "keelson",
  parts.filter(({ name }) => !ofShell.includes(name)),
);
writeList("kube-addon-manager", "shell", parts);
