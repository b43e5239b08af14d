import type { ConfirmReport } from "../daemon/index.ts";
import { describeRef } from "../object/index.ts";
import type { Paint } from "./print-report.ts";
import { formatTitledTable } from "./table.ts";

/** What a confirmation released. */
export function printConfirm(report: ConfirmReport, paint: Paint): string {
  if (report.released.length === 0) return "Nothing was held.\n";
  const rows = report.released.map(({ object, reason }) => [describeRef(object), reason]);
  return formatTitledTable(paint.strong("Released; the daemon deletes them:"), ["OBJECT", "WAS HELD"], rows);
}
