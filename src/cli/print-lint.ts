import type { LintReport } from "../daemon/index.ts";
import { describeRef } from "../object/index.ts";
import { printProblems } from "./print-held.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatTitledTable } from "./table.ts";

/** What the files hold, and what is wrong with them. */
export function printLint(report: LintReport, paint: Paint): string {
  const rows = report.objects.map(({ mode, object, ...place }) => [formatPlace(place), mode, describeRef(object)]);
  const objects = formatTitledTable(paint.strong("Objects:"), ["PLACE", "MODE", "OBJECT"], rows);
  const omitted = report.objects.filter(({ mode }) => mode === "omitted").length;
  const sum = `${report.objects.length} objects, ${omitted} of them omitted; ${report.problems.length} problems\n`;
  return [objects, printProblems(report.problems, paint), sum].filter((part) => part !== "").join("\n");
}
