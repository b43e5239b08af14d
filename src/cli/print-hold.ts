import type { HoldReport, PauseReport, ResumeReport, UnpauseReport } from "../daemon/index.ts";
import { describeRef } from "../object/index.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatTitledTable } from "./table.ts";

/** A hold as one line: `Revision 7 is held: rollback by alice@cp-1 at …: the new DNS is broken`. */
export function describeHold({ revision, by, since, reason, refused }: HoldReport): string {
  const when = since === undefined ? "" : ` at ${since}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  const said = `rollback by ${by}${when}${why}`;
  return refused === undefined
    ? `Revision ${revision} is held: ${said}`
    : `Revision ${revision} cannot be held: ${refused}; ${said}`;
}

/** What the directory holds otherwise than what is held. */
export function printWaiting({ waiting }: HoldReport, paint: Paint): string {
  if (waiting === undefined) return "";
  const { added, changed, removed, objects } = waiting;
  if (added + changed + removed === 0) return "";
  const rows = objects.map(({ object, action, ...place }) => [describeRef(object), action, formatPlace(place)]);
  const title = `Waiting for keelson resume (${added} added, ${changed} changed, ${removed} removed):`;
  return formatTitledTable(paint.changed(title), ["OBJECT", "IN THE DIRECTORY", "PLACE"], rows);
}

/** What is paused. */
export function printPauses(pauses: readonly PauseReport[], paint: Paint): string {
  const rows = pauses.map((pause) => [targetOf(pause), pause.until, pause.by, pause.reason ?? "-"]);
  return formatTitledTable(paint.warned("Paused:"), ["WHAT", "UNTIL", "BY", "WHY"], rows);
}

function targetOf({ object, file }: PauseReport): string {
  return object === undefined ? `file ${file ?? ""}` : describeRef(object);
}

/** A rollback that was asked for. */
export function printRollback(report: HoldReport): string {
  return `The leader goes back to revision ${report.revision} and holds it; keelson status shows how it fares, keelson resume ends it.\n`;
}

/** The end of a hold. */
export function printResume({ was }: ResumeReport): string {
  if (was === undefined) return "Nothing was held.\n";
  return `Revision ${was.revision} is no longer held: the leader applies the directory again.\n`;
}

/** A pause that was asked for. */
export function printPause(pause: PauseReport): string {
  return `Nothing is written to ${targetOf(pause)} until ${pause.until}; keelson unpause ends it before.\n`;
}

/** Pauses that ended. */
export function printUnpause({ ended }: UnpauseReport): string {
  if (ended.length === 0) return "Nothing was paused.\n";
  return ended.map((pause) => `${targetOf(pause)} is no longer paused.\n`).join("");
}
