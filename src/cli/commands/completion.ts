import { KeelsonError } from "../../errors/index.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** A completion script. */
export const completionCommand: Command = {
  kind: "plain",
  name: "completion",
  summary: "print a completion script for a shell",
  description:
    "Prints a script that completes commands, options and their values. bash: source <(keelson completion bash). zsh: source <(keelson completion zsh). fish: keelson completion fish | source.",
  operands: [{ name: "SHELL", help: "bash, zsh or fish", required: true, words: SHELLS }],
  options: [],
  exitCodes: [],
  async run({ host, operands, commands }) {
    const shell = SHELLS.find((word) => word === operands[0]);
    if (shell === undefined) {
      throw new KeelsonError("InvalidFlag", `SHELL="${operands[0] ?? ""}": unknown; accepted: ${SHELLS.join(", ")}`, {
        object: "SHELL",
      });
    }
    const { completionScript } = await import("../completion-script.ts");
    host.stdout.write(completionScript(shell, commands, await host.loadBackend()));
    return EXIT.ok;
  },
};
