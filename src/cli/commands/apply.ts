import { type Command, DIRECTORY_OPERAND, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** One pass. */
export const applyCommand: Command = {
  kind: "backed",
  name: "apply",
  summary: "make one pass, then exit",
  description:
    "Makes one pass as the daemon does: admission controls, add-ons, prune, with its holds and its leadership. Where another instance leads, nothing is written. With --plan exactly the steps of a reviewed plan are taken (without the admission controls), each on the very version of the object that was planned for.",
  operands: [DIRECTORY_OPERAND],
  options: [
    {
      name: "plan",
      value: "FILE",
      help: "take the steps of this plan (keelson plan -o json) and no others, or refuse; DIR defaults to the plan's",
    },
    OUTPUT_OPTION,
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "everything is as declared" },
    { code: EXIT.changes, meaning: "objects failed or files have problems; everything else was done" },
    { code: EXIT.user, meaning: "with --plan: the cluster or the directory moved since; nothing was written" },
    { code: EXIT.terminal, meaning: "another instance leads or acts; nothing was written" },
  ],
  settings: "apply",
  takesDirectory: true,
  async run({ operations, settings, io, host, options, operands }) {
    const plan = options.get("plan");
    const report = await (plan === undefined
      ? operations.apply(settings, io)
      : operations.applyPlan(settings, { plan, isDirectoryGiven: operands.length > 0 }, io));
    const { printReport } = await import("../print-report.ts");
    const { printApply } = await import("../print-apply.ts");
    printReport(host, options, { report, print: printApply });
    const failed = report.objects.some(({ outcome }) => outcome === "failed");
    return failed || report.problems.length > 0 ? EXIT.changes : EXIT.ok;
  },
};
