import { type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { parseRevision, REVISION_OPERAND } from "../revision-operand.ts";

/** One revision. */
export const showCommand: Command = {
  kind: "backed",
  name: "show",
  summary: "show one revision and its objects",
  description:
    "Shows a revision and every object of it with its file and line; with -o json or yaml also the manifests. Values of Secrets are masked.",
  operands: [REVISION_OPERAND],
  options: [OUTPUT_OPTION],
  exitCodes: [{ code: EXIT.user, meaning: "there is no such revision" }],
  settings: "history",
  takesDirectory: false,
  async run({ operations, settings, io, host, options, operands }) {
    const report = await operations.showRevision(settings, parseRevision(operands[0], "REV"), io);
    const { printReport } = await import("../print-report.ts");
    const { printRevision } = await import("../print-history.ts");
    printReport(host, options, { report, print: printRevision });
    return EXIT.ok;
  },
};
