import type { LintReport } from "../../daemon/index.ts";
import { type Command, DIRECTORY_OPERAND, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** The files alone. */
export const lintCommand: Command = {
  kind: "backed",
  name: "lint",
  summary: "check the files, without a cluster",
  description:
    "Reads the directory as the daemon would and tells every problem with its file and line. With --templates it is a folder of Go templates, as for --manifests of keelson run.",
  operands: [DIRECTORY_OPERAND],
  options: [
    { name: "templates", help: "the directory holds Go templates: check their syntax and their functions" },
    OUTPUT_OPTION,
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "no problems" },
    { code: EXIT.changes, meaning: "there are problems" },
  ],
  settings: "lint",
  takesDirectory: true,
  async run({ operations, settings, io, host, options }) {
    const isTemplates = options.get("templates") === "true";
    const report = isTemplates ? await lintTemplates(settings.addonPath) : await operations.lint(settings, io);
    const { printReport } = await import("../print-report.ts");
    const { printLint } = await import("../print-lint.ts");
    printReport(host, options, { report, print: printLint });
    return report.problems.length > 0 ? EXIT.changes : EXIT.ok;
  },
};

async function lintTemplates(root: string): Promise<LintReport> {
  const { TemplateFolder } = await import("../../manifest/index.ts");
  const problems = new TemplateFolder(root).lint();
  return { objects: [], problems: problems.map(({ file, line = 0, message }) => ({ file, line, message })) };
}
