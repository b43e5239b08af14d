import type { ApplyReport, Outcome, OutcomeReport } from "../daemon/index.ts";
import { escapeControls } from "../log/index.ts";
import { describeRef } from "../object/index.ts";
import { printHeld, printOmitted, printProblems } from "./print-held.ts";
import { describeHold } from "./print-hold.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatSummary } from "./table.ts";

const ORDER: readonly Outcome[] = ["created", "configured", "deleted", "released", "unchanged", "skipped", "failed"];

/** What a pass did, one line an object as kubectl writes them; unchanged ones are only counted. */
export function printApply(report: ApplyReport, paint: Paint): string {
  const lines = report.objects.filter(({ outcome }) => outcome !== "unchanged").map((one) => printOutcome(one, paint));
  const tails = [
    printHeld(report.held, paint),
    printOmitted(report.omitted, paint),
    printProblems(report.problems, paint),
  ];
  const sum = `${paint.strong("Done:")} ${formatSummary(report.summary, ORDER)}\n`;
  const hold = report.hold === undefined ? "" : `${paint.warned(escapeControls(describeHold(report.hold)))}\n`;
  return [hold, lines.join(""), ...tails, sum].filter((part) => part !== "").join("\n");
}

function printOutcome({ outcome, object, message, ...place }: OutcomeReport, paint: Paint): string {
  const where = place.file === undefined ? "" : paint.faint(` (${escapeControls(formatPlace(place))})`);
  const why = message === undefined ? "" : `: ${escapeControls(message)}`;
  return `${escapeControls(describeRef(object))} ${painted(outcome, paint)(outcome)}${where}${why}\n`;
}

function painted(outcome: Outcome, paint: Paint): (text: string) => string {
  switch (outcome) {
    case "created":
      return paint.added;
    case "configured":
    case "released":
      return paint.changed;
    case "deleted":
    case "failed":
      return paint.removed;
    default:
      return paint.faint;
  }
}
