import { readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { KeelsonError, messageOf } from "../../errors/index.ts";
import type { Problem, RenderOptions } from "../../manifest/index.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

const FUNCTIONS = ["builtin", "sprig"] as const;
const MISSING_KEYS = ["default", "zero", "error"] as const;

/** What templates make of values. */
export const renderCommand: Command = {
  kind: "plain",
  name: "render",
  summary: "show what templates render to, without a cluster",
  description:
    "Renders the Go templates of a folder (.yaml, .yml and .json, in lexical order), or one of them, and prints the objects as YAML. Values stand in a YAML or JSON file.",
  operands: [{ name: "PATH", help: "folder of templates, or one template", required: true }],
  options: [
    { name: "values", short: "f", value: "FILE", help: "YAML or JSON file of what the templates are given" },
    { name: "text", help: "print the rendered text of one template as it is" },
    {
      name: "functions",
      value: "NAMES",
      words: FUNCTIONS,
      fallback: "sprig",
      help: "Go's own functions only, or sprig's and getOr, isSet, toYaml, include besides",
    },
    {
      name: "missingkey",
      value: "HOW",
      words: MISSING_KEYS,
      fallback: "error",
      help: "what a variable that is not there means",
    },
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "everything was rendered" },
    { code: EXIT.changes, meaning: "templates have problems; everything else was printed" },
  ],
  async run({ host, operands, options }) {
    const [path = ""] = operands;
    const { TemplateFolder, readValues } = await import("../../manifest/index.ts");
    const valuesFile = options.get("values");
    const data = valuesFile === undefined ? {} : readValues(readInput(valuesFile), valuesFile);
    const isFolder = isDirectory(path);
    const folder = new TemplateFolder(isFolder ? path : dirname(path), renderOptions(options));
    if (options.get("text") === "true") {
      if (isFolder) throw new KeelsonError("InvalidFlag", `--text: "${path}" is a folder; name one template of it`);
      const rendered = folder.renderText(basename(path), data);
      if (rendered.kind === "text") host.stdout.write(rendered.text);
      else host.stderr.write(problemLine(rendered.problem));
      return rendered.kind === "text" ? EXIT.ok : EXIT.changes;
    }
    const { objects, problems } = folder.render(data, isFolder ? "" : basename(path));
    const { formatYaml } = await import("../print-report.ts");
    const { parseJson } = await import("../../object/index.ts");
    host.stdout.write(objects.map(({ body }) => formatYaml(parseJson(body))).join("---\n"));
    for (const problem of problems) host.stderr.write(problemLine(problem));
    return problems.length === 0 ? EXIT.ok : EXIT.changes;
  },
};

function renderOptions(options: ReadonlyMap<string, string>): RenderOptions {
  const functions = FUNCTIONS.find((word) => word === options.get("functions"));
  const missingKey = MISSING_KEYS.find((word) => word === options.get("missingkey"));
  return { ...(functions && { functions }), ...(missingKey && { missingKey }) };
}

function problemLine({ file, line, message }: Problem): string {
  return `keelson: ${file}${line === undefined ? "" : `:${line}`}: ${message}\n`;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new KeelsonError("Unreadable", `${path}: ${messageOf(error)}`, { object: path, cause: error });
  }
}

function readInput(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new KeelsonError("Unreadable", `${file}: ${messageOf(error)}`, { object: file, cause: error });
  }
}
