import { type Command, type CommandOption, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { parseRevision, REVISION_OPERAND } from "../revision-operand.ts";

/** Why, for journal, history and status. */
export const REASON_OPTION: CommandOption = {
  name: "reason",
  value: "TEXT",
  help: "why, for history, journal and status",
};

/** Back to a revision. */
export const rollbackCommand: Command = {
  kind: "backed",
  name: "rollback",
  summary: "go back to a revision, and hold it",
  description:
    "The leader goes back to the revision at once and keeps it: changes of the directory are shown as waiting, not applied, until keelson resume. Refused where the API server no longer serves a kind of that revision.",
  operands: [REVISION_OPERAND],
  options: [REASON_OPTION, OUTPUT_OPTION],
  exitCodes: [
    { code: EXIT.ok, meaning: "the leader has been told" },
    { code: EXIT.user, meaning: "refused: there is no such revision, or its set cannot exist any more" },
  ],
  settings: "history",
  takesDirectory: false,
  async run({ operations, settings, io, host, options, operands }) {
    const revision = parseRevision(operands[0], "REV");
    const report = await operations.rollback(settings, { revision, reason: options.get("reason") }, io);
    const { printReport } = await import("../print-report.ts");
    const { printRollback } = await import("../print-hold.ts");
    printReport(host, options, { report, print: printRollback });
    return EXIT.ok;
  },
};
