import { type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { REASON_OPTION } from "./rollback.ts";

/** Leaves something alone for a while. */
export const pauseCommand: Command = {
  kind: "backed",
  name: "pause",
  summary: "leave an object, or a file's objects, alone for a while",
  description:
    "Until the time is over nothing is written to the object (KIND/NAMESPACE/NAME or KIND/NAME), or to those that the file declares: drift and changes are reported, not repaired.",
  operands: [
    { name: "OBJECT|FILE", help: "an object, or a path of the directory (.yaml, .yml, .json)", required: true },
  ],
  options: [
    { name: "for", value: "DURATION", required: true, help: "how long: 30m, 2h, 1h30m; at most 24 days" },
    REASON_OPTION,
    OUTPUT_OPTION,
  ],
  exitCodes: [{ code: EXIT.ok, meaning: "the leader has been told" }],
  settings: "history",
  takesDirectory: false,
  async run({ operations, settings, io, host, options, operands }) {
    const asked = { what: operands[0] ?? "", lasting: options.get("for") ?? "", reason: options.get("reason") };
    const report = await operations.pause(settings, asked, io);
    const { printReport } = await import("../print-report.ts");
    const { printPause } = await import("../print-hold.ts");
    printReport(host, options, { report, print: printPause });
    return EXIT.ok;
  },
};
