import type { AdoptedReport, AdoptReport } from "../daemon/index.ts";
import { escapeControls } from "../log/index.ts";
import { describeRef } from "../object/index.ts";
import { printProblems } from "./print-held.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatTitledTable } from "./table.ts";

/** The members, what becomes of each, and who keeps the set from now on. */
export function printAdopt(report: AdoptReport, paint: Paint): string {
  const { parent, into, tooling, isDryRun, members, problems } = report;
  const rows = members.map((member) => [describeRef(member.object), member.action, formatPlace(member), whyOf(member)]);
  const taken = members.filter(({ action, error }) => action !== "leave" && error === undefined).length;
  const title = paint.strong(`Members of ${escapeControls(describeRef(parent))} (${escapeControls(tooling)}):`);
  const table = formatTitledTable(title, ["OBJECT", "ACTION", "PLACE", "WHY"], rows);
  const to = `${describeRef(into.parent)} (${into.id})`;
  const sum = isDryRun
    ? `Would move ${taken} of ${members.length} members to ${to}; nothing was written`
    : `Moved ${taken} of ${members.length} members to ${to}; kubectl refuses ${describeRef(parent)} now`;
  return [table, printProblems(problems, paint), `${escapeControls(sum)}\n`].filter((part) => part !== "").join("\n");
}

function whyOf({ reason, error }: AdoptedReport): string {
  return error === undefined ? (reason ?? "-") : `failed: ${error}`;
}
