import type { PlanReport, StepAction, StepReport } from "../daemon/index.ts";
import { escapeControls } from "../log/index.ts";
import { describeRef } from "../object/index.ts";
import { printFieldChange } from "./print-field-change.ts";
import { printHeld, printOmitted, printProblems } from "./print-held.ts";
import { describeHold } from "./print-hold.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatSummary } from "./table.ts";

const SIGN: Readonly<Record<StepAction, string>> = {
  create: "+",
  ensure: "+",
  apply: "~",
  delete: "-",
  release: "~",
  hold: "!",
  keep: "=",
  wait: ".",
};

const ORDER: readonly string[] = [
  "create",
  "ensure",
  "apply",
  "delete",
  "release",
  "hold",
  "keep",
  "wait",
  "unchanged",
];

/** A plan as text: each step with its reason and its field changes, then what is held, then the sum. */
export function printPlan(report: PlanReport, paint: Paint): string {
  const steps = report.steps.filter(({ action }) => action !== "hold").map((step) => printStep(step, paint));
  const tails = [
    printHeld(report.held, paint),
    printOmitted(report.omitted, paint),
    printProblems(report.problems, paint),
  ].filter((part) => part !== "");
  const hold = report.hold === undefined ? "" : `${paint.warned(escapeControls(describeHold(report.hold)))}\n`;
  const sum = `${paint.strong("Plan:")} ${formatSummary(report.summary, ORDER)}\n`;
  return [hold, steps.join(""), ...tails, sum].filter((part) => part !== "").join("\n");
}

function printStep(step: StepReport, paint: Paint): string {
  const place = step.file === undefined ? "" : paint.faint(` (${escapeControls(formatPlace(step))})`);
  const head = `${SIGN[step.action]} ${step.action} ${escapeControls(describeRef(step.object))}`;
  const lines = [`${painted(step.action, paint)(head)}${place} ${escapeControls(step.reason)}\n`];
  if (step.takes !== undefined && step.takes.length > 0) {
    const taken = step.takes.map(({ kind, count }) => `${count} ${kind}`).join(", ");
    lines.push(`    ${paint.warned("takes with it:")} ${escapeControls(taken)}\n`);
  }
  for (const change of step.diff) lines.push(printFieldChange(change, paint));
  return lines.join("");
}

function painted(action: StepAction, paint: Paint): (text: string) => string {
  switch (action) {
    case "create":
    case "ensure":
      return paint.added;
    case "delete":
      return paint.removed;
    case "apply":
    case "release":
      return paint.changed;
    default:
      return paint.faint;
  }
}
