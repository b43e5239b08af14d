import { type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** The revisions of the set. */
export const historyCommand: Command = {
  kind: "backed",
  name: "history",
  summary: "list the revisions of the set",
  description:
    "Each desired set that was applied is a revision, kept in the cluster: when, why, what was added, changed and removed, and with what result.",
  operands: [],
  options: [OUTPUT_OPTION],
  exitCodes: [{ code: EXIT.ok, meaning: "also where there is no revision yet" }],
  settings: "history",
  takesDirectory: false,
  async run({ operations, settings, io, host, options }) {
    const report = await operations.history(settings, io);
    const { printReport } = await import("../print-report.ts");
    const { printHistory } = await import("../print-history.ts");
    printReport(host, options, { report, print: printHistory });
    return EXIT.ok;
  },
};
