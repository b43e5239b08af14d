import { KeelsonError } from "../../errors/index.ts";
import { type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** Ends a pause before its time. */
export const unpauseCommand: Command = {
  kind: "backed",
  name: "unpause",
  summary: "end a pause before its time",
  description: "What has drifted or changed meanwhile is repaired and applied at once.",
  operands: [{ name: "OBJECT|FILE", help: "what is paused, as it was named to pause, or as status lists it" }],
  options: [{ name: "all", help: "end every pause of the set" }, OUTPUT_OPTION],
  exitCodes: [
    { code: EXIT.ok, meaning: "the leader has been told" },
    { code: EXIT.user, meaning: "it is not paused" },
  ],
  settings: "history",
  takesDirectory: false,
  async run({ operations, settings, io, host, options, operands }) {
    const [what] = operands;
    if ((what === undefined) !== options.has("all")) {
      const message = "accepted: an object or a file, or --all for every pause";
      throw new KeelsonError("InvalidFlag", `OBJECT|FILE="${what ?? ""}": ${message}`, { object: "OBJECT|FILE" });
    }
    const report = await operations.unpause(settings, what, io);
    const { printReport } = await import("../print-report.ts");
    const { printUnpause } = await import("../print-hold.ts");
    printReport(host, options, { report, print: printUnpause });
    return EXIT.ok;
  },
};
