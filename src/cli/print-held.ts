import type { HeldReport, OmittedReport, ProblemReport } from "../daemon/index.ts";
import { describeRef } from "../object/index.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatTitledTable } from "./table.ts";

/** How a reason tells that a broken file is behind it. */
const MEND_FIRST = "mend the file";

/** What prune holds, and how to release it. */
export function printHeld(held: HeldReport, paint: Paint, set = ""): string {
  if (held.objects.length === 0) return "";
  const rows = held.objects.map(({ object, reason, confirmable }) => [
    describeRef(object),
    confirmable ? reason : `${reason} (cannot be confirmed)`,
  ]);
  const table = formatTitledTable(paint.warned("Held, not deleted:"), ["OBJECT", "WHY"], rows);
  if (held.digest === undefined) return table;
  const command = `keelson prune --confirm ${held.digest}${set === "" ? "" : ` --set ${set}`}`;
  const isBroken = held.objects.some(({ confirmable, reason }) => confirmable && reason.includes(MEND_FIRST));
  const advice = isBroken
    ? `Mend the file first: what it still declares is not deleted then. To delete them all the same: ${command}`
    : `To delete them: ${command}`;
  return `${table}  ${advice}\n`;
}

/** What is wrong with the files. */
export function printProblems(problems: readonly ProblemReport[], paint: Paint): string {
  const rows = problems.map(({ message, ...place }) => [formatPlace(place), message]);
  return formatTitledTable(paint.removed("Problems:"), ["PLACE", "PROBLEM"], rows);
}

/** Documents that are not applied because no label selects them; a hint where that looks like a slip. */
export function printOmitted(omitted: readonly OmittedReport[], paint: Paint): string {
  const rows = omitted.map(({ object, hint, ...place }) => [formatPlace(place), describeRef(object), hint ?? ""]);
  return formatTitledTable(paint.warned("Left out, as no label selects them:"), ["PLACE", "OBJECT", "HINT"], rows);
}
