import type { StatusReport } from "../../daemon/index.ts";
import { isAborted, isKeelsonError, KeelsonError } from "../../errors/index.ts";
import { escapeControls } from "../../log/index.ts";
import { type BackedInvocation, type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** How long it must stay so: a change of the directory takes about as long to show in the status. */
const STEADY_MS = 2_000;

/** For scripts: until all is as it should be. */
export const waitCommand: Command = {
  kind: "backed",
  name: "wait",
  summary: "wait until the add-ons are as declared, or ready",
  description:
    "Waits until the daemon's status says, for two seconds on end, that every object is as declared (converged) or also that every one is ready by the rules of kstatus, and no file is broken.",
  operands: [],
  options: [
    {
      name: "for",
      value: "STATE",
      words: ["ready", "converged"],
      fallback: "ready",
      help: "what to wait for",
    },
    { name: "timeout", value: "DURATION", fallback: "5m", help: "how long at most: 30s, 5m" },
    OUTPUT_OPTION,
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "it is so" },
    { code: EXIT.transient, meaning: "the time is over; what is missing is said on stderr" },
  ],
  settings: "status",
  takesDirectory: false,
  async run(invocation) {
    const { io, host, options, durationMs } = invocation;
    const isReady = options.get("for") !== "converged";
    const timeoutMs = durationMs("--timeout", options.get("timeout") ?? "5m");
    await warnWhereNobodyRuns(invocation);
    const end = AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMs)]);
    let last: StatusReport | undefined;
    while (!end.aborted) {
      const isThere = await until(invocation, end, (report) => {
        last = report;
        const lacking = report === undefined ? "no status yet" : missing(report, isReady);
        io.progress(`waiting: ${escapeControls(lacking ?? "steady?")}`);
        return lacking === undefined;
      });
      if (!isThere) break;
      const steady = AbortSignal.any([end, AbortSignal.timeout(STEADY_MS)]);
      const hasChanged = await until(invocation, steady, (report) => {
        last = report;
        return report === undefined || missing(report, isReady) !== undefined;
      });
      if (hasChanged || end.aborted || last === undefined) continue;
      const { printReport } = await import("../print-report.ts");
      const { printStatus } = await import("../print-status.ts");
      printReport(host, options, { report: last, print: printStatus });
      return EXIT.ok;
    }
    if (io.signal.aborted) return EXIT.transient;
    const lacking = last === undefined ? "no daemon has written a status" : (missing(last, isReady) ?? "not for long");
    const message = `not ${isReady ? "ready" : "converged"} within ${options.get("timeout")}: ${lacking}`;
    throw new KeelsonError("Timeout", message);
  },
};

async function until(
  { operations, settings, io }: BackedInvocation,
  signal: AbortSignal,
  isEnough: (report: StatusReport | undefined) => boolean,
): Promise<boolean> {
  try {
    return await operations.watchStatus(settings, isEnough, { ...io, signal });
  } catch (error) {
    if (isAborted(error)) return false;
    throw error;
  }
}

async function warnWhereNobodyRuns({ operations, settings, io, host }: BackedInvocation): Promise<void> {
  try {
    const { daemon } = await operations.status(settings, io);
    if (daemon.state === "stopped") host.stderr.write(`keelson: ${escapeControls(daemon.message)}\n`);
  } catch (error) {
    if (!isKeelsonError(error, "NotFound")) throw error;
  }
}

/** What is missing, in words; undefined where nothing is. */
function missing(report: StatusReport, isReady: boolean): string | undefined {
  const { phase, summary, files = [], objects } = report;
  const count = (name: string): number => summary[name] ?? 0;
  if (phase === "starting") return "it is starting";
  const [first] = objects.filter(({ state }) => state !== "omitted");
  if (count("failed") + count("blocked") + count("fighting") > 0)
    return `${first?.object.kind} ${first?.object.name} ${first?.state}: ${first?.message}`;
  const [problem] = report.problems;
  if (problem !== undefined) return `${problem.file}:${problem.line}: ${problem.message}`;
  if (count("converged") < count("desired")) return `${count("converged")} of ${count("desired")} are as declared`;
  if (!isReady || count("ready") >= count("desired")) return undefined;
  const [unready] = files.flatMap((file) => file.unready ?? []);
  const why = unready === undefined ? "" : `: ${unready.object.kind} ${unready.object.name}: ${unready.message}`;
  return `${count("ready")} of ${count("desired")} are ready${why}`;
}
