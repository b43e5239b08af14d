import { type Command, DIRECTORY_OPERAND, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** Takes over what kubectl kept as an ApplySet. */
export const adoptCommand: Command = {
  kind: "backed",
  name: "adopt",
  summary: "take over a set that kubectl apply --applyset made",
  description:
    "Takes over the members of a kubectl ApplySet that the directory declares: the fields that kubectl applied and the label become this set's, and the parent names Keelson, so that kubectl refuses to apply and to prune from then on. -n is the parent's namespace. Members that the directory does not declare are listed and left alone; nothing is deleted.",
  operands: [
    { name: "PARENT", help: "the ApplySet's parent: KIND/NAME, or the name of a Secret", required: true },
    DIRECTORY_OPERAND,
  ],
  options: [
    {
      name: "field-manager",
      value: "NAME",
      fallback: "kubectl",
      help: "whose server-side applies made the members: what kubectl was given as --field-manager",
    },
    { name: "dry-run", help: "show what would be done, and write nothing" },
    OUTPUT_OPTION,
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "done; with --dry-run: it can be" },
    { code: EXIT.changes, meaning: "some members could not be adopted: repeat it" },
    { code: EXIT.user, meaning: "refused, with nothing written: not kubectl's, or its members cannot be listed" },
  ],
  settings: "plan",
  takesDirectory: true,
  async run({ operations, settings, io, host, options, operands }) {
    const what = {
      parent: operands[0] ?? "",
      fieldManager: options.get("field-manager") ?? "",
      isDryRun: options.get("dry-run") === "true",
    };
    const report = await operations.adopt(settings, what, io);
    const { printReport } = await import("../print-report.ts");
    const { printAdopt } = await import("../print-adopt.ts");
    printReport(host, options, { report, print: printAdopt });
    return report.members.every(({ error }) => error === undefined) ? EXIT.ok : EXIT.changes;
  },
};
