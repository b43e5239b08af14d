import type { LogFields, LogLevel } from "./line.ts";

/** Printed by the original without the `== … ==` around it; people grep for the exact line. */
export const NOT_LEADER_MESSAGE = "Not elected leader, going back to sleep.";

const BARE_MESSAGES: ReadonlySet<string> = new Set([NOT_LEADER_MESSAGE]);

/** The original's names of the levels (it has no debug lines). */
const PREFIX: Readonly<Record<LogLevel, string>> = { debug: "DBG", info: "INFO", warn: "WRN", error: "ERR" };

/** Values that need no quotes to be read back. */
const PLAIN = /^[\p{L}\p{N}._/:@,+~*%#()[\]-]+$/u;

/** One line in the original's shape, with the fields as `key=value` before the closing `==`; cleaned text is expected. */
export function formatTextLine(level: LogLevel, message: string, fields: LogFields): string {
  if (BARE_MESSAGES.has(message)) return `${PREFIX[level]}: ${message}\n`;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return `${PREFIX[level]}: == ${message}${pairs.join("")} ==\n`;
}

/** The original's first line. `startedMs` is wall-clock time. */
export function startMessage(startedMs: number, intervalMs: number): string {
  const time = new Date(startedMs).toISOString().replace(/\.\d+Z$/, "+00:00");
  return `Kubernetes addon manager started at ${time} with ADDON_CHECK_INTERVAL_SEC=${intervalMs / 1000}`;
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return PLAIN.test(value) ? value : quote(value);
  return JSON.stringify(value);
}

/** Cleaning has escaped control characters already, so backslashes stay as they are: only quotes need care. */
function quote(value: string): string {
  return `"${value.replaceAll('"', '\\"')}"`;
}
