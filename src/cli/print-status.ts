import type { ChangeNote, DaemonReport, FileState, FileStatus, StatusObject, StatusReport } from "../daemon/index.ts";
import { describeRef } from "../object/index.ts";
import { printHeld, printProblems } from "./print-held.ts";
import { describeHold, printPauses, printWaiting } from "./print-hold.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatSummary, formatTable, formatTitledTable } from "./table.ts";

/** A status, with or without what became of its writer. */
type Shown = StatusReport & { readonly daemon?: DaemonReport };

/** What the daemon says of itself. */
export function printStatus(report: Shown, paint: Paint): string {
  const { files = [], objects, held, problems, set } = report;
  const unready = files.flatMap((file) => file.unready ?? []);
  return [
    printHead(report, paint),
    report.hold === undefined ? "" : printWaiting(report.hold, paint),
    printPauses(report.pauses ?? [], paint),
    formatTitledTable(
      "Add-ons:",
      ["FILE", "STATE", "AS DECLARED", "READY", "LAST CHANGE", "LAST DRIFT"],
      [...files.map((file) => fileRow(file))],
    ),
    formatTitledTable(
      paint.changed("Not as declared:"),
      ["OBJECT", "STATE", "SINCE", "NEXT TRY", "PLACE", "WHY"],
      [...objects.map((object) => objectRow(object))],
    ),
    formatTitledTable(
      paint.changed("Not ready:"),
      ["OBJECT", "READINESS", "WHY"],
      [...unready.map(({ object, readiness, message }) => [describeRef(object), readiness, message])],
    ),
    printHeld(held, paint, set),
    printProblems(problems, paint),
    printLeftOut(report),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function printHead(report: Shown, paint: Paint): string {
  const { daemon, lastChange, lastDrift } = report;
  const rows = [
    ["Phase:", report.message === undefined ? report.phase : `${report.phase}: ${report.message}`],
    ...(report.set === "" ? [] : [["Set:", report.set]]),
    ["Directory:", report.path],
    ["Leader:", leaderText(report)],
    ["Objects:", formatSummary(report.summary, ["desired", "converged", "ready"])],
    ...(report.revision === undefined ? [] : [["Revision:", String(report.revision)]]),
    ...(report.hold === undefined ? [] : [["Hold:", describeHold(report.hold)]]),
    ["Written:", report.updated],
    ...(lastChange === undefined ? [] : [["Last change:", noteText(lastChange)]]),
    ...(lastDrift === undefined ? [] : [["Last drift:", noteText(lastDrift)]]),
  ];
  const table = formatTable(rows);
  if (daemon?.state !== "stopped") return table;
  return `${paint.removed("The daemon does not run:")} ${formatTable([[daemon.message]])}\n${table}`;
}

function leaderText({ instance, leader, daemon }: Shown): string {
  const how = leader === undefined ? "a single pass" : ELECTION[leader.election];
  const state = daemon === undefined || daemon.state === "stopped" ? "" : `; ${daemon.state}: ${daemon.message}`;
  return `${instance} (${how}${leader?.lease === undefined ? "" : ` ${leader.lease}`})${state}`;
}

const ELECTION: Readonly<Record<"follow" | "lease" | "always", string>> = {
  follow: "follows the Lease",
  lease: "holds the Lease",
  always: "no election",
};

function noteText({ at, object, text }: ChangeNote): string {
  return `${at} ${describeRef(object)} ${text}`;
}

function fileRow({ file, state, objects, converged, ready, lastChange, lastDrift }: FileStatus): readonly string[] {
  return [file, state, `${converged}/${objects}`, `${ready}/${objects}`, lastChange?.at ?? "-", lastDrift?.at ?? "-"];
}

function objectRow({ object, state, since, retry, message, ...place }: StatusObject): readonly string[] {
  return [describeRef(object), state, since ?? "-", retry ?? "-", formatPlace(place), message];
}

function printLeftOut({ leftOut }: StatusReport): string {
  if (leftOut === undefined) return "";
  return `Left out for want of room: ${formatSummary({ ...leftOut }, ["files", "objects", "held", "problems"])}\n`;
}

const BAD: ReadonlySet<FileState> = new Set(["broken", "failed"]);

/** What is new in a status since the one before, one line each, for a log: nothing moves the cursor. */
export function statusLines(before: StatusReport | undefined, now: StatusReport): readonly string[] {
  const lines: string[] = [];
  const summary = formatSummary(now.summary, ["desired", "converged", "ready"]);
  if (before?.phase !== now.phase || before.summary.ready !== now.summary.ready) lines.push(`${now.phase}: ${summary}`);
  const files = new Map(before?.files?.map((file) => [file.file, file]));
  for (const file of now.files ?? []) {
    const was = files.get(file.file);
    const isNews = was === undefined ? BAD.has(file.state) : was.state !== file.state;
    if (isNews) lines.push(`${file.file}: ${file.state} (${file.ready} of ${file.objects} ready)`);
    if (file.lastChange !== undefined && file.lastChange.at !== was?.lastChange?.at && before !== undefined)
      lines.push(`${describeRef(file.lastChange.object)} ${file.lastChange.text}`);
  }
  const known = new Set(before?.objects.map(textOf));
  for (const object of now.objects) if (!known.has(textOf(object))) lines.push(textOf(object));
  const held = new Set(before?.held.objects.map(({ uid }) => uid));
  for (const { uid, object, reason } of now.held.objects)
    if (!held.has(uid)) lines.push(`${describeRef(object)} is not deleted: ${reason}`);
  const problems = new Set(before?.problems.map(({ message, ...place }) => `${formatPlace(place)}: ${message}`));
  for (const { message, ...place } of now.problems) {
    const text = `${formatPlace(place)}: ${message}`;
    if (!problems.has(text)) lines.push(text);
  }
  return lines.map((line) => `${now.updated} ${line}`);
}

function textOf({ object, state, message }: StatusObject): string {
  return `${describeRef(object)} ${state}: ${message}`;
}
