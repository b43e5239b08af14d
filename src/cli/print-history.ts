import type { HistoryReport, RevisionDiffReport, RevisionReport, RevisionSummary } from "../daemon/index.ts";
import { escapeControls } from "../log/index.ts";
import { describeRef } from "../object/index.ts";
import { printFieldChange } from "./print-field-change.ts";
import { describeHold } from "./print-hold.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatTable, formatTitledTable } from "./table.ts";

const HEADINGS = ["REVISION", "TIME", "OBJECTS", "ADDED", "CHANGED", "REMOVED", "RESULT", "CAUSE"];

/** The revisions, oldest first. */
export function printHistory({ revisions, hold }: HistoryReport, paint: Paint): string {
  if (revisions.length === 0) return "No revision yet: the first is made when a set has been applied.\n";
  const rows = revisions.map((each) => [
    String(each.revision),
    each.time,
    ...[each.objects, each.added, each.changed, each.removed].map(String),
    resultOf(each),
    each.cause,
  ]);
  const held = hold === undefined ? "" : `\n${paint.warned(escapeControls(describeHold(hold)))}\n`;
  return `${formatTable([HEADINGS, ...rows])}${held}`;
}

function resultOf({ result, failed }: RevisionSummary): string {
  return failed === 0 ? result : `${failed} failed`;
}

/** One revision and what is in it. */
export function printRevision(report: RevisionReport, paint: Paint): string {
  const head = formatTable([
    ["Revision:", String(report.revision)],
    ["Time:", report.time],
    ["Cause:", report.cause],
    ["Changes:", `${report.added} added, ${report.changed} changed, ${report.removed} removed`],
    ["Result:", resultOf(report)],
    ["Stored by:", report.instance],
    ["Digest:", report.digest],
  ]);
  const rows = report.contents.map(({ object, mode, digest, ...place }) => [
    describeRef(object),
    mode,
    formatPlace(place),
    digest,
  ]);
  const title = paint.strong(`${report.objects} objects:`);
  return `${head}\n${formatTitledTable(title, ["OBJECT", "MODE", "PLACE", "DIGEST"], rows)}`;
}

const SIGN = { added: "+", changed: "~", removed: "-" } as const;

/** What differs between two revisions. */
export function printRevisionDiff({ from, to, changes }: RevisionDiffReport, paint: Paint): string {
  if (changes.length === 0) return `Revisions ${from} and ${to} hold the same.\n`;
  const parts = changes.map(({ action, object, diff, ...place }) => {
    const head = `${SIGN[action]} ${action} ${escapeControls(describeRef(object))}`;
    const at = paint.faint(` (${escapeControls(formatPlace(place))})`);
    return `${paint[action](head)}${at}\n${diff.map((change) => printFieldChange(change, paint)).join("")}`;
  });
  return parts.join("");
}
