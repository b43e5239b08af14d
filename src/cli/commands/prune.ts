import { KeelsonError } from "../../errors/index.ts";
import { type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** Releases held deletes. */
export const pruneCommand: Command = {
  kind: "backed",
  name: "prune",
  summary: "confirm deletes that are held",
  description:
    "Releases the held objects that `keelson status` lists under DIGEST; the daemon then deletes them. A list that has changed since is refused.",
  operands: [],
  options: [
    {
      name: "confirm",
      value: "DIGEST",
      required: true,
      help: "digest of the held list, as status and plan print it",
    },
    OUTPUT_OPTION,
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "released" },
    { code: EXIT.user, meaning: "refused: the held list is another one by now" },
  ],
  settings: "prune",
  takesDirectory: false,
  async run({ operations, settings, io, host, options }) {
    const digest = options.get("confirm") ?? "";
    if (digest === "") {
      throw new KeelsonError("InvalidFlag", '--confirm="": empty; accepted: the digest that keelson status prints', {
        object: "--confirm",
      });
    }
    const report = await operations.confirmPrune(settings, digest, io);
    const { printReport } = await import("../print-report.ts");
    const { printConfirm } = await import("../print-confirm.ts");
    printReport(host, options, { report, print: printConfirm });
    return EXIT.ok;
  },
};
