import type { StatusReport } from "../../daemon/index.ts";
import { escapeControls } from "../../log/index.ts";
import { type BackedInvocation, type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** What the daemon says of itself. */
export const statusCommand: Command = {
  kind: "backed",
  name: "status",
  summary: "show what the daemon says of itself",
  description:
    "Reads the daemon's own record in the cluster: its add-ons by file, what is not as declared or not ready, what is held, and why; and asks whether the daemon still runs. With --watch it goes on: a live view on a terminal, one line for each change elsewhere, one JSON object for each with -o json.",
  operands: [],
  options: [{ name: "watch", short: "w", help: "go on showing changes, until stopped" }, OUTPUT_OPTION],
  exitCodes: [{ code: EXIT.ok, meaning: "there is a record, whatever it says" }],
  settings: "status",
  takesDirectory: false,
  async run(invocation) {
    const { operations, settings, io, host, options } = invocation;
    if (options.get("watch") === "true") return watch(invocation);
    const report = await operations.status(settings, io);
    const { printReport } = await import("../print-report.ts");
    const { printStatus } = await import("../print-status.ts");
    printReport(host, options, { report, print: printStatus });
    return EXIT.ok;
  },
};

/** Clears the screen and what scrolled off it, and goes home. */
const CLEAR = "\u001b[H\u001b[2J\u001b[3J";

async function watch({ operations, settings, io, host, options }: BackedInvocation): Promise<number> {
  const { formatYaml, paintFor } = await import("../print-report.ts");
  const { printStatus, statusLines } = await import("../print-status.ts");
  const format = options.get("output");
  let before: StatusReport | undefined;
  const show = (report: StatusReport | undefined): string => {
    if (report === undefined) return "no daemon has written a status for this set yet\n";
    if (format === "json") return `${escapeControls(JSON.stringify(report))}\n`;
    if (format === "yaml") return `---\n${formatYaml(report)}`;
    if (host.stdout.isTerminal) return CLEAR + fitted(printStatus(report, paintFor(host)), host.stdout.rows);
    return statusLines(before, report)
      .map((line) => `${escapeControls(line)}\n`)
      .join("");
  };
  await operations.watchStatus(
    settings,
    (report) => {
      host.progress.clear();
      host.stdout.write(show(report));
      before = report;
      return false;
    },
    io,
  );
  return EXIT.ok;
}

/** A view that is longer than the screen loses its end, not its head. */
function fitted(text: string, rows: number | undefined): string {
  const lines = text.split("\n");
  if (rows === undefined || lines.length <= rows) return text;
  return `${lines.slice(0, rows - 2).join("\n")}\n… ${lines.length - rows + 1} more lines\n`;
}
