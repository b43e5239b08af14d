import { type Command, DIRECTORY_OPERAND, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** Whether all fits together. */
export const fsckCommand: Command = {
  kind: "backed",
  name: "fsck",
  summary: "check that directory, cluster, ownership and history fit together",
  description:
    "Compares the directory with every object in the cluster that carries marks of this set, with who owns them, and with the last revision, and tells what is duplicate, missing, unproven, foreign, leaked, untracked or unrecorded. With --fix it mends what is safe: marks and managedFields entries; no value of an object, and no object, is created or deleted.",
  operands: [DIRECTORY_OPERAND],
  options: [{ name: "fix", help: "mend what is safe to mend" }, OUTPUT_OPTION],
  exitCodes: [
    { code: EXIT.ok, meaning: "all fits together, or was mended" },
    { code: EXIT.changes, meaning: "there are findings" },
  ],
  settings: "plan",
  takesDirectory: true,
  async run({ operations, settings, io, host, options }) {
    io.progress("listing every kind");
    const report = await operations.fsck(settings, options.get("fix") === "true", io);
    const { printReport } = await import("../print-report.ts");
    const { printFsck } = await import("../print-fsck.ts");
    printReport(host, options, { report, print: printFsck });
    return report.findings.every(({ isFixed }) => isFixed === true) ? EXIT.ok : EXIT.changes;
  },
};
