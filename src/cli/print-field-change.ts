import { structuredPatch } from "diff";
import type { FieldChange } from "../daemon/index.ts";
import { escapeControls } from "../log/index.ts";
import { formatYaml, type Paint } from "./print-report.ts";

/** Longest line and most lines of one value; a ConfigMap may hold a megabyte. */
const MAX_LINE = 300;
const MAX_LINES = 60;
const INDENT = "    ";

/** One field's change in the manner of a unified diff: `-` is live, `+` is what it becomes. Secrets come masked. */
export function printFieldChange(change: FieldChange, paint: Paint): string {
  const by = change.manager === undefined ? "" : paint.faint(` set by ${escapeControls(change.manager)}`);
  const head = `${INDENT}@ ${escapeControls(change.path)}${by}`;
  const lines = changedLines(change).map(([sign, text]) => {
    const line = `${INDENT}${sign} ${escapeControls(cutLine(text))}`;
    return sign === "+" ? paint.added(line) : sign === "-" ? paint.removed(line) : line;
  });
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > MAX_LINES) shown.push(paint.faint(`${INDENT}… ${lines.length - MAX_LINES} more lines`));
  return `${[head, ...shown].join("\n")}\n`;
}

type Line = readonly [sign: "-" | "+" | " " | "@", text: string];

function changedLines({ before, after }: FieldChange): readonly Line[] {
  const removed = before === undefined ? undefined : textOf(before);
  const added = after === undefined ? undefined : textOf(after);
  if (removed !== undefined && added !== undefined && (removed.includes("\n") || added.includes("\n"))) {
    return lineDiff(removed, added);
  }
  return [...linesOf(removed).map((text): Line => ["-", text]), ...linesOf(added).map((text): Line => ["+", text])];
}

function lineDiff(before: string, after: string): readonly Line[] {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 2 });
  return hunks.flatMap(({ lines, oldStart, newStart }): Line[] => [
    ["@", `line ${oldStart}, then ${newStart}`],
    ...lines.flatMap((line): Line[] => {
      const sign = line.charAt(0);
      // "\ No newline at end of file" says nothing about a field's value that its absence would not.
      return sign === "-" || sign === "+" || sign === " " ? [[sign, line.slice(1)]] : [];
    }),
  ]);
}

/** Texts as they are, anything else as YAML. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value === "" ? '""' : value;
  return formatYaml(value).trimEnd();
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split("\n");
}

function cutLine(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}… (${line.length} characters)` : line;
}
