import { type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { parseRevision } from "../revision-operand.ts";

/** Two revisions. */
export const diffCommand: Command = {
  kind: "backed",
  name: "diff",
  summary: "show what differs between two revisions",
  description: "Shows, field by field, what changed from revision A to revision B. Values of Secrets are masked.",
  operands: [
    { name: "A", help: "number of the earlier revision", required: true },
    { name: "B", help: "number of the later revision; default: the newest" },
  ],
  options: [OUTPUT_OPTION],
  exitCodes: [
    { code: EXIT.ok, meaning: "whether they differ or not" },
    { code: EXIT.user, meaning: "there is no such revision" },
  ],
  settings: "history",
  takesDirectory: false,
  async run({ operations, settings, io, host, options, operands }) {
    const from = parseRevision(operands[0], "A");
    const to = operands[1] === undefined ? undefined : parseRevision(operands[1], "B");
    const report = await operations.diffRevisions(settings, { from, to }, io);
    const { printReport } = await import("../print-report.ts");
    const { printRevisionDiff } = await import("../print-history.ts");
    printReport(host, options, { report, print: printRevisionDiff });
    return EXIT.ok;
  },
};
