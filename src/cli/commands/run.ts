import type { Command } from "../command.ts";

/** The daemon. */
export const runCommand: Command = {
  kind: "backed",
  name: "run",
  summary: "keep the cluster's add-ons as declared, until stopped",
  description:
    "Keeps the add-ons of a directory true in the cluster. Reads the environment variables of the addon manager; every one has a flag. SIGTERM and SIGINT stop it in good order, a second one at once; SIGHUP reads the directory anew.",
  operands: [],
  options: [],
  exitCodes: [{ code: 0, meaning: "stopped by a signal, in good order" }],
  settings: "run",
  takesDirectory: false,
  run: ({ operations, settings, io }) => operations.run(settings, io),
};
