import { type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** The end of a rollback's hold. */
export const resumeCommand: Command = {
  kind: "backed",
  name: "resume",
  summary: "end a rollback: keep the directory again",
  description: "The leader applies the directory again, with everything that waited while a revision was held.",
  operands: [],
  options: [OUTPUT_OPTION],
  exitCodes: [{ code: EXIT.ok, meaning: "the leader has been told; also where nothing was held" }],
  settings: "history",
  takesDirectory: false,
  async run({ operations, settings, io, host, options }) {
    const report = await operations.resume(settings, io);
    const { printReport } = await import("../print-report.ts");
    const { printResume } = await import("../print-hold.ts");
    printReport(host, options, { report, print: printResume });
    return EXIT.ok;
  },
};
