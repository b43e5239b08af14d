import type { FindingReport, FsckReport } from "../daemon/index.ts";
import { describeRef } from "../object/index.ts";
import { printProblems } from "./print-held.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatTitledTable } from "./table.ts";

/** What does not fit together, and what to do about each. */
export function printFsck(report: FsckReport, paint: Paint): string {
  const { findings, problems, checked } = report;
  const rows = findings.map((finding) => [
    finding.kind,
    describeRef(finding.object),
    formatPlace(finding),
    finding.message,
    whatToDo(finding),
  ]);
  const { declared = 0, live = 0, kinds = 0, revision } = checked;
  const against = revision === undefined ? "" : `, and revision ${revision}`;
  const sum = `Compared ${declared} declared objects with ${live} that carry marks, in ${kinds} kinds${against}: ${findings.length === 0 ? "all fits" : `${findings.length} findings`}\n`;
  const table = formatTitledTable(paint.changed("Findings:"), ["WHAT", "OBJECT", "PLACE", "WHY", "DO"], rows);
  return [table, printProblems(problems, paint), sum].filter((part) => part !== "").join("\n");
}

function whatToDo({ advice = "-", fix, isFixed, error }: FindingReport): string {
  if (isFixed === true) return `done: ${fix}`;
  if (isFixed === false) return `could not ${fix}: ${error}`;
  return fix === undefined ? advice : `${advice === "-" ? "" : `${advice}; `}--fix: ${fix}`;
}
