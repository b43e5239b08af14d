import { escapeControls } from "../log/index.ts";

/** Rows as aligned columns, two blanks apart, without blanks at line ends; `indent` blanks before each line. */
export function formatTable(rows: readonly (readonly string[])[], indent = 0): string {
  const cells = rows.map((row) => row.map(escapeControls));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${" ".repeat(indent)}${line}\n`).join("");
}

/** A table below a line of headings; nothing where there are no rows. */
export function formatTitledTable(
  title: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return rows.length === 0 ? "" : `${title}\n${formatTable([headings, ...rows], 2)}`;
}

/** `dns.yaml:12`; the file alone where no line is known, `-` where there is no file. */
export function formatPlace(place: { readonly file?: string | undefined; readonly line?: number | undefined }): string {
  if (place.file === undefined || place.file === "") return "-";
  return place.line === undefined || place.line === 0 ? place.file : `${place.file}:${place.line}`;
}

/** `3 created, 1 failed`: what is not zero, in the order given, then whatever else there is. */
export function formatSummary(summary: Readonly<Record<string, number>>, order: readonly string[]): string {
  const names = [...order, ...Object.keys(summary).filter((name) => !order.includes(name))];
  const parts = names.flatMap((name) => ((summary[name] ?? 0) > 0 ? [`${summary[name]} ${name}`] : []));
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
