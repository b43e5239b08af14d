import type { ExplainReport, OwnerReport } from "../daemon/index.ts";
import { escapeControls } from "../log/index.ts";
import { describeRef } from "../object/index.ts";
import { printFieldChange } from "./print-field-change.ts";
import type { Paint } from "./print-report.ts";
import { formatPlace, formatTable, formatTitledTable } from "./table.ts";

/** One object: where it is declared, what would be done, and who owns which field. */
export function printExplain(report: ExplainReport, paint: Paint): string {
  const { object, mode, decision, live, owners, shared, diff, ...place } = report;
  const head = formatTable([
    ["Object:", describeRef(object)],
    ["Declared:", mode === "undeclared" ? "nowhere" : `${formatPlace(place)}, ${mode}`],
    ["A pass:", decision],
    ["Live:", live === undefined ? "not there" : `uid ${live.uid}, resourceVersion ${live.resourceVersion}`],
    ...(live === undefined ? [] : [["Ready:", live.readiness]]),
  ]);
  const changes = diff.map((change) => printFieldChange(change, paint)).join("");
  const table = formatTitledTable(
    paint.changed("Owned by others too, so that they stay when they leave the manifest:"),
    ["FIELD", "ALSO BY"],
    shared.map(({ field, managers }) => [field, managers.join(", ")]),
  );
  return [head, changes, ...owners.map((owner) => printOwner(owner, paint)), table]
    .filter((part) => part !== "")
    .join("\n");
}

function printOwner({ manager, operation, subresource, time, isOurs, fields }: OwnerReport, paint: Paint): string {
  const name = isOurs ? paint.added("Ours") : paint.strong(escapeControls(manager));
  const of = subresource === "" ? "" : `, ${subresource}`;
  const how = escapeControls(
    `${isOurs ? `${manager}, ` : ""}${operation}${of}${time === undefined ? "" : `, ${time}`}`,
  );
  return `${name} (${how}):\n${fields.map((field) => `  ${escapeControls(field)}\n`).join("")}`;
}
