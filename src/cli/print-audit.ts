import type { AuditReport, JournalCheck, JournalLine } from "../daemon/index.ts";
import { escapeControls } from "../log/index.ts";
import { describeRef } from "../object/index.ts";
import type { Paint } from "./print-report.ts";
import { formatTable } from "./table.ts";

const HEADINGS = ["TIME", "ACTION", "RESULT", "OBJECT", "CAUSE"];

/** Lines of the journal, oldest first. */
export function printAudit({ lines }: AuditReport): string {
  if (lines.length === 0) return "No such lines.\n";
  return formatTable([HEADINGS, ...lines.map(cellsOf)]);
}

/** One line of the journal, without columns: the next ones are not known yet. */
export function printAuditLine(line: JournalLine, paint: Paint): string {
  const [time = "", action = "", result = "", object = "", cause = ""] = cellsOf(line).map(escapeControls);
  const painted = line.result === "failed" || line.result === "lost" ? paint.removed(result) : result;
  return `${paint.faint(time)} ${action} ${painted} ${paint.strong(object)} ${cause}\n`;
}

function cellsOf({ time, action, result, object, cause, error }: JournalLine): readonly string[] {
  const why = error === undefined ? cause : `${cause}: ${error.code}: ${error.message}`;
  return [time, action, result, object === undefined ? "-" : describeRef(object), why];
}

/** Whether the journal is whole. */
export function printAuditCheck(check: JournalCheck, paint: Paint): string {
  const { path, lines, first, last, gaps, lost, faults } = check;
  const sum = `${path}: ${lines} lines, from ${first} to ${last}; ${gaps} recorded gaps (${lost} lines lost)\n`;
  if (faults.length === 0) return `${sum}${paint.added("Whole: no line was changed, none is missing.")}\n`;
  const rows = faults.map(({ file, line, message }) => [`${file}:${line}`, message]);
  return `${sum}${paint.removed("Not whole:")}\n${formatTable(rows, 2)}`;
}
