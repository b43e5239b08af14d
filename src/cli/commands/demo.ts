import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { operationIo } from "../operation-io.ts";

/** A tour. */
export const demoCommand: Command = {
  kind: "plain",
  name: "demo",
  summary: "show the daemon at work on a cluster of its own",
  description:
    "A tour of some seconds: an API server and the daemon in this process, on a copy of the example add-ons. Things come to be, drift is repaired, a broken file is held, a removed one is pruned. Needs no cluster, uses loopback only, and leaves nothing behind.",
  operands: [],
  options: [{ name: "keep", help: "stay up at the end, until ctrl-C, for trying things with kubectl" }],
  exitCodes: [{ code: EXIT.ok, meaning: "everything went as the tour tells" }],
  async run({ host, options }) {
    const { operations } = await host.loadBackend();
    const { printStatus } = await import("../print-status.ts");
    const { printReport } = await import("../print-report.ts");
    const io = await operationIo(host, "warn");
    await operations.demo(
      {
        keep: options.has("keep"),
        say: (line) => host.stdout.write(`${line}\n`),
        sayStatus: (report) => printReport(host, new Map([["output", "table"]]), { report, print: printStatus }),
      },
      io,
    );
    return EXIT.ok;
  },
};
