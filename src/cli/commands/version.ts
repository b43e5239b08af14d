import { type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { VERSION, versionLine } from "../version.ts";

/** The version; `main.ts` answers the plain question by itself. */
export const versionCommand: Command = {
  kind: "plain",
  name: "version",
  summary: "print the version",
  description: "Prints the version of Keelson and of the Node.js that runs it.",
  operands: [],
  options: [OUTPUT_OPTION],
  exitCodes: [],
  async run({ host, options }) {
    const report = { version: VERSION, node: process.version, platform: `${process.platform}/${process.arch}` };
    const { printReport } = await import("../print-report.ts");
    printReport(host, options, { report, print: versionLine });
    return EXIT.ok;
  },
};
