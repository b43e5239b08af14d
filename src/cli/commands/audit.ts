import type { AuditQuery } from "../../daemon/index.ts";
import { KeelsonError } from "../../errors/index.ts";
import { type BackedInvocation, type Command, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** What was written, by this machine's journal. */
export const auditCommand: Command = {
  kind: "backed",
  name: "audit",
  summary: "show the journal of this machine's writes",
  description:
    "Shows the writes that Keelson made or refused on this machine, with what changed and why. audit verify checks that no line of the journal was changed or is missing. Needs no cluster.",
  operands: [{ name: "verify", help: "check the journal instead", words: ["verify"] }],
  options: [
    { name: "since", value: "WHEN", help: "a duration back from now (90s, 1h30m), or a time (2030-01-31T12:00:00Z)" },
    { name: "object", value: "OBJECT", help: "only lines about NAME, KIND/NAME or KIND/NAMESPACE/NAME" },
    { name: "limit", value: "NUMBER", help: "only the last so many lines" },
    { name: "follow", short: "f", help: "go on with each line that is written, until ctrl-C" },
    OUTPUT_OPTION,
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "done; for verify: the journal is whole" },
    { code: EXIT.changes, meaning: "verify: lines were changed or are missing" },
    { code: EXIT.user, meaning: "there is no journal on this machine" },
  ],
  settings: "audit",
  takesDirectory: false,
  async run(invocation) {
    const { operands, options } = invocation;
    const [word] = operands;
    if (word === "verify") return verify(invocation);
    if (word !== undefined) {
      throw new KeelsonError("InvalidFlag", `"${word}": accepted: verify`, { object: "verify" });
    }
    const query: AuditQuery = {
      since: options.get("since"),
      object: options.get("object"),
      limit: parseLimit(options.get("limit")),
    };
    return options.has("follow") ? follow(invocation, query) : show(invocation, query);
  },
};

async function show({ operations, settings, host, options }: BackedInvocation, query: AuditQuery): Promise<number> {
  const report = await operations.audit(settings, query);
  const { printReport } = await import("../print-report.ts");
  const { printAudit } = await import("../print-audit.ts");
  printReport(host, options, { report, print: printAudit });
  return EXIT.ok;
}

/** What was there before is shown first where it is asked for. One line for each entry: JSON as it is, or a row. */
async function follow(invocation: BackedInvocation, query: AuditQuery): Promise<number> {
  const { operations, settings, io, host, options } = invocation;
  const { paintFor } = await import("../print-report.ts");
  const { printAuditLine } = await import("../print-audit.ts");
  const paint = paintFor(host);
  const isJson = options.get("output") === "json";
  const onLine = (line: Parameters<typeof printAuditLine>[0]): void =>
    host.stdout.write(isJson ? `${JSON.stringify(line)}\n` : printAuditLine(line, paint));
  if (query.since !== undefined || query.limit !== undefined) {
    for (const line of (await operations.audit(settings, query)).lines) onLine(line);
  }
  await operations.followAudit(settings, { ...query, since: undefined, onLine }, io);
  return EXIT.ok;
}

async function verify({ operations, settings, host, options }: BackedInvocation): Promise<number> {
  const report = await operations.verifyAudit(settings);
  const { printReport } = await import("../print-report.ts");
  const { printAuditCheck } = await import("../print-audit.ts");
  printReport(host, options, { report, print: printAuditCheck });
  return report.faults.length === 0 ? EXIT.ok : EXIT.changes;
}

function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new KeelsonError("InvalidFlag", `--limit="${text}": accepted: a number of lines`, { object: "--limit" });
}
