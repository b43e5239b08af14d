import { KeelsonError } from "../../errors/index.ts";
import { type Command, DIRECTORY_OPERAND, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** What a pass would do. */
export const planCommand: Command = {
  kind: "backed",
  name: "plan",
  summary: "show what a pass would do, object by object",
  description:
    "Reads the directory and the cluster and shows what a pass would do, with the reason of each step and the fields that differ. Writes nothing. With --offline the cluster is a saved state (keelson sandbox --save), or an empty one.",
  operands: [DIRECTORY_OPERAND],
  options: [
    { name: "offline", help: "plan without a cluster: against --snapshot, or against an empty cluster" },
    { name: "snapshot", value: "PATH", help: "with --offline: the saved state to plan against" },
    {
      name: "explain",
      value: "OBJECT",
      help: "tell of one object (KIND/NAMESPACE/NAME) its file, what a pass would do, and who owns which field",
    },
    OUTPUT_OPTION,
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "the cluster is as declared" },
    { code: EXIT.changes, meaning: "there are changes" },
    { code: EXIT.user, meaning: "files have problems, so that the plan is not the whole of it" },
  ],
  settings: "plan",
  takesDirectory: true,
  async run({ operations, settings, io, host, options }) {
    const snapshot = options.get("snapshot");
    if (snapshot !== undefined && !options.has("offline")) {
      const message = `--snapshot="${snapshot}": only with --offline, which plans against it`;
      throw new KeelsonError("InvalidFlag", message, { object: "--snapshot" });
    }
    const object = options.get("explain");
    if (object !== undefined) {
      const explained = await operations.explain(settings, object, io);
      const { printReport: print } = await import("../print-report.ts");
      const { printExplain } = await import("../print-explain.ts");
      print(host, options, { report: explained, print: printExplain });
      return EXIT.ok;
    }
    const report = await (options.has("offline")
      ? operations.planOffline(settings, snapshot, io)
      : operations.plan(settings, io));
    const { printReport } = await import("../print-report.ts");
    const { printPlan } = await import("../print-plan.ts");
    printReport(host, options, { report, print: printPlan });
    const changes = report.steps.some(({ action }) => action !== "hold" && action !== "keep" && action !== "wait");
    if (report.problems.length > 0) return EXIT.user;
    return changes ? EXIT.changes : EXIT.ok;
  },
};
