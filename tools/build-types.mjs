// Writes the types of the library (src/library/index.ts and what it refers to) into dist/types, one .d.ts for each file.
//   node tools/build-types.mjs
// isolatedDeclarations makes each file's types a matter of that file alone: no program is checked here, `npm run types`
// does that.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(root, "dist/types");
const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);

rmSync(out, { recursive: true, force: true });
const waiting = [join(root, "src/library/index.ts")];
const seen = new Set(waiting);
for (const file of waiting) {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, "utf8"), {
    fileName: file,
    compilerOptions: { ...options, stripInternal: true },
    reportDiagnostics: true,
  });
  if (diagnostics.length > 0) {
    process.stderr.write(ts.formatDiagnostics(diagnostics, { ...ts.sys, getCanonicalFileName: (name) => name }));
    process.exitCode = 1;
  }
  // Who imports the package resolves modules by the endings of JavaScript.
  const text = outputText.replaceAll(/(from |import\()"(\.[^"]*)\.ts"/g, (_, keyword, path) => {
    const imported = resolve(dirname(file), `${path}.ts`);
    if (!seen.has(imported)) {
      seen.add(imported);
      waiting.push(imported);
    }
    return `${keyword}"${path}.js"`;
  });
  const target = join(out, relative(join(root, "src"), file)).replace(/\.ts$/, ".d.ts");
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
process.stdout.write(`dist/types: ${seen.size} files\n`);
